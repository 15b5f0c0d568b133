#include "profile/ncu_log.h"

#include "profile/ncu_csv.h"
#include "profile/ncu_rep.h"
#include "profile/ncu_text.h"
#include "profile/whole_file.h"

namespace ks::profile {

Result<NcuLog> read_ncu_log(std::string_view bytes) {
  if (bytes.size() > kMaxLogBytes) {
    return fail(ErrorKind::limit, "the log is larger than 1 GiB");
  }
  if (is_compressed(bytes)) {  // .ncu-repz, or a log that was compressed to be kept
    Result<WholeFile> plain = read_whole(io::from_memory(std::string(bytes)), "log");
    if (!plain) return tl::make_unexpected(plain.error());
    if (is_compressed(plain->bytes)) {
      return fail(ErrorKind::unsupported, "the log is compressed more than twice");
    }
    Result<NcuLog> log = read_ncu_log(plain->bytes);
    if (log && plain->damaged) log->notes.emplace_back("the compressed log is cut or damaged");
    return log;
  }
  if (is_ncu_rep(bytes)) return read_ncu_rep(bytes);
  return find_ncu_csv(bytes) ? read_ncu_csv(bytes) : read_ncu_text(bytes);
}

}  // namespace ks::profile
