#pragma once
// What the pool and a worker say to each other: one JSON object a line, on the worker's descriptor
// 3. docs/profile.md has the list. Pure: text in, values out.

#include <optional>
#include <string>
#include <string_view>

#include "profile/measurement.h"
#include "profile/task.h"

namespace ks::profile {

// One line each, with its end.
std::string measure_request(const Task& task, const Policy& policy);
std::string exit_request();

// A worker says "hello" once, then for each task any number of "phase" and one "done".
struct Reply {
  enum class Kind : uint8_t { hello, phase, done };
  Kind kind = Kind::hello;
  std::optional<Status> problem;  // hello: why it cannot measure
  std::string text;               // hello: the problem in words
  Circumstances circumstances;    // hello
  int64_t pid = 0;                // hello
  size_t id = 0;                  // phase, done: the task's
  std::string phase;              // load, args, first_call, wait (for the GPU's lock), measure
  Measurement measurement;        // done
  bool leaving = false;           // done: it ends itself, as its context is dead or its memory full
};
Result<Reply> read_reply(std::string_view line);

// What is told of a kernel, or of a start, when the worker itself can tell nothing any more.
struct Verdict {
  Status status = Status::crash;
  std::string reason;
};
// `stderr_text` holds what a CUDA context says that takes its process down.
bool tells_fault(std::string_view stderr_text);

// Cuts a stream into lines.
class LineBuffer {
 public:
  static constexpr size_t kMaxLine = 4 << 20;  // bytes; a measurement has some kilobytes
  void append(std::string_view bytes) { bytes_.append(bytes); }
  std::optional<std::string> next();
  // More than kMaxLine bytes without an end of line.
  bool flooded() const { return bytes_.size() - start_ > kMaxLine; }

 private:
  std::string bytes_;
  size_t start_ = 0, searched_ = 0;
};

}  // namespace ks::profile
