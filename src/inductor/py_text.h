#pragma once
// Python text cut into statements, as far as reading generated code needs it: strings, comments,
// brackets and continued lines are understood, nothing else is. Any bytes will do; time is linear.

#include <cstddef>
#include <optional>
#include <string_view>

namespace ks::inductor {

struct PyStatement {
  std::string_view text;  // from its first letter to before its line end; may span lines
  size_t begin = 0, end = 0;
  size_t column = 0;  // blanks in front of it
  bool comment = false;
};

// Statements and comments in order; blank lines are left out. The text must outlive the reader.
class PyStatements {
 public:
  explicit PyStatements(std::string_view text, size_t begin = 0) : text_(text), at_(begin) {}
  std::optional<PyStatement> next();

 private:
  std::string_view text_;
  size_t at_;
};

bool is_identifier_char(char c);  // also any byte of a non-ASCII letter

// The identifier at `at`, empty if none is there; with dots: a dotted one.
std::string_view identifier_at(std::string_view text, size_t at, bool dotted = false);

// Whether the identifier can stand in front of a quote: r, b, u, f and pairs of them.
bool is_string_prefix(std::string_view identifier);

// The length of the quotes that open a string at `at`: 1, 3, or 0 if none is there.
size_t quotes_at(std::string_view text, size_t at);

// Where the string whose opening quote is at `at` ends: behind its closing quote. A plain string
// without one ends with its line, one of three quotes with the text.
size_t end_of_string(std::string_view text, size_t at);

// One step over code: a string, a comment (not its line end), an identifier, a continued line, or
// one byte. `depth` counts the brackets that are open.
size_t end_of_token(std::string_view text, size_t at, size_t& depth);

}  // namespace ks::inductor
