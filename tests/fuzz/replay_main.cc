// Stands in for libFuzzer's main: feeds an empty input, then every file of the named folders, to
// the fuzz target.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

int replay_folder(const std::filesystem::path& folder) {
  int count = 0;
  if (!std::filesystem::is_directory(folder)) return count;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    feed(std::string(std::istreambuf_iterator<char>(file), {}));
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  feed({});
  int count = 0;
  for (int i = 1; i < argc; ++i) count += replay_folder(argv[i]);
  std::printf("replayed %d inputs\n", count);
  return 0;
}
