#pragma once
// Texts of a trace to ids: each distinct stack, argument, field and value once.

#include <functional>
#include <unordered_map>

#include "run/run.h"
#include "trace/decode.h"
#include "trace/json_reader.h"

namespace ks::run {

struct FlattenRules {
  // The reference's way (src/ndjson, --compat): a path is its dotted text, lists are never opened,
  // and strings over 4,096 characters count as "<N chars omitted>".
  bool exact = false;
};

// Fills the tables of a Run. Not thread-safe.
class Interner {
 public:
  Interner(Run& run, FlattenRules rules) : run_(run), rules_(rules) {}

  Id path(const std::vector<std::string>& parts);
  Id value(const trace::Value& value);
  Id source(std::string_view text);
  // A list of frames; anything in it that is no frame is left out.
  Id stack(const trace::Value& frames);
  // A field or argument. `hash` must not depend on pointers (trace::hash_without_pointers).
  Id content(Hash128 hash, const std::vector<std::string>& prefix, const trace::Value& value);

 private:
  void flatten(std::vector<std::string>& parts, const trace::Value& value, Content& content);

  Run& run_;
  FlattenRules rules_;
  template <typename Key, typename Hash = std::hash<Key>>
  using Table = std::unordered_map<Key, Id, Hash>;
  Table<std::string> paths_;
  Table<Hash128> values_, sources_, frames_, stacks_, contents_;
  Table<std::string> sessions_;
};

// What the frames say (docs/trace-format.md, launch kinds and autotune sessions).
struct AutotuneTraits {
  bool benchmark = false;
  bool inductor = false;
  size_t user_frames = 0;  // frames before the autotuner's; 0: in no session
  std::string session_id;  // 16 hex digits; empty: in no session
};
AutotuneTraits autotune_traits(const std::vector<const StackFrame*>& frames);

// The innermost frame that is neither Triton's, torch's nor a tracer's; kNone if there is none.
size_t user_call_site(const std::vector<const StackFrame*>& frames);

// "<N chars omitted>" for strings of more than 4,096 code points, at any depth
// (docs/trace-format.md, long strings).
void shorten_strings(trace::Value& value);

}  // namespace ks::run
