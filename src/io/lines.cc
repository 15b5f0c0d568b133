// A block is filled to its target size exactly, then cut behind its last '\n'. So its bounds depend
// on the bytes alone. A block without any '\n' holds the start of one long line and grows, by half
// each time to keep copying linear and the peak low.

#include "io/lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ks::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

const char* find_line_end(const char* begin, const char* end) {
  return static_cast<const char*>(std::memchr(begin, '\n', static_cast<size_t>(end - begin)));
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Room for text; the padding comes on top.
size_t capacity(const Block& block) { return block.data.size() - Block::kPadding; }

}  // namespace

BlockReader::BlockReader(std::unique_ptr<Source> source, std::string name, const Limits& limits,
                         size_t target_block)
    : source_(std::move(source)),
      name_(std::move(name)),
      max_line_(limits.max_line),
      target_(std::max<size_t>(target_block, 4)) {}

Result<bool> BlockReader::next(Block& out) {
  start(out);
  fill(out);
  const size_t complete = complete_text(out);
  carry_.assign(out.text() + complete, out.text_size - complete);
  out.text_size = complete;
  split(out);
  offset_ = out.first_offset + complete;
  if (complete > 0 || out.diagnostics.count(Severity::data_loss) > 0) return true;
  if (error_) return tl::make_unexpected(*error_);
  return false;
}

void BlockReader::start(Block& out) {
  // A block that had grown for one line gives its memory back.
  const size_t room = std::max(target_, carry_.size() + target_ / 4);
  if (out.data.capacity() > 2 * (room + Block::kPadding)) std::string().swap(out.data);
  out.data.resize(room + Block::kPadding);
  std::copy(carry_.begin(), carry_.end(), out.data.begin());
  out.text_size = carry_.size();
  if (carry_.capacity() > 2 * target_) std::string().swap(carry_);
  out.lines.clear();
  out.first_line = line_;
  out.first_offset = offset_;
  out.last_line_unterminated = false;
  out.diagnostics = Diagnostics();
}

void BlockReader::fill(Block& out) {
  while (out.text_size < capacity(out) && !ended_) {
    Result<size_t> n =
        source_->read({out.data.data() + out.text_size, capacity(out) - out.text_size});
    if (!n) error_ = std::move(n.error());
    ended_ = !n || *n == 0;
    if (!ended_) out.text_size += *n;
  }
}

// Size of the text up to and with the last '\n', or all of it at the end of the file.
size_t BlockReader::complete_text(Block& out) {
  size_t searched = 0;
  while (true) {
    const std::string_view text(out.text(), out.text_size);
    const size_t last = text.substr(searched).rfind('\n');
    if (ended_) {
      out.last_line_unterminated = !text.empty() && text.back() != '\n';
      return text.size();
    }
    if (last != std::string_view::npos) return searched + last + 1;
    searched = text.size();
    if (text.size() > max_line_ + kByteOrderMark.size()) {
      skip_line(out);
      searched = 0;
    } else {
      grow(out);
    }
    fill(out);
  }
}

void BlockReader::grow(Block& out) const {
  // Beyond max_line + mark + 1 bytes the line is refused anyway.
  const uint64_t useful = std::max<uint64_t>(max_line_ + kByteOrderMark.size() + 1, target_);
  const size_t size = std::min<uint64_t>(capacity(out) + capacity(out) / 2 + 1, useful);
  std::string bigger(size + Block::kPadding, '\0');
  std::memcpy(bigger.data(), out.text(), out.text_size);
  out.data.swap(bigger);
}

// Drops the text and all up to the next '\n'; the block then starts behind it.
void BlockReader::skip_line(Block& out) {
  refuse_line(out);
  const char* line_end = nullptr;
  while (!line_end && !ended_) {
    out.first_offset += out.text_size;
    out.text_size = 0;
    fill(out);
    line_end = find_line_end(out.text(), out.text() + out.text_size);
  }
  const size_t dropped = line_end ? static_cast<size_t>(line_end - out.text()) + 1 : out.text_size;
  std::memmove(out.data.data(), out.text() + dropped, out.text_size - dropped);
  out.text_size -= dropped;
  out.first_offset += dropped;
  out.first_line = ++line_;
}

void BlockReader::refuse_line(Block& out) const {
  out.diagnostics.add(Diag::line_too_long, name_ + ":" + std::to_string(line_));
}

void BlockReader::split(Block& out) {
  const char* text = out.text();
  const char* end = text + out.text_size;
  const char* at = text;
  if (out.first_offset == 0 && out.view({0, out.text_size, 0}).starts_with(kByteOrderMark)) {
    out.diagnostics.add(Diag::byte_order_mark, name_);
    at += kByteOrderMark.size();
  }
  while (at < end) {
    const char* line_end = find_line_end(at, end);
    if (!line_end) line_end = end;
    add_line(out, static_cast<size_t>(at - text), static_cast<size_t>(line_end - text));
    at = line_end + 1;
    ++line_;
  }
}

void BlockReader::add_line(Block& out, size_t begin, size_t end) {
  const std::string_view line(out.text() + begin, end - begin);
  if (line.size() > max_line_) {
    refuse_line(out);
  } else if (!is_blank(line)) {
    out.lines.push_back({begin, line.size(), line_});
  }
}

}  // namespace ks::io
