#include "cli/python_folders.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"

extern char** environ;

namespace ks::cli {
namespace {

std::string read_to_end(int file) {
  std::string text;
  char buffer[4096];
  while (text.size() < (1u << 20)) {
    const ssize_t n = read(file, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

// What the program printed; empty where it did not end well.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const bool started =
      posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = started ? read_to_end(ends[0]) : "";
  close(ends[0]);
  int status = 0;
  if (started) waitpid(child, &status, 0);
  return started && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

}  // namespace

std::vector<std::string> python_folders(const std::string& python) {
  const std::string text = output_of({python, "-c", "import sys; print('\\n'.join(sys.path))"});
  std::vector<std::string> folders;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('/')) folders.emplace_back(line);
  }
  return folders;
}

}  // namespace ks::cli
