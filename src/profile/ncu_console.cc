#include "profile/ncu_console.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "profile/ncu_messages.h"

namespace ks::profile {
namespace {

constexpr size_t kMaxEntries = 200'000;  // of each list: a hostile log must not fill the memory
constexpr size_t kMaxText = 400;         // bytes of a message that are kept
constexpr size_t kMaxNotes = 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

size_t digits_before(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return begin;
}

// The number that ends at `end`; what stands before it does not matter ("100%0.124").
std::optional<double> number_before(std::string_view text, size_t end) {
  const std::string_view before = text.substr(0, end);
  size_t begin = digits_before(text, end);
  if (begin == end && (before.ends_with("inf") || before.ends_with("nan"))) {
    begin = end - 3;
  } else if (begin == end) {
    return std::nullopt;
  } else if (begin > 1 && text[begin - 1] == '.' && is_digit(text[begin - 2])) {
    begin = digits_before(text, begin - 1);
  }
  if (begin > 0 && text[begin - 1] == '-') --begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
  if (error != std::errc() || stop != text.data() + end) return std::nullopt;
  return value;
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
}

bool skip_number(std::string_view& text) {
  const size_t size = text.size();
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + size, ignored);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool skip_text(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

bool gigabytes_follow(std::string_view text) {
  if (text.empty() || !is_blank(text[0])) return false;
  skip_blanks(text);
  if (!skip_number(text)) return false;
  skip_blanks(text);
  if (!skip_text(text, "GB")) return false;
  skip_blanks(text);
  return skip_number(text) && skip_text(text, "GB/s");
}

std::string cut(std::string_view text) { return std::string(trim(text).substr(0, kMaxText)); }

// " - 38 passes", " - 1 pass"
int64_t passes_in(std::string_view line) {
  const size_t word = line.rfind(" pass");
  if (word == std::string_view::npos) return 0;
  const size_t begin = digits_before(line, word);
  if (begin < 2 || line.substr(begin - 2, 2) != "- ") return 0;
  int64_t passes = 0;
  std::from_chars(line.data() + begin, line.data() + word, passes);
  return passes;
}

// "ModuleNotFoundError: No module named 'torch'", the end of a Python traceback.
bool is_exception(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon > 100 || line.find(' ') < colon) return false;
  const std::string_view name = line.substr(0, colon);
  return name.ends_with("Error") || name.ends_with("Exception");
}

}  // namespace

std::vector<double> harness_times(std::string_view line) {
  std::vector<double> out;
  for (size_t at = line.find("ms"); at != std::string_view::npos; at = line.find("ms", at + 2)) {
    if (!gigabytes_follow(line.substr(at + 2))) continue;
    if (const auto ms = number_before(line, at)) out.push_back(*ms);
  }
  return out;
}

std::string without_colours(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      out += line[i];
      continue;
    }
    if (i + 1 >= line.size() || line[i + 1] != '[') continue;
    i += 2;  // parameters, then one letter
    while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
  }
  return out;
}

void Console::add(std::string_view line) {
  if (line.find('\x1b') == std::string_view::npos) {
    add_clean(line);
  } else {
    add_clean(without_colours(line));
  }
}

void Console::add_clean(std::string_view line) {
  if (line.empty()) return;
  if (line.find("GB/s") != std::string_view::npos && harness_ms_.size() < kMaxEntries) {
    std::ranges::copy(harness_times(line), std::back_inserter(harness_ms_));
  }
  if (!profiled_.empty() && profiled_.back().passes == 0) profiled_.back().passes = passes_in(line);
  if (is_exception(line)) exception_ = cut(line);
  if (line.find("==") == std::string_view::npos && line.find("rofil") == std::string_view::npos &&
      line.find("Nsight") == std::string_view::npos) {
    return;
  }
  spoke_ |= line.find("==PROF==") != std::string_view::npos ||
            line.find("==ERROR==") != std::string_view::npos ||
            line.find("==WARNING==") != std::string_view::npos;
  add_profiled(line);
  add_failure(line);
  unmodified_clocks_ |= says_unmodified_clocks(line);
  if (is_notable_warning(line) && notes_.size() < kMaxNotes) notes_.push_back(cut(line));
  saved_memory_ |= line.find("Backing up device memory") != std::string_view::npos;
}

void Console::add_profiled(std::string_view line) {
  constexpr std::string_view kStart = "==PROF== Profiling \"";
  const size_t at = line.find(kStart);
  if (at == std::string_view::npos || profiled_.size() >= kMaxEntries) return;
  std::string_view rest = line.substr(at + kStart.size());
  const size_t quote = rest.find('"');
  if (quote == std::string_view::npos) return;
  const std::string_view name = rest.substr(0, std::min(quote, kMaxText));
  profiled_.push_back({std::string(name), passes_in(rest.substr(quote))});
}

void Console::add_failure(std::string_view line) {
  const std::optional<ToolFailure> found = tool_failure(line);
  if (!found || found->weight <= weight_) return;
  failure_ = found->status;
  // The save that precedes a replay failed: the error itself does not say so.
  if (saved_memory_ && line.find("UnknownError") != std::string_view::npos) {
    failure_ = Status::out_of_memory;
  }
  weight_ = found->weight;
  failure_text_ = cut(line);
}

void Console::move_into(NcuLog& log) {
  log.failure = failure_;
  log.failure_text = std::move(failure_text_);
  if (failure_ == Status::kernel_error && !exception_.empty()) {
    log.failure_text += " (" + exception_ + ")";
  }
  log.harness_ms = std::move(harness_ms_);
  std::ranges::move(notes_, std::back_inserter(log.notes));
}

}  // namespace ks::profile
