#include "run/launch_diff.h"

#include <algorithm>
#include <map>

// Every launch is of a class, and within a class only time and pointers differ. So a field is a
// column over the classes; two fields move in lock-step when they split the classes in the same
// way; and a configuration is one combination of those splits. Ranges are merged once per split,
// not once per field.

namespace ks::run {

namespace {

struct Column {
  Id path = kNone;
  std::vector<Id> values;  // per class: index of the class's value in `distinct`, or kNone
  std::vector<Id> distinct;
};

std::vector<ClassUse> user_classes(const Run& run, const Kernel& kernel) {
  std::vector<ClassUse> uses;
  for (Id g : kernel.groups) {
    const LaunchGroup& group = run.groups[g];
    for (Id id : group.classes) {
      const LaunchClass& launch_class = run.classes[id];
      if (!is_user(launch_class.kind)) continue;
      ClassUse use{id, launch_class.count, launch_class.positions};
      for (Range& r : use.positions) {
        r.start += group.position_offset;
        r.end += group.position_offset;
      }
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

// The index of `value` among the distinct ones. Mostly there are a few; `large` helps where not.
Id index_in(Column& column, Id value, std::map<Id, Id>& large) {
  constexpr size_t kFew = 16;
  std::vector<Id>& distinct = column.distinct;
  if (distinct.size() < kFew) {
    const auto found = std::find(distinct.begin(), distinct.end(), value);
    const Id index = static_cast<Id>(found - distinct.begin());
    if (found == distinct.end()) distinct.push_back(value);
    return index;
  }
  if (large.empty()) {
    for (Id i = 0; i < distinct.size(); ++i) large.emplace(distinct[i], i);
  }
  const auto [at, is_new] = large.try_emplace(value, static_cast<Id>(distinct.size()));
  if (is_new) distinct.push_back(value);
  return at->second;
}

std::vector<Column> columns_of(const Run& run, const std::vector<ClassUse>& classes) {
  std::vector<Column> columns;
  std::vector<Id> column_of(run.paths.size(), kNone);
  std::map<Id, std::map<Id, Id>> large;  // by column
  std::map<Id, Id> none;
  for (size_t c = 0; c < classes.size(); ++c) {
    for (const Part& part : run.classes[classes[c].launch_class].parts) {
      for (const Leaf& leaf : run.contents[part.content].leaves) {
        Id& at = column_of[leaf.path];
        if (at == kNone) {
          at = static_cast<Id>(columns.size());
          columns.push_back({leaf.path, std::vector<Id>(classes.size(), kNone), {}});
        }
        Column& column = columns[at];
        column.values[c] =
            index_in(column, leaf.value, column.distinct.size() < 16 ? none : large[at]);
      }
    }
  }
  return columns;
}

// Sums the classes of each index; kNone is the last entry.
std::vector<SplitPart> merge(const std::vector<ClassUse>& classes, const std::vector<Id>& split,
                             size_t distinct) {
  std::vector<SplitPart> merged(distinct + 1);
  for (size_t c = 0; c < classes.size(); ++c) {
    SplitPart& m = merged[split[c] == kNone ? distinct : split[c]];
    m.count += classes[c].count;
    m.launches.insert(m.launches.end(), classes[c].positions.begin(), classes[c].positions.end());
  }
  for (SplitPart& m : merged) m.launches = union_of(std::move(m.launches));
  return merged;
}

// The same split under any numbering: indices by first sight, absence like a value.
std::vector<Id> normalised(const std::vector<Id>& split) {
  std::vector<Id> out;
  std::map<Id, Id> index;
  out.reserve(split.size());
  for (Id v : split)
    out.push_back(index.try_emplace(v, static_cast<Id>(index.size())).first->second);
  return out;
}

bool is_configuration_field(const Path& path) {
  return !path.is_volatile && !path.is_measured && path.parts[0] != "stack" &&
         path.parts[0] != "timestamp";
}

void find_lock_steps(const Run& run, const std::vector<Column>& columns, LaunchDiff& diff,
                     std::vector<std::vector<Id>>& splits) {
  std::map<std::vector<Id>, size_t> known;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!diff.fields[i].varies || !is_configuration_field(run.paths[columns[i].path])) continue;
    diff.varying.push_back(columns[i].path);
    std::vector<Id> split = normalised(columns[i].values);
    const auto [group, added] = known.try_emplace(split, diff.lock_steps.size());
    if (added) {
      const Id highest = *std::max_element(split.begin(), split.end());
      diff.lock_steps.push_back({{}, highest + 1});
      splits.push_back(std::move(split));
    }
    diff.lock_steps[group->second].paths.push_back(columns[i].path);
  }
}

std::vector<CallSite> call_sites(const Run& run, const std::vector<ClassUse>& classes,
                                 const std::vector<size_t>& members) {
  std::vector<CallSite> sites;
  std::map<Id, size_t> known;
  for (size_t c : members) {
    const Id stack = run.classes[classes[c].launch_class].stack;
    const auto [at, added] = known.try_emplace(stack, sites.size());
    if (added) sites.push_back({stack, 0});
    sites[at->second].count += classes[c].count;
  }
  std::stable_sort(sites.begin(), sites.end(), [](auto& a, auto& b) { return a.count > b.count; });
  return sites;
}

void find_configurations(const Run& run, const std::vector<ClassUse>& classes,
                         const std::vector<Column>& columns,
                         const std::vector<std::vector<Id>>& splits, LaunchDiff& diff) {
  std::map<std::vector<Id>, size_t> known;
  std::vector<std::vector<size_t>> members;
  std::vector<Id> index_of(classes.size());
  for (size_t c = 0; c < classes.size(); ++c) {
    std::vector<Id> key;
    for (const std::vector<Id>& split : splits) key.push_back(split[c]);
    const auto [at, added] = known.try_emplace(std::move(key), members.size());
    if (added) members.emplace_back();
    members[at->second].push_back(c);
    index_of[c] = static_cast<Id>(at->second);
  }
  std::vector<SplitPart> merged = merge(classes, index_of, members.size());
  std::map<Id, const Column*> column_of;
  for (const Column& column : columns) column_of[column.path] = &column;
  for (size_t i = 0; i < members.size(); ++i) {
    Configuration configuration;
    configuration.count = merged[i].count;
    configuration.launches = std::move(merged[i].launches);
    configuration.call_sites = call_sites(run, classes, members[i]);
    for (Id path : diff.varying) {
      const Column& column = *column_of[path];
      const Id value = column.values[members[i][0]];
      configuration.values.push_back(value == kNone ? kNone : column.distinct[value]);
    }
    diff.configurations.push_back(std::move(configuration));
  }
  std::stable_sort(diff.configurations.begin(), diff.configurations.end(),
                   [](auto& a, auto& b) { return a.count > b.count; });
}

void describe_pointers(const Run& run, const Kernel& kernel, FieldDiff& field) {
  field.distinct = field.values.size();  // those in odd form
  for (Id g : kernel.groups) {
    const auto found = run.groups[g].pointers.find(field.path);
    if (found == run.groups[g].pointers.end()) continue;
    field.distinct += found->second.distinct;
    field.aligned += found->second.aligned;
  }
  field.varies |= field.distinct > 1;
}

}  // namespace

std::vector<Range> union_of(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](Range a, Range b) { return a.start < b.start; });
  std::vector<Range> out;
  for (Range r : ranges) {
    if (!out.empty() && out.back().end + 1 == r.start) {
      out.back().end = r.end;
    } else {
      out.push_back(r);
    }
  }
  return out;
}

