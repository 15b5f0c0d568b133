#include "report/stage_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "base/text.h"
#include "report/kernel_fields.h"
#include "report/table.h"
#include "report/words.h"

namespace ks::report {
namespace {

using store::KernelSource;
using store::MapRow;
using store::StageText;

constexpr size_t kMinPanel = 44;  // columns below which two panels are worse than one

// Cuts at the end: of a line of code the start matters.
std::string clip(std::string_view text, size_t width) {
  if (width == 0 || display_width(text) <= width) return std::string(text);
  size_t bytes = 0;
  for (size_t columns = 0; columns + 1 < width; ++columns) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string untabbed(std::string_view line) {
  std::string out;
  for (const char c : line) c == '\t' ? out += "  " : out += c;
  while (!out.empty() && (out.back() == ' ' || out.back() == '\r')) out.pop_back();
  return out;
}

void cut_from(std::string& line, std::string_view mark) {
  if (const size_t at = line.rfind(mark); at != std::string::npos) line.resize(at);
}

// Where the parenthesis that opens before `at` closes, text in quotes left alone; the end if
// nowhere.
size_t closing(std::string_view text, size_t at) {
  bool quoted = false;
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

std::string without_locations(std::string_view line) {
  constexpr std::string_view kMark = " loc(";
  std::string out;
  for (size_t at = 0;;) {
    const size_t mark = line.find(kMark, at);
    out += line.substr(at, mark - at);
    if (mark == line.npos) return out;
    at = closing(line, mark + kMark.size());
  }
}

bool is_mlir(std::string_view stage) {
  return stage == "ttir" || stage == "ttgir" || stage == "ttadapter" || stage == "bcmlir";
}

// Reads a stage line by line; some lines are hidden because of those before.
class Reader {
 public:
  explicit Reader(std::string_view stage) : stage_(stage) {}

  std::optional<std::string> read(std::string_view raw) {
    std::string line = untabbed(raw);
    const std::string_view text = trim(line);
    if (is_mlir(stage_))
      return text.starts_with("#loc") ? std::nullopt : std::optional(without_locations(line));
    if (stage_ == "llir") return text.starts_with('!') ? std::nullopt : llir(std::move(line));
    if (is_hidden_assembly(text)) return std::nullopt;
    return line;
  }

 private:
  static std::optional<std::string> llir(std::string line) {
    cut_from(line, ", !dbg !");
    return line;
  }

  bool is_hidden_assembly(std::string_view text) {
    if (text.starts_with(".section")) in_debug_ = text.find("debug") != std::string_view::npos;
    if (text.starts_with(".text")) in_debug_ = false;
    const bool hidden = in_debug_ || text.starts_with(".loc") || text.starts_with(".file") ||
                        text.starts_with("//##") || text.starts_with("$L__tmp") ||
                        text.starts_with(".Ltmp");
    if (text == "}") in_debug_ = false;  // PTX has its sections in braces
    return hidden;
  }

  std::string_view stage_;
  bool in_debug_ = false;
};

bool same_file(const std::string& a, const KernelSource& source) {
  return source.file.empty() || base_name(a) == base_name(source.file);
}

// The lines of the kernel's source file that a row names: of the kernel's body, and of where the
// operation was written if that is in the same file.
std::set<int64_t> own_lines(const MapRow& row, const KernelSource& source) {
  std::set<int64_t> lines;
  if (row.kernel_line.value_or(0) > 0 && same_file(row.kernel_file, source))
    lines.insert(*row.kernel_line);
  if (row.source_line.value_or(0) > 0 && same_file(row.source_file, source))
    lines.insert(*row.source_line);
  return lines;
}

std::string origin(const MapRow& row) {
  const bool inlined = row.source_line != row.kernel_line || row.source_file != row.kernel_file;
  const std::string own =
      row.kernel_line.value_or(0) > 0 ? fmt::format("{}", *row.kernel_line) : "";
  if (!inlined || !row.source_line) return own;
  return fmt::format("{} {}:{}", own, base_name(row.source_file), *row.source_line);
}

std::map<uint64_t, std::string> margins(const StageText& stage) {
  std::map<uint64_t, std::string> found;
  for (const MapRow& row : stage.map) found.try_emplace(row.line, origin(row));
  return found;
}

std::map<int64_t, std::vector<uint64_t>> by_source_line(const StageText& stage,
                                                        const KernelSource& source) {
  std::map<int64_t, std::vector<uint64_t>> found;
  for (const MapRow& row : stage.map) {
    for (const int64_t line : own_lines(row, source)) {
      std::vector<uint64_t>& lines = found[line];
      if (lines.empty() || lines.back() != row.line) lines.push_back(row.line);
    }
  }
  return found;
}

// A stage made ready for showing parts of it.
struct Prepared {
  std::string name;
  std::vector<std::optional<std::string>> lines;
  std::map<int64_t, std::vector<uint64_t>> by_line;
};

Prepared prepare(const StageText& stage, const KernelSource& source) {
  return {stage.artifact.stage, readable_lines(stage.artifact.stage, stage.text),
          by_source_line(stage, source)};
}

std::string text_of(const Prepared& stage, uint64_t line) {
  if (line == 0 || line > stage.lines.size() || !stage.lines[line - 1]) return "";
  return printable(trim(*stage.lines[line - 1]));
}

std::vector<std::string> panel(const Prepared& stage, int64_t source_line, uint64_t limit,
                               size_t width, const Style& style) {
  const auto found = stage.by_line.find(source_line);
  const size_t count = found == stage.by_line.end() ? 0 : found->second.size();
  std::vector<std::string> out = {bold(
      fit(fmt::format("{} ({})", stage.name, count ? plural(count, "line") : "nothing"), width),
      style)};
  for (size_t i = 0; i < count; ++i) {
    if (limit > 0 && i == limit) {
      out.push_back(fit(fmt::format("       … {} more: --all", count - limit), width));
      break;
    }
    const uint64_t line = found->second[i];
    out.push_back(fit(clip(fmt::format("{:>6} {}", line, text_of(stage, line)), width), width));
  }
  return out;
}

// Panels of equal width next to each other, as many as fit; the others below.
std::string panels(const std::vector<Prepared>& stages, int64_t source_line, uint64_t limit,
                   const Style& style) {
  const size_t total = style.width ? style.width : 120;
  const size_t across = std::clamp<size_t>(total / kMinPanel, 1, stages.size());
  const size_t width = (total - 3 * (across - 1)) / across;
  std::string out;
  for (size_t first = 0; first < stages.size(); first += across) {
    std::vector<std::vector<std::string>> band;
    size_t height = 0;
    for (size_t s = first; s < std::min(first + across, stages.size()); ++s) {
      band.push_back(panel(stages[s], source_line, limit, width, style));
      height = std::max(height, band.back().size());
    }
    for (size_t row = 0; row < height; ++row) {
      std::string line;
      for (size_t s = 0; s < band.size(); ++s) {
        if (s > 0) line += " │ ";
        line += row < band[s].size() ? band[s][row] : std::string(width, ' ');
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
  }
  return out;
}

std::string python_line(const KernelSource& source, int64_t line) {
  const std::vector<std::string_view> lines = split(source.text, '\n');
  const int64_t index = line - source.start_line;
  if (index < 0 || index >= static_cast<int64_t>(lines.size())) return "";
  return std::string(trim(lines[static_cast<size_t>(index)]));
}

std::string line_title(const KernelSource& source, int64_t line, const Style& style) {
  const std::string place =
      fmt::format("{}:{}", source.file.empty() ? "line" : base_name(source.file), line);
  return bold(printable(place), style) + "   " +
         clip(printable(python_line(source, line)),
              style.width > place.size() + 3 ? style.width - place.size() - 3 : 0) +
         '\n';
}

void append_stage(JsonWriter& json, const StageText& stage, const KernelSource& source,
                  const std::set<int64_t>& only) {
  const auto wanted = [&](const MapRow& row) {
    const std::set<int64_t> own = own_lines(row, source);
    return only.empty() ||
           std::any_of(own.begin(), own.end(), [&](int64_t line) { return only.contains(line); });
  };
  const std::vector<std::string_view> lines = split(stage.text, '\n');
  json.begin_object().field("stage", stage.artifact.stage).field("name", stage.artifact.name);
  if (only.empty()) json.field("text", stage.text);
  json.key("lines").begin_array();
  for (const MapRow& row : stage.map) {
    if (!wanted(row)) continue;
    json.begin_object().field("line", row.line);
    if (!only.empty() && row.line <= lines.size()) json.field("text", lines[row.line - 1]);
    json.field("source_file", row.source_file).field("source_line", row.source_line.value_or(0));
    json.field("kernel_file", row.kernel_file).field("kernel_line", row.kernel_line.value_or(0));
    json.field("inferred", row.inferred).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::vector<std::optional<std::string>> readable_lines(std::string_view stage,
                                                       std::string_view text) {
  std::vector<std::optional<std::string>> lines;
  Reader reader(stage);
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string_view line : split(text, '\n')) lines.push_back(reader.read(line));
  return lines;
}

std::vector<uint64_t> lines_of(const StageText& stage, const KernelSource& source,
                               int64_t source_line) {
  const auto all = by_source_line(stage, source);
  const auto found = all.find(source_line);
  return found == all.end() ? std::vector<uint64_t>() : found->second;
}

std::vector<int64_t> source_lines(const std::vector<StageText>& stages,
                                  const KernelSource& source) {
  std::set<int64_t> lines;
  for (const StageText& stage : stages) {
    for (const MapRow& row : stage.map) lines.merge(own_lines(row, source));
  }
  return {lines.begin(), lines.end()};
}

std::string stage_listing(const StageText& stage, const KernelSource& source, const Style& style) {
  const auto lines = readable_lines(stage.artifact.stage, stage.text);
  const auto origins = margins(stage);
  size_t margin = 0, hidden = 0;
  for (const auto& [line, text] : origins) margin = std::max(margin, display_width(text));
  margin = std::clamp<size_t>(margin, 6, 30);
  std::string out = dim(fmt::format("{:>6} │ {} │ {}", "line", fit("source", margin),
                                    printable(base_name(source.file))),
                        style) +
                    '\n';
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i]) {
      ++hidden;
      continue;
    }
    const auto found = origins.find(i + 1);
    const std::string place = found == origins.end() ? "" : printable(found->second);
    const std::string head = fmt::format("{:>6} │ {} │ ", i + 1, fit(place, margin));
    const size_t left = style.width > margin + 30 ? style.width - display_width(head) : 0;
    out += dim(head, style) + clip(printable(*lines[i]), left) + '\n';
  }
  if (hidden)
    out += dim(fmt::format("({} of locations and debug data not shown: --raw has all)",
                           plural(hidden, "line")),
               style) +
           '\n';
  return out;
}

std::string side_by_side(const std::vector<StageText>& stages, const KernelSource& source,
                         const std::vector<int64_t>& lines, uint64_t limit, const Style& style) {
  std::vector<Prepared> prepared;
  for (const StageText& stage : stages) prepared.push_back(prepare(stage, source));
  if (prepared.empty()) return "";
  std::string out;
  for (const int64_t line : lines) {
    if (!out.empty()) out += '\n';
    out += line_title(source, line, style) + panels(prepared, line, limit, style);
  }
  return out;
}

std::string stages_json(const store::KernelRow& kernel, const std::vector<StageText>& stages,
                        const KernelSource& source, const std::vector<int64_t>& lines) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema_version", 1).key("kernel");
  append_kernel(json, kernel);
  if (lines.size() == 1) {
    json.field("source_line", lines[0]).field("source_text", python_line(source, lines[0]));
  } else if (!lines.empty()) {
    json.key("source_lines").begin_array();
    for (const int64_t line : lines) {
      json.begin_object().field("line", line).field("text", python_line(source, line)).end_object();
    }
    json.end_array();
  }
  json.key("stages").begin_array();
  const std::set<int64_t> only(lines.begin(), lines.end());
  for (const StageText& stage : stages) append_stage(json, stage, source, only);
  json.end_array().end_object();
  return out + '\n';
}

}  // namespace ks::report
