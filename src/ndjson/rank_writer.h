#pragma once
// Writes the files of one rank when all of the input has been read.

#include <filesystem>

#include "base/json_writer.h"
#include "ndjson/rank_output.h"

namespace ks::ndjson {

class RankWriter {
 public:
  RankWriter(const run::Run& run, RankOutput& rank, Spool& spool, bool exact)
      : run_(run), rank_(rank), spool_(spool), exact_(exact) {}

  // Makes `folder` if needed. Returns the names of the files, with .gz, in order of first use.
  Result<std::vector<std::string>> write(const std::filesystem::path& folder);

 private:
  LineBuffer& file(const std::string& name);
  void settle_groups();
  Result<> add_stand_in(KernelOutput& kernel);
  Result<> add_kernel(KernelOutput& kernel);
  std::string launch_diff_event(const KernelOutput& kernel);
  std::string roofline_event(const KernelOutput& kernel);
  Result<> add_autotune();
  std::string occurrence();
  Result<> write_gzip(const std::filesystem::path& path, const LineBuffer& lines);

  const run::Run& run_;
  RankOutput& rank_;
  Spool& spool_;
  bool exact_;
  std::vector<std::pair<std::string, LineBuffer>> files_;
};

Result<> write_file(const std::filesystem::path& path, std::string_view bytes);  // aside, renamed

// The entry of a rank in log_file_list.json.
void append_listing(JsonWriter& w, const std::string& key, const std::vector<std::string>& files,
                    const std::string& suffix);
std::string indented(const std::string& json);  // by two spaces, as the reference has it

}  // namespace ks::ndjson