LaunchDiff launch_diff(const Run& run, const std::vector<ClassUse>& classes) {
  const std::vector<Column> columns = columns_of(run, classes);
  LaunchDiff diff;
  for (const ClassUse& c : classes) diff.launches += c.count;

  std::map<std::vector<Id>, Id> known;  // splits
  for (const Column& column : columns) {
    const auto [split, added] =
        known.try_emplace(column.values, static_cast<Id>(diff.splits.size()));
    if (added) diff.splits.push_back(merge(classes, column.values, column.distinct.size()));
    const std::vector<SplitPart>& parts = diff.splits[split->second];
    FieldDiff field;
    field.path = column.path;
    field.distinct = column.distinct.size();
    field.present = diff.launches - parts.back().count;
    for (uint32_t i = 0; i < column.distinct.size(); ++i) {
      if (column.distinct[i] == kPointerValue) continue;
      field.values.push_back({column.distinct[i], i, parts[i].count});
    }
    if (!field.values.empty()) field.split = split->second;
    field.varies = field.distinct > 1 || field.present < diff.launches;
    diff.fields.push_back(std::move(field));
  }
  for (std::vector<SplitPart>& parts : diff.splits) parts.pop_back();  // absence is no value
  std::vector<std::vector<Id>> splits;
  find_lock_steps(run, columns, diff, splits);
  if (!classes.empty()) find_configurations(run, classes, columns, splits, diff);
  return diff;
}

LaunchDiff launch_diff(const Run& run, Id kernel_id) {
  const Kernel& kernel = run.kernels[kernel_id];
  LaunchDiff diff = launch_diff(run, user_classes(run, kernel));
  for (FieldDiff& field : diff.fields) {
    if (run.paths[field.path].is_pointer) describe_pointers(run, kernel, field);
  }
  return diff;
}

}  // namespace ks::run
