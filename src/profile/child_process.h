#pragma once
// A program that we start and may have to kill: its own process group, nothing of ours inherited
// but what it is given, output kept in bounds. POSIX only, no threads, no shell.

#include <poll.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ks::profile {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  void reset(int fd = -1);
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// The end of what a program wrote; its beginning is let go.
class OutputTail {
 public:
  static constexpr size_t kKept = 8192;  // bytes
  void append(std::string_view bytes);
  std::string_view text() const;
  std::string last_line() const;  // the last line that is not blank, as one_line() gives it

 private:
  std::string bytes_;
};

// One line of valid UTF-8 without control characters, at most `limit` bytes, for reasons.
std::string one_line(std::string_view text, size_t limit = 300);

struct ExitState {
  int code = 0;
  int signal = 0;            // 0: ended by itself, with `code`
  std::string text() const;  // "exit code 3", "signal 9 (Killed)"
};

class ChildProcess {
 public:
  struct Options {
    std::vector<std::string> argv;         // argv[0] is looked up in PATH
    std::vector<std::string> environment;  // NAME=VALUE, instead of ours or beside it
    bool channel = false;                  // a socket as its descriptor 3, see channel()
  };
  static constexpr int kChannel = 3;

  // ErrorKind::input: there is no such program, or it cannot be executed.
  static Result<ChildProcess> spawn(const Options& options);
  // Kills the whole group and waits a short while, so that no zombie stays.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t pid() const { return pid_; }
  int channel() const { return channel_.get(); }  // our end, does not block; -1: none or closed
  void add_to(std::vector<pollfd>& fds) const;    // all that is to be waited for
  // Takes what has been written to stdout and stderr, a bounded amount. Never blocks.
  void read_output();
  const OutputTail& out() const { return out_tail_; }
  const OutputTail& err() const { return err_tail_; }
  std::string last_words() const;  // the last line of stderr, or else of stdout

  void kill_group();  // SIGKILL to it and all that it started, those in groups of their own aside
  // Nothing while it runs. Kills the rest of its group before the process id is given back.
  std::optional<ExitState> reap();

 private:
  ChildProcess(pid_t pid, Fd channel, Fd out, Fd err);
  static void drain(Fd& from, OutputTail& into);

  pid_t pid_;
  Fd channel_, out_, err_;
  OutputTail out_tail_, err_tail_;
  std::optional<ExitState> exit_;
};

// Milliseconds for poll(2): 0 where `seconds` has passed, never more than `cap`.
int poll_milliseconds(double seconds, int cap);

}  // namespace ks::profile
