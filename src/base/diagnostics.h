#pragma once
// Count, keep going, tell. Everything that we leave out, guess or could not read is counted under
// a name of the table below and shown at the end and in the store. Nothing is dropped silently.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ks {

enum class Severity : uint8_t {
  info,       // nothing is lost
  data_loss,  // a record or a part of one is missing from the result
  error,      // a whole input is missing, or an analysis failed
};

// name, severity, what it means to the user
#define KS_DIAGNOSTICS(X)                                                                          \
  X(bad_json, data_loss, "line that is not valid JSON; skipped")                                   \
  X(not_an_object, data_loss, "line that is JSON but no object; skipped")                          \
  X(bad_utf8, data_loss, "line with bytes that are not UTF-8; skipped")                            \
  X(too_deep, data_loss, "line nested deeper than --max-depth; skipped")                           \
  X(line_too_long, data_loss, "line longer than --max-line; skipped without reading it in")        \
  X(bad_field, data_loss, "field of another type than the format says; the field was left out")    \
  X(compilation_without_hash, data_loss, "compilation without a kernel hash; skipped")             \
  X(duplicate_compilation, info, "the same kernel compiled again; counted, texts kept once")       \
  X(unknown_event, info, "event of a kind that we do not know; skipped")                           \
  X(derived_event, info, "event that another parser had added; made anew from the raw events")     \
  X(byte_order_mark, info, "byte order mark at the start of a file; ignored")                      \
  X(truncated_line, data_loss, "last line of a file cut off; skipped")                             \
  X(truncated_gzip, data_loss, "gzip data cut off or damaged; what is after it is lost")           \
  X(truncated_zstd, data_loss, "zstd data cut off or damaged; what is after it is lost")           \
  X(trailing_garbage, info, "bytes after the last compressed member; ignored")                     \
  X(member_too_large, data_loss, "compressed member over --max-member; the rest of it is lost")    \
  X(expansion_too_large, data_loss, "compressed data over --max-expansion; the rest is lost")      \
  X(unreadable_file, error, "file that could not be opened or read; skipped")                      \
  X(rank_conflict, info, "one process writes for several ranks; the first rank was taken")         \
  X(launch_without_arguments, info, "launch recorded without its arguments")                       \
  X(launch_without_hash, info, "launch recorded without its kernel's hash; attributed by handle")  \
  X(launch_unattributed, info, "launch whose kernel could not be told among several candidates")   \
  X(launch_without_name, data_loss, "launch with neither hash nor name; skipped")                  \
  X(compilation_not_seen, info, "kernel known only by its launches; its compilation was not seen") \
  X(bad_torch_trace, info, "record of a torch trace log that could not be read; skipped")          \
  X(ir_not_understood, info, "line of IR whose location is in a form that we do not know")         \
  X(ir_no_mapping, info, "stage text without any source location")                                 \
  X(analysis_failed, error, "an analysis of one kernel failed; the others went on")                \
  X(placeholder_text, info, "stage text that the tracer left out (too large or unreadable)")

enum class Diag : uint8_t {
#define X(name, severity, text) name,
  KS_DIAGNOSTICS(X)
#undef X
};

inline constexpr size_t kDiagCount = 0
#define X(name, severity, text) +1
    KS_DIAGNOSTICS(X)
#undef X
    ;

struct DiagInfo {
  std::string_view name;
  Severity severity;
  std::string_view text;
};

const DiagInfo& info(Diag diag);
std::string_view to_string(Severity severity);

// Counters with the first few samples of each. A plain value: one thread at a time. Parallel code
// gives each block of work its own and merges them in input order, so that samples do not depend
// on threads.
class Diagnostics {
 public:
  static constexpr size_t kSamples = 5;

  struct Entry {
    uint64_t count = 0;
    std::vector<std::string> samples;  // at most kSamples, "file:line: detail"
  };

  void add(Diag diag, std::string_view where = {}, uint64_t count = 1);
  void merge(const Diagnostics& later);
  const Entry& operator[](Diag diag) const { return entries_[static_cast<size_t>(diag)]; }
  uint64_t count(Severity severity) const;
  bool lossless() const;  // nothing of severity data_loss or error

 private:
  std::array<Entry, kDiagCount> entries_;
};

}  // namespace ks
