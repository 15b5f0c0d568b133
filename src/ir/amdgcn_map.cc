// AMDGCN assembly: instructions between a function's label in a text section and its end.

#include "ir/asm_loc.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

class AmdgcnMapper {
 public:
  explicit AmdgcnMapper(std::string_view text)
      : builder_(Stage::amdgcn, text.size()), locations_(builder_, text.size(), ";"), text_(text) {}

  SourceMap run();

 private:
  void read_line(std::string_view line, uint32_t number);
  void read_directive(std::string_view line);
  void enter_section(bool is_text);

  MapBuilder builder_;
  AsmLocations locations_;
  std::string_view text_;
  bool in_text_ = true;
  bool in_body_ = false;
};

void AmdgcnMapper::enter_section(bool is_text) {
  in_text_ = is_text;
  in_body_ = false;
  locations_.end_function();
}

void AmdgcnMapper::read_directive(std::string_view line) {
  if (take(line, ".loc") && !line.empty() && is_blank(line.front())) {
    locations_.add_loc(line);
  } else if (take(line, ".file")) {
    locations_.files().read(line);
  } else if (take(line, ".section")) {
    skip_blanks(line);
    enter_section(line.starts_with(".text"));
  } else if (line.starts_with(".text")) {
    enter_section(true);
  } else if (line.starts_with(".amdgpu_metadata") || line.starts_with(".amdhsa_kernel")) {
    enter_section(false);
  } else if (line.starts_with(".Lfunc_end")) {
    enter_section(in_text_);
  }
}

void AmdgcnMapper::read_line(std::string_view line, uint32_t number) {
  bool indented = !line.empty() && is_blank(line.front());
  skip_blanks(line);
  if (line.empty()) return;
  char first = line.front();
  if (first == '.') return read_directive(line);
  if (first == ';') {
    if (line.find("-- End function") != std::string_view::npos) enter_section(in_text_);
    return;
  }
  if (!in_text_) return;
  std::string_view rest = line;
  std::string_view name = indented ? std::string_view() : take_identifier(rest);
  if (!name.empty() && rest.starts_with(':')) {
    if (!in_body_) locations_.begin_function(name);
    in_body_ = true;
  } else if (in_body_) {
    locations_.add_code(number);
  }
}

SourceMap AmdgcnMapper::run() {
  LineReader lines(text_);
  for (std::string_view line; lines.next(line);) read_line(line, lines.number());
  locations_.finish();
  return builder_.take();
}

}  // namespace

SourceMap map_amdgcn(std::string_view text) { return AmdgcnMapper(text).run(); }

}  // namespace ks::ir
