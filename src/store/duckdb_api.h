#pragma once
// DuckDB's C API, loaded when the first command needs it: the library is 65 MB and takes about
// 10 ms to load, which `kernelscope --help` should not pay. Only src/store may include this file.

#include <duckdb.h>

#include "base/result.h"

// The functions that we call. A name that the library lacks is an error at load time.
// clang-format off: it does not come to rest on this list
#define KS_DUCKDB_FUNCTIONS(X) \
  X(library_version) X(create_config) X(set_config) X(destroy_config) X(open_ext) X(close) \
  X(connect) X(disconnect) X(interrupt) X(free) X(query) X(destroy_result) X(result_error) \
  X(result_error_type) X(result_statement_type) X(column_count) X(column_name) X(column_type) \
  X(column_logical_type) X(fetch_chunk) X(extract_statements) X(extract_statements_error) \
  X(destroy_extracted) X(prepare_extracted_statement) X(prepare_error) X(prepared_statement_type) \
  X(destroy_prepare) X(prepare) X(bind_varchar_length) X(bind_uint64) X(bind_null) \
  X(execute_prepared) X(pending_prepared_streaming) X(pending_error) X(execute_pending) \
  X(destroy_pending) X(data_chunk_get_size) X(data_chunk_get_vector) X(destroy_data_chunk) \
  X(create_data_chunk) X(data_chunk_reset) X(data_chunk_set_size) X(vector_get_data) \
  X(vector_get_validity) X(vector_ensure_validity_writable) X(vector_assign_string_element_len) \
  X(list_vector_get_child) X(list_vector_reserve) X(list_vector_set_size) \
  X(struct_vector_get_child) X(array_vector_get_child) X(create_logical_type) X(create_list_type) \
  X(destroy_logical_type) X(get_type_id) X(logical_type_get_alias) X(decimal_width) \
  X(decimal_scale) X(decimal_internal_type) X(enum_internal_type) X(enum_dictionary_size) \
  X(enum_dictionary_value) X(list_type_child_type) X(array_type_child_type) \
  X(array_type_array_size) X(map_type_key_type) X(map_type_value_type) X(struct_type_child_count) \
  X(struct_type_child_name) X(struct_type_child_type) X(union_type_member_count) \
  X(union_type_member_name) X(union_type_member_type) X(appender_create) X(appender_error) \
  X(appender_flush) X(appender_close) X(appender_destroy) X(append_data_chunk) X(get_varchar) \
  X(destroy_value) X(create_hugeint) X(create_uhugeint) X(create_decimal) X(create_float) \
  X(create_date) X(create_time) X(create_time_ns) X(create_time_tz_value) X(create_timestamp) \
  X(create_timestamp_tz) X(create_timestamp_s) X(create_timestamp_ms) X(create_timestamp_ns) \
  X(create_interval) X(create_blob) X(create_bit) X(create_uuid)
// clang-format on

namespace ks::store {

struct DuckDbApi {
#define X(name) decltype(&::duckdb_##name) name = nullptr;
  KS_DUCKDB_FUNCTIONS(X)
#undef X
};

// Loads the library on the first call; later calls return the same table, or the same error. Looks
// in the folder of the executable, in ../lib beside it, then where the build found it. Any thread.
Result<const DuckDbApi*> duckdb_api();

}  // namespace ks::store
