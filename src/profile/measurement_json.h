#pragma once
// The JSON form of a measurement as a part of other JSON texts. Members have the names of the
// struct's; what is absent or empty is left out, or null.
//
//   {"version":1,"status":"ok","metrics":{"gpu__time_duration.sum":2400.0},"passes":1,
//    "config":"XBLOCK: 1024","launch":{"kernel":"triton_","grid":[256,1,1],"registers":16},
//    "circumstances":{"source":"cupti","device":"NVIDIA H200","sm_count":132},"notes":[]}

#include "base/json_writer.h"
#include "base/result.h"
#include "profile/measurement.h"
#include "trace/value.h"

namespace ks::profile {

inline constexpr int64_t kMeasurementVersion = 1;

void append_measurement(JsonWriter& json, const Measurement& measurement);
// Without "version" it is of ours. One that is newer than ours is an error.
Result<Measurement> measurement_from_value(const trace::Value& value);

// Reads one JSON text, with a reader that each thread keeps.
Result<trace::Value> read_json(std::string_view json);

}  // namespace ks::profile
