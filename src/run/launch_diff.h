#pragma once
// What is the same and what differs between the launches of a kernel.
//
// Two views of one thing. Fields: each flattened field of the launch record with its distinct
// values, how often and at which launches. Configurations: fields that vary together are one fact,
// so the distinct combinations of all varying fields, most frequent first, and the groups of fields
// that move in lock-step. Computed from launch classes, so the cost follows distinct launches.

#include "run/run.h"

namespace ks::run {

struct FieldValue {
  Id value = kNone;   // into Run::values
  uint32_t part = 0;  // of the field's split
  uint64_t count = 0;
};

// The launches that have one value of a field. Fields that vary together share a split.
struct SplitPart {
  uint64_t count = 0;
  std::vector<Range> launches;  // positions among the launches that are compared
};

struct FieldDiff {
  Id path = kNone;
  uint64_t present = 0;            // launches that have the field
  uint64_t distinct = 0;           // values, absence not counted
  std::vector<FieldValue> values;  // in order of first sight, without absence; empty for pointers
  Id split = kNone;                // into LaunchDiff::splits; kNone where `values` is empty
  uint64_t aligned = 0;            // pointers: launches where it is divisible by 16
  bool varies = false;             // more than one value, or absent in some launches
};

struct LockStep {
  std::vector<Id> paths;  // fields that move together, in order of first sight
  uint32_t distinct = 0;  // combinations
};

struct CallSite {
  Id stack = kNone;
  uint64_t count = 0;
};

struct Configuration {
  uint64_t count = 0;
  std::vector<Range> launches;
  std::vector<CallSite> call_sites;  // most frequent first
  std::vector<Id> values;            // of LaunchDiff::varying; kNone: absent
};

struct LaunchDiff {
  uint64_t launches = 0;          // user launches
  std::vector<FieldDiff> fields;  // in order of first sight
  std::vector<std::vector<SplitPart>> splits;
  const std::vector<Range>& launches_of(const FieldDiff& field, const FieldValue& value) const {
    return splits[field.split][value.part].launches;
  }
  std::vector<LockStep> lock_steps;  // of the varying fields, by first sight
  // Paths of all varying fields that are neither volatile nor measured nor the stack, in the order
  // of `fields`.
  std::vector<Id> varying;
  // Most frequent first, then by first launch; one without values where nothing varies.
  std::vector<Configuration> configurations;
};

// The launches of a class, numbered in whatever list of launches is looked at.
struct ClassUse {
  Id launch_class = kNone;
  uint64_t count = 0;
  std::vector<Range> positions;
};

// Over the given launches, classes in order of first launch. What pointers did is the caller's to
// know: their FieldDiff says only whether they are there. Pure.
LaunchDiff launch_diff(const Run& run, const std::vector<ClassUse>& uses);

// Sorts and joins ranges that touch.
std::vector<Range> union_of(std::vector<Range> ranges);

// Over the user launches of the kernel. Pure.
LaunchDiff launch_diff(const Run& run, Id kernel);

}  // namespace ks::run
