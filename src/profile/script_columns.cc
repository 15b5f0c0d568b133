#include "profile/script_columns.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace ks::profile {
namespace {

// The script computes with the number that ncu printed, in the unit that ncu printed it in: 2.01 ms
// is 2.01 * 1000 us, one bit off 2010. A value of at most two decimals in that unit is such a one;
// others (from CUPTI, a report) are divided directly.
double in_script_unit(double base, double unit, double to_script) {
  const double printed = base / unit;
  const double hundredths = printed * 100;
  if (to_script > 1 && std::abs(hundredths - std::round(hundredths)) < 1e-6) {
    return std::round(hundredths) / 100 * to_script;
  }
  return base / (unit / to_script);
}

double script_microseconds(double ns) {
  if (ns >= 1e9) return in_script_unit(ns, 1e9, 1e6);
  if (ns >= 1e6) return in_script_unit(ns, 1e6, 1e3);
  return ns / 1e3;
}

double script_gigabytes(double bytes) {
  return bytes >= 1e12 ? in_script_unit(bytes, 1e12, 1e3) : bytes / 1e9;
}

std::optional<double> bandwidth(const Measurement& m, double ns) {
  if (const auto rate = m.metric("dram__bytes.sum.per_second")) return script_gigabytes(*rate);
  const auto read = m.metric("dram__bytes_read.sum");
  const auto write = m.metric("dram__bytes_write.sum");
  const auto all = read && write ? std::optional(*read + *write) : m.metric("dram__bytes.sum");
  return all && ns > 0 ? std::optional(*all / ns) : std::nullopt;  // bytes/ns are GB/s
}

}  // namespace

std::string python_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[400];
  char* end = std::to_chars(text, std::end(text), value, std::chars_format::scientific).ptr;
  const std::string scientific(text, end);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (value != 0 && (exponent < -4 || exponent >= 16)) return scientific;
  end = std::to_chars(text, std::end(text), value, std::chars_format::fixed).ptr;
  std::string fixed(text, end);
  if (fixed.find('.') == std::string::npos) fixed += ".0";
  return fixed;
}

std::array<std::string, 4> script_columns(const Measurement& measurement) {
  std::array<std::string, 4> cells;
  if (measurement.latency_us) cells[0] = python_float(*measurement.latency_us);
  const std::optional<double> ns = measurement.metric("gpu__time_duration.sum");
  if (!ns) return cells;
  const double microseconds = script_microseconds(*ns);
  cells[1] = python_float(microseconds);
  if (const auto gbps = bandwidth(measurement, *ns)) {
    cells[2] = python_float(*gbps);
    cells[3] = python_float(*gbps * microseconds / 1e6);
  }
  return cells;
}

}  // namespace ks::profile
