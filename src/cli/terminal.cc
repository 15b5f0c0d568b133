#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ks::cli {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

// 0: no terminal and no wish.
size_t find_width(bool out_terminal) {
  if (is_set("COLUMNS")) {
    const long columns = std::strtol(std::getenv("COLUMNS"), nullptr, 10);
    if (columns >= 20) return static_cast<size_t>(columns);
  }
  winsize size{};
  if (!out_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col >= 20 ? size.ws_col : 80;
}

bool colour_wanted(bool terminal) {
  const char* term = std::getenv("TERM");
  return terminal && !is_set("NO_COLOR") && term && std::strcmp(term, "dumb") != 0;
}

}  // namespace

Terminal::Terminal() : out_terminal_(isatty(STDOUT_FILENO)), err_terminal_(isatty(STDERR_FILENO)) {
  std::signal(SIGPIPE, SIG_IGN);  // print() sees EPIPE instead
  width_ = find_width(out_terminal_);
  set_colour("auto");
}

void Terminal::set_colour(std::string_view mode) {
  colour_out_ = mode == "always" || (mode == "auto" && colour_wanted(out_terminal_));
  colour_err_ = mode == "always" || (mode == "auto" && colour_wanted(err_terminal_));
}

bool Terminal::print(std::string_view text) {
  if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    error_ = errno;
  }
  return error_ == 0;
}

void Terminal::say(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Terminal::say_error(std::string_view message) const {
  while (message.ends_with('\n')) message.remove_suffix(1);
  say("kernelscope: " + std::string(message) + '\n');
}

void Terminal::say_progress(std::string_view line) {
  if (!err_terminal_) return;
  say("\r\x1b[K" + std::string(line));
  std::fflush(stderr);
  progress_shown_ = true;
}

void Terminal::end_progress() {
  if (progress_shown_) say("\r\x1b[K");
  progress_shown_ = false;
}

int Terminal::finish() {
  if (std::fflush(stdout) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 || error_ == EPIPE) return 0;
  say_error(std::string("the output could not be written: ") + std::strerror(error_));
  return 2;
}

}  // namespace ks::cli
