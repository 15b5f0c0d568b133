#include "ir/asm_loc.h"

#include "ir/scan.h"

namespace ks::ir {
namespace {

constexpr uint64_t kMix = 0x9E3779B97F4A7C15ULL;

// "name:L:C" or "name:L"; the name may hold colons.
bool split_place(std::string_view place, std::string_view& name, uint32_t& line, uint32_t& column) {
  place = trim_end(place);
  auto take_last = [&place](uint32_t& value) {
    size_t begin = place.size();
    while (begin > 0 && is_digit(place[begin - 1])) --begin;
    if (begin == place.size() || begin == 0 || place[begin - 1] != ':') return false;
    std::string_view digits = place.substr(begin);
    take_number(digits, value);
    place = place.substr(0, begin - 1);
    return true;
  };
  column = 0;
  if (!take_last(line)) return false;
  uint32_t first = 0;
  if (take_last(first)) {
    column = line;
    line = first;
  }
  name = place;
  return !name.empty();
}

}  // namespace

size_t AsmLocations::PositionHash::operator()(const Position& p) const {
  uint64_t h = (p.file * kMix) ^ (static_cast<uint64_t>(p.line) << 32 | p.column);
  return static_cast<size_t>((h ^ (h >> 29)) * kMix >> 7);
}

bool AsmLocations::take_position(std::string_view& text, Position& position) {
  skip_blanks(text);
  if (!take_number(text, position.file)) return false;
  skip_blanks(text);
  if (!take_number(text, position.line)) return false;
  skip_blanks(text);
  take_number(text, position.column);
  return true;
}

void AsmLocations::begin_function(std::string_view name) {
  functions_.push_back({name, 0});
  current_ = kNone;
}

void AsmLocations::add_loc(std::string_view directive) {
  locs_.push_back({directive, static_cast<uint32_t>(functions_.size() - 1)});
  current_ = static_cast<uint32_t>(locs_.size() - 1);
  Function& function = functions_.back();
  if (function.file == 0) {
    skip_blanks(directive);
    take_number(directive, function.file);
  }
}

// The frames of "name:L:C @[ caller:L:C @[ ... ] ]" after the first. False: no such comment.
bool AsmLocations::add_callers(std::string_view comment, const Function& function) {
  constexpr std::string_view kInlinedAt = " @[ ";
  std::string_view name;
  uint32_t line = 0, column = 0;
  size_t at = comment.find(kInlinedAt);
  if (!split_place(comment.substr(0, at), name, line, column)) return false;
  while (at != std::string_view::npos && frames_.size() <= kMaxFramesPerChain) {
    comment.remove_prefix(at + kInlinedAt.size());
    at = comment.find(kInlinedAt);
    std::string_view place = comment.substr(0, at);
    while (!place.empty() && (place.back() == ']' || is_blank(place.back()))) {
      place.remove_suffix(1);
    }
    if (!split_place(place, name, line, column)) {
      builder_.not_understood();
      return true;
    }
    frames_.push_back({files_.find(name, function.file), line, column, 0});
  }
  return true;
}

uint32_t AsmLocations::find_earlier(const Position& position, uint32_t before) {
  for (; indexed_ < before; ++indexed_) {
    std::string_view text = locs_[indexed_].text;
    Position p;
    if (take_position(text, p)) earlier_[p] = locs_[indexed_].chain;
  }
  auto found = earlier_.find(position);
  return found == earlier_.end() ? MapBuilder::kNoChain : found->second;
}

// ", function_name LABEL, inlined_at F L C". Callers come from the comment if it has any (frames_
// holds them then), else from the .loc that first described the place of the call.
void AsmLocations::add_inlined_at(std::string_view options, uint32_t before) {
  constexpr std::string_view kFunctionName = "function_name", kInlinedAt = "inlined_at";
  size_t name_at = options.find(kFunctionName), at = options.find(kInlinedAt);
  if (name_at != std::string_view::npos) {
    std::string_view label = options.substr(name_at + kFunctionName.size());
    skip_blanks(label);
    std::string_view name = strings_.find(label.substr(0, label.find(',')));
    frames_.front().function = builder_.string(name);
  }
  if (at == std::string_view::npos) return;
  Position position;
  options.remove_prefix(at + kInlinedAt.size());
  if (!take_position(options, position)) return builder_.not_understood();
  uint32_t earlier = find_earlier(position, before);
  const Chain* chain = earlier == MapBuilder::kNoChain ? nullptr : &builder_.map().chains[earlier];
  if (frames_.size() > 1) {
    if (!chain || chain->count + 1 != frames_.size()) return;
    for (uint32_t i = 0; i < chain->count; ++i) {
      frames_[i + 1].function = builder_.map().frames[chain->first + i].function;
    }
  } else if (!chain) {
    frames_.push_back({files_.path(position.file), position.line, position.column, 0});
  } else {
    auto first = builder_.map().frames.begin() + chain->first;
    frames_.insert(frames_.end(), first, first + chain->count);
  }
}

void AsmLocations::resolve(Loc& loc) {
  Position position;
  std::string_view options = loc.text;
  if (!take_position(options, position)) return builder_.not_understood();
  if (position.line == 0) {
    loc.unknown = true;
    return;
  }
  size_t mark = options.find(comment_mark_);
  std::string_view comment;
  if (mark != std::string_view::npos) {
    comment = options.substr(mark + comment_mark_.size());
    options = options.substr(0, mark);
  }
  skip_blanks(comment);
  const Function& function = functions_[loc.function];
  frames_.assign(1, {files_.path(position.file), position.line, position.column, 0});
  bool complete = add_callers(comment, function);
  if (frames_[0].file == 0 && complete) {
    std::string_view name;
    uint32_t line = 0, column = 0;
    split_place(comment.substr(0, comment.find(" @[ ")), name, line, column);
    frames_[0].file = files_.find(name, function.file);
  }
  if (options.starts_with(',')) {
    add_inlined_at(options, static_cast<uint32_t>(&loc - locs_.data()));
    complete = true;
  }
  // Only with its callers is a chain known to end in the function around it.
  if (complete && frames_.size() <= kMaxFramesPerChain) {
    frames_.back().function = builder_.string(function.name);
  }
  loc.chain = builder_.chain(frames_);
}

void AsmLocations::finish() {
  for (Loc& loc : locs_) resolve(loc);
  const Loc none{{}, 0};
  for (const Use& use : uses_) {
    const Loc& loc = use.loc == kNone ? none : locs_[use.loc];
    builder_.code_line(use.line, {&loc.chain, 1},
                       loc.unknown ? Missing::unknown_location : Missing::unmapped);
  }
}

}  // namespace ks::ir
