#include "ndjson/reference_mlir.h"

#include <optional>

#include "ndjson/reference_text.h"

namespace ks::ndjson {
namespace {

enum class Form { main, main_loose, plain, named, alias, call_site };

// `#loc<id> = loc(...)` in one of the forms that the reference knows.
struct Definition {
  Form form = Form::plain;
  std::string_view id;
  std::string_view file, name;  // file: main, plain; name: named
  uint64_t line = 0, column = 0;
  std::string_view target, caller;  // ids; target is the callee of a call site
  size_t end = 0;                   // one past the definition
};

// `#loc<digits>` at `at`: sets the id and returns where it ends, or npos.
size_t read_reference(std::string_view text, size_t at, std::string_view& id) {
  if (!has_at(text, at, "#loc")) return text.npos;
  const size_t end = skip_digits(text, at + 4);
  id = text.substr(at + 4, end - at - 4);
  return end;
}

size_t read_closing(std::string_view text, size_t at) {
  at = skip_spaces(text, at);
  return has_at(text, at, ")") ? at + 1 : text.npos;
}

// `:L:C)` at `at`; returns where it ends, or npos.
size_t read_position(std::string_view text, size_t at, uint64_t& line, uint64_t& column) {
  if (!has_at(text, at, ":")) return text.npos;
  const size_t line_end = skip_digits(text, at + 1);
  if (line_end == at + 1 || !has_at(text, line_end, ":")) return text.npos;
  const size_t column_end = skip_digits(text, line_end + 1);
  if (column_end == line_end + 1 || !has_at(text, column_end, ")")) return text.npos;
  line = to_number(text.substr(at + 1, line_end - at - 1));
  column = to_number(text.substr(line_end + 1, column_end - line_end - 1));
  return column_end + 1;
}

// After `loc(`: `"F":L:C)` or `"NAME"(#locM))`. A quoted text holds no quote, so the searches of
// different definitions do not overlap and the whole scan stays linear.
std::optional<Definition> read_quoted(std::string_view text, size_t at, Definition d, bool exact) {
  const size_t quote = text.find('"', at + 1);
  if (quote == text.npos || quote == at + 1) return std::nullopt;
  const std::string_view inside = text.substr(at + 1, quote - at - 1);
  d.end = read_position(text, quote + 1, d.line, d.column);
  if (d.end != text.npos) {
    d.file = inside;
    if (!d.id.empty()) return exact ? std::optional(d) : std::nullopt;
    d.form = exact ? Form::main : Form::main_loose;
    return d;
  }
  size_t i = skip_spaces(text, quote + 1);
  if (d.id.empty() || !has_at(text, i, "(")) return std::nullopt;
  i = read_reference(text, skip_spaces(text, i + 1), d.target);
  if (i == text.npos || (i = read_closing(text, i)) == text.npos) return std::nullopt;
  if ((d.end = read_closing(text, i)) == text.npos) return std::nullopt;
  d.form = Form::named;
  d.name = inside;
  return d;
}

// After `loc(`: `#locM)` or `callsite(#locA at #locB))`.
std::optional<Definition> read_unquoted(std::string_view text, size_t at, Definition d) {
  if (d.id.empty()) return std::nullopt;
  at = skip_spaces(text, at);
  size_t i = read_reference(text, at, d.target);
  if (i != text.npos) {
    d.form = Form::alias;
    d.end = read_closing(text, i);
    return d.end == text.npos ? std::nullopt : std::optional(d);
  }
  static constexpr std::string_view kCallSite = "callsite(";
  if (!has_at(text, at, kCallSite)) return std::nullopt;
  i = read_reference(text, skip_spaces(text, at + kCallSite.size()), d.target);
  if (i == text.npos) return std::nullopt;
  const size_t word = skip_spaces(text, i);
  if (word == i || !has_at(text, word, "at")) return std::nullopt;
  const size_t caller = skip_spaces(text, word + 2);
  if (caller == word + 2) return std::nullopt;
  i = read_reference(text, caller, d.caller);
  if (i == text.npos || (i = read_closing(text, i)) == text.npos) return std::nullopt;
  d.end = read_closing(text, i);
  d.form = Form::call_site;
  return d.end == text.npos ? std::nullopt : std::optional(d);
}

// The definition that begins with the "#loc" at `at`, if it is one. White space may hold line ends.
std::optional<Definition> read_definition(std::string_view text, size_t at) {
  Definition d;
  const size_t id_end = read_reference(text, at, d.id);
  size_t i = skip_spaces(text, id_end);
  if (!has_at(text, i, "=")) return std::nullopt;
  i = skip_spaces(text, i + 1);
  if (!has_at(text, i, "loc(")) return std::nullopt;
  const bool exact = has_at(text, id_end, " = loc(");
  i += 4;
  return has_at(text, i, "\"") ? read_quoted(text, i, d, exact) : read_unquoted(text, i, d);
}

struct Location {
  std::string_view id;
  uint64_t line, column;
  std::string_view file;
  uint32_t def_line = 0;
  uint32_t detail = kNoDetail;
};

struct CodeRef {
  uint32_t text_line;
  bool direct;
  std::string_view id;    // of a reference
  std::string_view file;  // of a direct location
  uint64_t line = 0, column = 0;
};

// Insertion-ordered map from alias to target, as a Python dict keeps it.
struct Alias {
  enum State : uint8_t { fresh, walking, failed };
  std::string_view id, target;
  State state = fresh;
};

class Reader {
 public:
  Reader(std::string_view text, FileTable& files, StageMap& map)
      : text_(text), files_(files), map_(map) {}

