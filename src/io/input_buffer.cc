#include "io/input_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ks::io {

InputBuffer::InputBuffer(std::unique_ptr<Source> source)
    : source_(std::move(source)), bytes_(kCapacity, '\0') {}

std::string_view InputBuffer::peek(size_t want) {
  if (end_ - begin_ < want && !ended_) refill();
  return {bytes_.data() + begin_, end_ - begin_};
}

void InputBuffer::refill() {
  std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
  base_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  while (end_ < kCapacity && !ended_) {
    const Result<size_t> n = source_->read({bytes_.data() + end_, kCapacity - end_});
    if (!n) error_ = n.error();
    ended_ = !n || *n == 0;
    if (!ended_) end_ += *n;
  }
}

void InputBuffer::rewind(uint64_t offset) {
  begin_ = offset <= base_ ? 0 : std::min<size_t>(offset - base_, end_);
}

Result<size_t> InputBuffer::read(std::span<char> out) {
  if (begin_ == end_) {
    if (error_) return tl::make_unexpected(*error_);
    if (ended_) return 0;
    Result<size_t> n = source_->read(out);
    if (n) base_ += *n;
    return n;
  }
  const size_t n = std::min(out.size(), end_ - begin_);
  std::copy_n(bytes_.data() + begin_, n, out.data());
  begin_ += n;
  return n;
}

}  // namespace ks::io
