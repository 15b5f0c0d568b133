#pragma once
// stdout is data, stderr is talk. Colour, width and progress only where a person looks.

#include <string>
#include <string_view>

#include "report/style.h"

namespace ks::cli {

// One thread.
class Terminal {
 public:
  Terminal();  // looks at the file descriptors and at NO_COLOR, COLUMNS and TERM

  void set_colour(std::string_view mode);  // auto, always, never

  // False: nobody reads any more, or the disk is full; whoever has more to print may stop.
  bool print(std::string_view text);
  void say(std::string_view text) const;
  void say_error(std::string_view message) const;  // "kernelscope: MESSAGE"
  void say_progress(std::string_view line);  // replaces the last; nothing where err is no terminal
  void end_progress();

  // Flushes stdout. An exit code: 0 also if the reader went away, 2 if the output is not whole.
  int finish();

  bool out_is_terminal() const { return out_terminal_; }
  bool err_is_terminal() const { return err_terminal_; }
  report::Style out_style() const { return {width_, colour_out_}; }
  report::Style err_style() const { return {width_, colour_err_}; }

 private:
  bool out_terminal_, err_terminal_;
  bool colour_out_ = false, colour_err_ = false;
  bool progress_shown_ = false;
  size_t width_ = 0;
  int error_ = 0;  // errno of stdout
};

}  // namespace ks::cli
