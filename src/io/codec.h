#pragma once
// One compression format, one member (gzip) or frame (zstd) at a time.

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostics.h"
#include "io/input_buffer.h"

namespace ks::io {

class Codec {
 public:
  enum class Step { more, end_of_member, truncated, damaged, window_too_large };
  struct Progress {
    size_t produced;
    Step step;
  };
  struct Whole {
    size_t consumed;
    size_t produced;
  };

  virtual ~Codec() = default;

  // Bytes by which a member is looked for after damage.
  virtual std::string_view magic() const = 0;
  virtual bool starts_member(std::string_view bytes) const = 0;
  virtual Diag damage() const = 0;

  // The fast way, for small members: all of the member is in `in` and all of its data fits `out`;
  // nothing otherwise, or if its data is damaged.
  virtual std::optional<Whole> decode_whole(std::string_view in, std::span<char> out) = 0;

  // The way for all members: start(), then decode() until it says other than `more`. Bytes before
  // damage are produced.
  virtual void start() = 0;
  virtual Progress decode(InputBuffer& in, std::span<char> out) = 0;
};

std::unique_ptr<Codec> make_gzip_codec();
std::unique_ptr<Codec> make_zstd_codec();

}  // namespace ks::io
