// The stream is fed one block at a time (zstd says how many bytes it wants next): given more, a
// damaged block would take the good ones before it along.

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "io/codec.h"

namespace ks::io {

namespace {

constexpr int kWindowLogMax = 27;  // 128 MiB, also the default of the zstd program
constexpr size_t kFirstBytes = 5;  // what zstd asks for first: magic and descriptor

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdCodec : public Codec {
 public:
  ZstdCodec() : context_(ZSTD_createDCtx()) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  }

  std::string_view magic() const override { return "\x28\xb5\x2f\xfd"; }
  bool starts_member(std::string_view bytes) const override {
    if (bytes.starts_with(magic())) return true;
    return bytes.size() >= 4 && (bytes[0] & 0xf0) == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18";
  }
  Diag damage() const override { return Diag::truncated_zstd; }

  std::optional<Whole> decode_whole(std::string_view in, std::span<char> out) override {
    const size_t size = ZSTD_findFrameCompressedSize(in.data(), in.size());
    if (ZSTD_isError(size)) return std::nullopt;
    const size_t produced =
        ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), in.data(), size);
    if (ZSTD_isError(produced)) return std::nullopt;
    return Whole{size, produced};
  }

  void start() override {
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    wanted_ = kFirstBytes;
  }

  Progress decode(InputBuffer& in, std::span<char> out) override {
    const size_t want = std::min(wanted_, InputBuffer::kCapacity);
    const std::string_view bytes = in.peek(want).substr(0, want);
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const size_t left = ZSTD_decompressStream(context_.get(), &to, &from);
    in.consume(from.pos);
    if (ZSTD_isError(left)) return {to.pos, step_of_error(left)};
    wanted_ = std::max<size_t>(left, 1);
    if (left == 0) return {to.pos, Step::end_of_member};
    return {to.pos, bytes.empty() && to.pos == 0 ? Step::truncated : Step::more};
  }

 private:
  static Step step_of_error(size_t code) {
    return ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge
               ? Step::window_too_large
               : Step::damaged;
  }

  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  size_t wanted_ = kFirstBytes;
};

}  // namespace

std::unique_ptr<Codec> make_zstd_codec() { return std::make_unique<ZstdCodec>(); }

}  // namespace ks::io
