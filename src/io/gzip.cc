// ISA-L streams at 2 GB/s in constant memory; libdeflate is faster by a quarter on members of some
// kilobytes, where building tables is most of the work, but wants all of a member at once.

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <limits>

#include "io/codec.h"

namespace ks::io {

namespace {

struct FreeDeflate {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

class GzipCodec : public Codec {
 public:
  GzipCodec() : whole_(libdeflate_alloc_decompressor()), stream_(new inflate_state) { start(); }

  std::string_view magic() const override { return "\x1f\x8b\x08"; }
  bool starts_member(std::string_view bytes) const override {
    return bytes.starts_with("\x1f\x8b");
  }
  Diag damage() const override { return Diag::truncated_gzip; }

  std::optional<Whole> decode_whole(std::string_view in, std::span<char> out) override {
    Whole done{};
    const auto result = libdeflate_gzip_decompress_ex(
        whole_.get(), in.data(), in.size(), out.data(), out.size(), &done.consumed, &done.produced);
    if (result != LIBDEFLATE_SUCCESS) return std::nullopt;
    return done;
  }

  void start() override {
    isal_inflate_init(stream_.get());
    stream_->crc_flag = ISAL_GZIP;
  }

  Progress decode(InputBuffer& in, std::span<char> out) override {
    const std::string_view bytes = in.peek(1);
    const auto room = std::min<size_t>(out.size(), std::numeric_limits<uint32_t>::max());
    stream_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    stream_->avail_in = static_cast<uint32_t>(bytes.size());
    stream_->next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_->avail_out = static_cast<uint32_t>(room);
    const int result = isal_inflate(stream_.get());
    in.consume(bytes.size() - stream_->avail_in);
    return {room - stream_->avail_out, step(result, bytes.empty(), room == stream_->avail_out)};
  }

 private:
  Step step(int result, bool no_input, bool no_output) const {
    if (result < 0) return Step::damaged;
    if (stream_->block_state == ISAL_BLOCK_FINISH) return Step::end_of_member;
    return no_input && no_output ? Step::truncated : Step::more;
  }

  std::unique_ptr<libdeflate_decompressor, FreeDeflate> whole_;
  std::unique_ptr<inflate_state> stream_;  // about 90 KiB
};

}  // namespace

std::unique_ptr<Codec> make_gzip_codec() { return std::make_unique<GzipCodec>(); }

}  // namespace ks::io
