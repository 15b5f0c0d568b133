// The bytes of a compressed file, member by member. At each member's start its first bytes tell the
// format. A file of one member per record is read with the codecs' fast way, one call a member; the
// first member that is too large for it and those after it are streamed, until a small one comes.

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/codec.h"
#include "io/input_buffer.h"
#include "io/source.h"

namespace ks::io {

namespace {

constexpr size_t kSmallInput = 64U << 10;  // members below both sizes take the fast way
constexpr size_t kSmallOutput = 256U << 10;
constexpr uint64_t kFreeOutput = 16U << 20;  // decoded bytes before expansion is looked at
constexpr unsigned kMaxDamage = 1000;        // places in one file; bounds the time for searching

class Members : public Source {
 public:
  // `counted` is the input whose bytes count for the expansion; null: this one's.
  Members(std::unique_ptr<Source> source, const Limits& limits, std::string name,
          Diagnostics& diagnostics, const InputBuffer* counted)
      : input_(std::move(source)),
        counted_(counted ? counted : &input_),
        limits_(limits),
        name_(std::move(name)),
        diagnostics_(diagnostics) {}

  const InputBuffer& input() const { return input_; }

  Result<size_t> read(std::span<char> out) override {
    size_t n = take_ready(out);
    while (n == 0 && state_ != State::ended) {
      if (state_ == State::plain) return input_.read(out);
      n = state_ == State::between ? begin_member(out) : go_on(out);
      if (n == 0) n = take_ready(out);
    }
    if (n == 0 && input_.error()) return tl::make_unexpected(*input_.error());
    return n;
  }

 private:
  enum class State { between, inside, plain, ended };

  size_t take_ready(std::span<char> out) {
    const size_t n = std::min(out.size(), ready_end_ - ready_begin_);
    std::memcpy(out.data(), ready_.data() + ready_begin_, n);
    ready_begin_ += n;
    return n;
  }

  Codec* codec_for(std::string_view bytes) {
    if (!gzip_) gzip_ = make_gzip_codec();
    if (gzip_->starts_member(bytes)) return gzip_.get();
    if (!zstd_) zstd_ = make_zstd_codec();
    return zstd_->starts_member(bytes) ? zstd_.get() : nullptr;
  }

  size_t begin_member(std::span<char> out) {
    const std::string_view bytes = input_.peek(kSmallInput);
    member_start_ = input_.offset();
    member_out_ = 0;
    if (bytes.empty() && member_start_ > 0) return end();
    Codec* codec = codec_for(bytes);
    if (!codec) {
      if (member_start_ > 0) return skip_garbage(bytes);
      state_ = State::plain;
      return 0;
    }
    codec_ = codec;
    if (small_) {
      if (const auto n = whole_member(bytes, out)) return *n;
    }
    codec_->start();
    state_ = State::inside;
    return 0;
  }

  // Straight into `out` if it is large enough, else aside.
  std::optional<size_t> whole_member(std::string_view bytes, std::span<char> out) {
    const bool aside = out.size() < kSmallOutput;
    if (aside && ready_.empty()) ready_.resize(kSmallOutput);
    const std::span<char> to = aside ? std::span<char>(ready_) : out.first(kSmallOutput);
    const auto done = codec_->decode_whole(bytes, to);
    if (!done) return std::nullopt;
    input_.consume(done->consumed);
    const size_t n = within_limits(done->produced);
    if (!aside) return n;
    ready_begin_ = 0;
    ready_end_ = n;
    return 0;
  }

  size_t go_on(std::span<char> out) {
    const auto [produced, step] = codec_->decode(input_, out);
    const size_t n = within_limits(produced);
    if (state_ == State::ended) return n;
    switch (step) {
      case Codec::Step::more:
        break;
      case Codec::Step::end_of_member:
        finish_member();
        break;
      case Codec::Step::window_too_large:
        add(Diag::member_too_large);
        end();
        break;
      case Codec::Step::truncated:
      case Codec::Step::damaged:
        lose_member();
        break;
    }
    return n;
  }

