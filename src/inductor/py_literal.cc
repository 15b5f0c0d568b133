#include "inductor/py_literal.h"

#include <algorithm>
#include <charconv>

#include "inductor/py_string.h"
#include "inductor/py_text.h"

namespace ks::inductor {
namespace {

using Kind = PyValue::Kind;

PyValue number_of(std::string digits) {
  std::erase(digits, '_');
  PyValue value;
  const char *begin = digits.data(), *end = begin + digits.size();
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (const auto r = std::from_chars(begin + (hex ? 2 : 0), end, value.integer, hex ? 16 : 10);
      r.ec == std::errc() && r.ptr == end) {
    value.kind = Kind::integer;
    value.real = static_cast<double>(value.integer);
  } else if (const auto f = std::from_chars(begin, end, value.real);
             f.ec == std::errc() && f.ptr == end) {
    value.kind = Kind::real;
  }
  return value;
}

PyValue name_of(std::string_view name) {
  PyValue value;
  value.kind = name == "None"                      ? Kind::none
               : name == "True" || name == "False" ? Kind::boolean
                                                   : Kind::name;
  value.integer = name == "True";
  value.text = name;
  return value;
}

// Never goes back: each byte is looked at a constant number of times, however deep it stands.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // A value, then all up to a comma, a closing bracket, or one of `stops`.
  PyValue value(std::string_view stops) {
    skip_blanks();
    const size_t begin = at_;
    PyValue value;
    if (depth_ < kPyMaxDepth && nodes_ < kPyMaxNodes) {
      ++depth_, ++nodes_;
      value = primary();
      --depth_;
    }
    size_t end = at_;
    skip_blanks();
    if (!at_end_of_value(stops)) {
      value = PyValue();
      end = skip_expression(stops);
    }
    value.source = text_.substr(begin, end - begin);
    return value;
  }

  // The first thing alone, whatever follows it.
  PyValue first() {
    skip_blanks();
    const size_t begin = at_;
    PyValue value = primary();
    value.source = text_.substr(begin, at_ - begin);
    return value;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool done() const { return at_ >= text_.size(); }
  bool at_closing() const { return done() || peek() == ')' || peek() == ']' || peek() == '}'; }

  void skip_blanks() {
    while (!done()) {
      size_t depth = 0;
      const char c = peek();
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '#' && c != '\\') return;
      at_ = end_of_token(text_, at_, depth);
    }
  }

  // "==" is no "=".
  bool at_stop(std::string_view stops) const {
    return stops.find(peek()) != stops.npos && text_.substr(at_, 2) != "==";
  }
  bool at_end_of_value(std::string_view stops) const {
    return at_closing() || peek() == ',' || at_stop(stops);
  }

  // To the end of a value that is no literal; where its last letter is.
  size_t skip_expression(std::string_view stops) {
    size_t end = at_;
    for (size_t depth = 0; !done() && (depth > 0 || !at_end_of_value(stops));) {
      if (text_.substr(at_, 2) == "==") ++at_;
      const bool blank = peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r';
      at_ = end_of_token(text_, at_, depth);
      if (!blank) end = at_;
    }
    return end;
  }

  PyValue primary() {
    const char c = peek();
    if (quotes_at(text_, at_) > 0) return strings();
    if (c == '[') return bracket(Kind::list);
    if (c == '(') return bracket(Kind::list);
    if (c == '{') return bracket(Kind::dict);
    if ((c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+') return number();
    const std::string_view name = identifier_at(text_, at_, true);
    if (name.empty()) return {};
    if (is_string_prefix(name) && quotes_at(text_, at_ + name.size()) > 0) return strings();
    at_ += name.size();
    PyValue value = name_of(name);
    if (peek() != '(') return value;
    PyValue call = bracket(Kind::call);
    call.text = name;
    return call;
  }

  PyValue number() {
    const size_t begin = at_;
    if (peek() == '-' || peek() == '+') ++at_;
    const size_t digits = at_;
    while (!done()) {
      const char before = at_ > digits ? text_[at_ - 1] : '\0';
      const bool exponent_sign = (peek() == '-' || peek() == '+') &&
                                 (before == 'e' || before == 'E') &&
                                 text_.substr(digits, 2) != "0x";
      if (!exponent_sign && peek() != '.' && !is_identifier_char(peek())) break;
      ++at_;
    }
    const bool plus = text_[begin] == '+';
    return number_of(std::string(text_.substr(begin + plus, at_ - begin - plus)));
  }

  // Strings side by side or with '+' between them are one.
  PyValue strings() {
    PyValue value;
    value.kind = Kind::string;
    size_t end = at_;
    do {
      if (!string(value)) value.kind = Kind::unknown;
      end = at_;
      skip_blanks();
      if (peek() != '+') continue;
      ++at_;
      skip_blanks();
    } while (at_string());
    if (text_.substr(end, at_ - end).find('+') == std::string_view::npos) at_ = end;
    return value;
  }

  bool at_string() const {
    const std::string_view prefix = identifier_at(text_, at_);
    return quotes_at(text_, at_) > 0 ||
           (is_string_prefix(prefix) && quotes_at(text_, at_ + prefix.size()) > 0);
  }

  // False: an f-string, whose value we cannot know.
  bool string(PyValue& value) {
    const std::string_view prefix = identifier_at(text_, at_);
    at_ += prefix.size();
    const size_t quotes = quotes_at(text_, at_), end = end_of_string(text_, at_);
    const size_t begin = at_ + quotes;
    const bool closed = end >= begin + quotes && quotes_at(text_, end - quotes) > 0;
    const std::string_view body = text_.substr(begin, end - begin - (closed ? quotes : 0));
    at_ = end;
    if (prefix.find_first_of("rR") != prefix.npos) {
      value.text += body;
    } else {
      append_unescaped(value.text, body);
    }
    return prefix.find_first_of("fF") == prefix.npos;
  }

  // `{1, 2}` is a set and comes out as a list.
  PyValue bracket(Kind kind) {
    PyValue value;
    value.kind = kind;
    bool pairs = false;
    ++at_;
    for (skip_blanks(); !at_closing(); skip_blanks()) {
      const size_t before = at_;
      item(value, kind, pairs);
      if (peek() == ',') ++at_;
      if (at_ == before) ++at_;  // never stands still
    }
    if (!done()) ++at_;
    if (kind == Kind::dict && !pairs && !value.items.empty()) value.kind = Kind::list;
    if (value.kind == Kind::list) value.keys.clear();
    return value;
  }

  void item(PyValue& value, Kind kind, bool& pairs) {
    const std::string_view stops = kind == Kind::dict ? ":" : kind == Kind::call ? "=" : "";
    const bool kept = nodes_ < kPyMaxNodes;  // what is beyond would cost memory as unknowns
    PyValue first = this->value(stops);
    PyValue key;
    key.kind = Kind::none;
    if (!stops.empty() && !done() && at_stop(stops)) {
      ++at_;
      pairs = true;
      key = std::move(first);
      first = this->value("");
    }
    if (!kept && !value.items.empty()) return;
    if (kind != Kind::list) value.keys.push_back(std::move(key));
    value.items.push_back(std::move(first));
  }

  std::string_view text_;
  size_t at_ = 0, depth_ = 0, nodes_ = 0;
};

}  // namespace

const PyValue* PyValue::get(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool named = keys[i].is(kind == Kind::call ? Kind::name : Kind::string);
    if (named && keys[i].text == key) return &items[i];
  }
  return nullptr;
}

PyValue read_py_value(std::string_view text) { return Reader(text).first(); }

}  // namespace ks::inductor