  void run() {
    size_t offset = 0;
    for_each_line(text_, [&](uint32_t number, std::string_view line) {
      read_line(number, line, offset);
      offset += line.size() + 1;
      lines_ = number;
    });
    collect_locations();
    resolve_aliases();
    resolve_call_sites();
    attach_details();
    write_entries();
  }

 private:
  void read_line(uint32_t number, std::string_view line, size_t offset) {
    LineFirsts firsts;
    for (size_t at = line.find("#loc"); at != line.npos; at = line.find("#loc", at + 4)) {
      const std::optional<Definition> d = read_definition(text_, offset + at);
      if (!d) continue;
      take_definition(*d, offset + at);
      if (d->end <= offset + line.size()) firsts.take(*d);
    }
    take_line_firsts(firsts, number);
    read_code(number, line);
  }

  // The first definition of each form that lies within one line: a second kind of pass of the
  // reference, which settles definition lines and names.
  struct LineFirsts {
    std::optional<Definition> main, plain, named, alias, call_site;
    void take(const Definition& d) {
      std::optional<Definition>& first = d.form == Form::plain       ? plain
                                         : d.form == Form::named     ? named
                                         : d.form == Form::alias     ? alias
                                         : d.form == Form::call_site ? call_site
                                                                     : main;
      if (!first) first = d;
    }
  };

  // Matches of one pattern do not overlap: a match hides what begins inside it.
  bool claim(size_t& next, const Definition& d, size_t at) {
    if (at < next) return false;
    next = d.end;
    return true;
  }

  void take_definition(const Definition& d, size_t at) {
    if (d.form == Form::main && !main_) main_ = d;
    if (d.form == Form::plain && claim(next_plain_, d, at)) plain_.push_back(d);
    if (d.form == Form::named && claim(next_named_, d, at)) named_.push_back(d);
    if (d.form == Form::alias && claim(next_alias_, d, at)) simple_.push_back(d);
  }

  void take_line_firsts(const LineFirsts& firsts, uint32_t number) {
    if (firsts.named) {
      def_lines_.emplace_back(firsts.named->id, number);
      names_.emplace_back(firsts.named->id, firsts.named->name);
      line_aliases_.push_back(*firsts.named);
    } else if (firsts.alias) {
      def_lines_.emplace_back(firsts.alias->id, number);
      line_aliases_.push_back(*firsts.alias);
    }
    if (firsts.plain) def_lines_.emplace_back(firsts.plain->id, number);
    if (firsts.main && main_line_ == 0) main_line_ = number;
    if (firsts.call_site) call_sites_.emplace_back(*firsts.call_site, number);
  }

  // `loc(#locN)` at the end of the line, else the last `loc("F":L:C)` anywhere on it.
  void read_code(uint32_t number, std::string_view line) {
    const size_t end = skip_spaces_back(line, line.size());
    if (end > 0 && line[end - 1] == ')') {
      size_t i = end - 1;
      while (i > 0 && is_digit(line[i - 1])) --i;
      static constexpr std::string_view kUse = "loc(#loc";
      if (i >= kUse.size() && has_at(line, i - kUse.size(), kUse)) {
        // A bare #loc is looked up as "0" and so hardly ever found (BUG 6 of the reference).
        const std::string_view id = i == end - 1 ? "0" : line.substr(i, end - 1 - i);
        code_.push_back({number, false, id, {}});
        return;
      }
    }
    static constexpr std::string_view kDirect = "loc(\"";
    for (size_t at = line.rfind(kDirect); at != line.npos;
         at = at == 0 ? line.npos : line.rfind(kDirect, at - 1)) {
      const size_t begin = at + kDirect.size();
      const size_t quote = line.find('"', begin);
      CodeRef ref{number, true, {}, {}};
      if (quote == line.npos || quote == begin) continue;
      if (read_position(line, quote + 1, ref.line, ref.column) == line.npos) continue;
      ref.file = line.substr(begin, quote - begin);
      code_.push_back(ref);
      return;
    }
  }

  Location* find(std::string_view id) {
    const auto at = index_.find(id);
    return at == index_.end() ? nullptr : &locations_[at->second];
  }

  Location& add(std::string_view id, std::string_view file, uint64_t line, uint64_t column) {
    const auto [at, fresh] = index_.try_emplace(id, static_cast<uint32_t>(locations_.size()));
    if (fresh) locations_.push_back({id, line, column, file});
    Location& location = locations_[at->second];
    location.file = file;
    location.line = line;
    location.column = column;
    return location;
  }