  void finish_member() {
    small_ = input_.offset() - member_start_ <= kSmallInput && member_out_ <= kSmallOutput;
    state_ = State::between;
  }

  void lose_member() {
    if (!input_.error()) add_damage();
    input_.rewind(member_start_ + 1);
    if (input_.error() || !find_member()) end();
  }

  // Bytes between or after members that start none.
  size_t skip_garbage(std::string_view bytes) {
    const bool cut = codec_->magic().starts_with(bytes);
    const bool found = !cut && find_member();
    if (!input_.error() || found) add(cut || found ? codec_->damage() : Diag::trailing_garbage);
    return found ? 0 : end();
  }

  // Goes to the next member of the same format that decodes whole. A '\n' comes before its data,
  // so that the record that was cut does not take this one along.
  bool find_member() {
    const std::string_view magic = codec_->magic();
    if (ready_.empty()) ready_.resize(kSmallOutput);
    while (damage_ < kMaxDamage) {
      const std::string_view bytes = input_.peek(magic.size());
      const size_t at = bytes.find(magic);
      if (at == std::string_view::npos) {
        if (bytes.size() < magic.size()) return false;
        input_.consume(bytes.size() - magic.size() + 1);
        continue;
      }
      input_.consume(at);
      if (codec_->decode_whole(input_.peek(InputBuffer::kCapacity), ready_)) {
        resume();
        return true;
      }
      input_.consume(1);
      ++damage_;
    }
    return false;
  }

  void resume() {
    ++damage_;
    small_ = true;
    state_ = State::between;
    ready_[0] = '\n';
    ready_begin_ = 0;
    ready_end_ = 1;
  }

  // How many of `produced` bytes may be given out; ends the file at a limit.
  size_t within_limits(size_t produced) {
    member_out_ += produced;
    total_out_ += produced;
    if (member_out_ > limits_.max_member) {
      add(Diag::member_too_large);
      end();
      return produced - std::min<uint64_t>(produced, member_out_ - limits_.max_member);
    }
    const uint64_t expansion = std::max<uint64_t>(limits_.max_expansion, 1);
    if (total_out_ > kFreeOutput && total_out_ / expansion > counted_->bytes_read()) {
      add(Diag::expansion_too_large);
      end();
    }
    return produced;
  }

  void add(Diag diag) { diagnostics_.add(diag, name_ + ": byte " + std::to_string(member_start_)); }

  // Where the input ended or made no sense, not only where the member began: a file of one member
  // begins at byte 0 wherever it is cut.
  void add_damage() {
    diagnostics_.add(codec_->damage(), name_ + ": byte " + std::to_string(input_.offset()) +
                                           " (member from byte " + std::to_string(member_start_) +
                                           "; " + std::to_string(member_out_) +
                                           " bytes of it decoded)");
  }

  size_t end() {
    state_ = State::ended;
    return 0;
  }

  InputBuffer input_;
  const InputBuffer* counted_;
  Limits limits_;
  std::string name_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Codec> gzip_;
  std::unique_ptr<Codec> zstd_;
  Codec* codec_ = nullptr;  // of the last member
  State state_ = State::between;
  bool small_ = true;
  uint64_t member_start_ = 0;
  uint64_t member_out_ = 0;
  uint64_t total_out_ = 0;
  unsigned damage_ = 0;
  std::string ready_;  // decoded bytes that did not fit the caller's buffer
  size_t ready_begin_ = 0;
  size_t ready_end_ = 0;
};

}  // namespace

std::unique_ptr<Source> decoded(std::unique_ptr<Source> source, const Limits& limits,
                                std::string name, Diagnostics& diagnostics) {
  auto outer = std::make_unique<Members>(std::move(source), limits, name, diagnostics, nullptr);
  const InputBuffer* counted = &outer->input();
  return std::make_unique<Members>(std::move(outer), limits, std::move(name), diagnostics, counted);
}

}  // namespace ks::io
