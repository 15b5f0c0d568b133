#pragma once
// What a report's blocks say about tool, machine and devices.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/measurement.h"
#include "profile/protobuf_wire.h"

namespace ks::profile {

// A value message: 1 text, 2 float, 3 double, 4 uint32, 5 uint64.
struct RepValue {
  bool is_text = false;
  std::string_view text;
  double number = 0;
};
std::optional<RepValue> read_rep_value(std::string_view message);

struct RepDevice {
  std::string_view name;
  std::vector<std::pair<std::string_view, double>> attributes;
};

// Views into the report's bytes.
struct RepSession {
  std::string_view tool, cuda, command_line;
  std::map<uint64_t, RepDevice> devices;

  // SessionDetails, of which a report has many, each with one field.
  void add(std::string_view details);
  // --cache-control and --clock-control, or ncu's defaults for them where the line is ncu's.
  void fill(Circumstances& circumstances) const;

 private:
  void add_fact(std::string_view fact);
  void add_device(std::string_view message);
};

}  // namespace ks::profile