  void collect_locations() {
    if (main_) add("", main_->file, main_->line, main_->column);
    for (const Definition& d : plain_) add(d.id, d.file, d.line, d.column);
    for (const Definition& d : named_) set_alias(d, true);
    for (const Definition& d : simple_) set_alias(d, true);
    for (const Definition& d : line_aliases_) set_alias(d, false);
  }

  void set_alias(const Definition& d, bool replace) {
    const auto [at, fresh] = alias_index_.try_emplace(d.id, static_cast<uint32_t>(aliases_.size()));
    if (fresh)
      aliases_.push_back({d.id, d.target});
    else if (replace)
      aliases_[at->second].target = d.target;
  }

  void resolve_aliases() {
    std::vector<uint32_t> chain;
    for (uint32_t i = 0; i < aliases_.size(); ++i) {
      chain.clear();
      const Location* base = walk(i, chain);
      if (!base) {
        for (uint32_t link : chain) aliases_[link].state = Alias::failed;
        continue;
      }
      const Location found = *base;
      for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
        add(aliases_[*link].id, found.file, found.line, found.column);
      }
    }
  }

  // Follows targets from alias `i`, noting the aliases passed, to a known location; null: the chain
  // ends nowhere or in itself. A chain that failed once is not walked again.
  const Location* walk(uint32_t i, std::vector<uint32_t>& chain) {
    for (;;) {
      if (const Location* known = find(aliases_[i].id)) return known;
      if (aliases_[i].state != Alias::fresh) return nullptr;
      aliases_[i].state = Alias::walking;
      chain.push_back(i);
      if (const Location* known = find(aliases_[i].target)) return known;
      const auto next = alias_index_.find(aliases_[i].target);
      if (next == alias_index_.end()) return nullptr;
      i = next->second;
    }
  }

  // In text order: a callee that is a call site must stand before (BUG 6 of the reference).
  void resolve_call_sites() {
    for (const auto& [d, number] : call_sites_) {
      if (find(d.id)) continue;
      const Location* callee = find(d.target);
      if (!callee) continue;
      const Location copy = *callee;
      Location& site = add(d.id, copy.file, copy.line, copy.column);
      site.def_line = number;
      EntryDetail& detail = detail_of(site);
      detail.is_callsite = true;
      detail.callee = d.target;
      detail.caller = d.caller;
    }
  }

  EntryDetail& detail_of(Location& location) {
    if (location.detail == kNoDetail) {
      location.detail = static_cast<uint32_t>(map_.details.size());
      map_.details.emplace_back().loc_id = location.id;
    }
    return map_.details[location.detail];
  }

  void attach_details() {
    for (const auto& [id, number] : def_lines_) {
      if (Location* location = find(id)) location->def_line = number;
    }
    for (const Alias& alias : aliases_) {
      if (Location* location = find(alias.id)) detail_of(*location).is_alias = true;
    }
    for (const auto& [id, name] : names_) {
      Location* location = find(id);
      if (!location || !alias_index_.contains(id)) continue;
      EntryDetail& detail = detail_of(*location);
      detail.has_name = true;
      detail.alias_name = name;
    }
    if (Location* main = find(""); main && main_line_ != 0) main->def_line = main_line_;
  }

  void write_entries() {
    std::vector<bool> taken(lines_ + 1);
    map_.entries.reserve(code_.size() + locations_.size());
    for (const CodeRef& ref : code_) {
      if (ref.direct) {
        map_.entries.push_back({ref.line, ref.column, ref.text_line, files_.id(ref.file)});
      } else if (const Location* l = find(ref.id)) {
        map_.entries.push_back({l->line, l->column, ref.text_line, files_.id(l->file), l->detail});
      } else {
        continue;
      }
      taken[ref.text_line] = true;
    }
    for (const Location& l : locations_) {
      if (l.def_line == 0 || taken[l.def_line]) continue;
      taken[l.def_line] = true;
      map_.entries.push_back({l.line, l.column, l.def_line, files_.id(l.file), l.detail, true});
    }
  }

  std::string_view text_;
  FileTable& files_;
  StageMap& map_;
  uint32_t lines_ = 0;

  std::optional<Definition> main_;
  uint32_t main_line_ = 0;
  size_t next_plain_ = 0, next_named_ = 0, next_alias_ = 0;
  std::vector<Definition> plain_, named_, simple_, line_aliases_;
  std::vector<std::pair<std::string_view, uint32_t>> def_lines_;
  std::vector<std::pair<std::string_view, std::string_view>> names_;
  std::vector<std::pair<Definition, uint32_t>> call_sites_;
  std::vector<CodeRef> code_;

  std::vector<Location> locations_;
  std::unordered_map<std::string_view, uint32_t> index_;
  std::vector<Alias> aliases_;
  std::unordered_map<std::string_view, uint32_t> alias_index_;
};

}  // namespace

void map_reference_mlir(std::string_view text, FileTable& files, StageMap& map) {
  // LLIR, for one, holds neither: nothing below could match.
  if (text.find("#loc") == text.npos && text.find("loc(\"") == text.npos) return;
  Reader(text, files, map).run();
}

}  // namespace ks::ndjson
