#pragma once
// Errors as values. A function that can fail returns Result<T>; whoever passes an error on may put
// words in front of it with with_context(), so that the message reads from the outside in:
// "run.ndjson: line 12: ...". No exception crosses a module's border.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace ks {

// What a caller can do about it; the command line turns these into exit codes.
enum class ErrorKind {
  input,        // the user's files or arguments: exit code 2
  io,           // the machine: disk full, permission: 2
  limit,        // a limit of ours was exceeded; the message names the option that lifts it: 2
  unsupported,  // a format or version that we do not read: 2
  interrupted,  // Ctrl-C: 130
};

struct Error {
  ErrorKind kind = ErrorKind::input;
  std::string message;  // what happened, to what, and what to do next; no final full stop
};

template <typename T = void>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::make_unexpected(Error{kind, std::move(message)});
}

inline tl::unexpected<Error> with_context(Error error, std::string_view where) {
  error.message = std::string(where) + ": " + error.message;
  return tl::make_unexpected(std::move(error));
}

}  // namespace ks
