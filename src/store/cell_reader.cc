#include "store/cell_reader.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"
#include "base/json_writer.h"
#include "store/query.h"

namespace ks::store {
namespace {

std::string_view base_name(duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_BOOLEAN:
      return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT:
      return "TINYINT";
    case DUCKDB_TYPE_SMALLINT:
      return "SMALLINT";
    case DUCKDB_TYPE_INTEGER:
      return "INTEGER";
    case DUCKDB_TYPE_BIGINT:
      return "BIGINT";
    case DUCKDB_TYPE_UTINYINT:
      return "UTINYINT";
    case DUCKDB_TYPE_USMALLINT:
      return "USMALLINT";
    case DUCKDB_TYPE_UINTEGER:
      return "UINTEGER";
    case DUCKDB_TYPE_UBIGINT:
      return "UBIGINT";
    case DUCKDB_TYPE_FLOAT:
      return "FLOAT";
    case DUCKDB_TYPE_DOUBLE:
      return "DOUBLE";
    case DUCKDB_TYPE_HUGEINT:
      return "HUGEINT";
    case DUCKDB_TYPE_UHUGEINT:
      return "UHUGEINT";
    case DUCKDB_TYPE_BIGNUM:
      return "BIGNUM";
    case DUCKDB_TYPE_DECIMAL:
      return "DECIMAL";
    case DUCKDB_TYPE_VARCHAR:
      return "VARCHAR";
    case DUCKDB_TYPE_BLOB:
      return "BLOB";
    case DUCKDB_TYPE_BIT:
      return "BIT";
    case DUCKDB_TYPE_UUID:
      return "UUID";
    case DUCKDB_TYPE_ENUM:
      return "ENUM";
    case DUCKDB_TYPE_DATE:
      return "DATE";
    case DUCKDB_TYPE_TIME:
      return "TIME";
    case DUCKDB_TYPE_TIME_NS:
      return "TIME_NS";
    case DUCKDB_TYPE_TIME_TZ:
      return "TIME WITH TIME ZONE";
    case DUCKDB_TYPE_TIMESTAMP:
      return "TIMESTAMP";
    case DUCKDB_TYPE_TIMESTAMP_S:
      return "TIMESTAMP_S";
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return "TIMESTAMP_MS";
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return "TIMESTAMP_NS";
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return "TIMESTAMP WITH TIME ZONE";
    case DUCKDB_TYPE_INTERVAL:
      return "INTERVAL";
    case DUCKDB_TYPE_LIST:
      return "LIST";
    case DUCKDB_TYPE_ARRAY:
      return "ARRAY";
    case DUCKDB_TYPE_STRUCT:
      return "STRUCT";
    case DUCKDB_TYPE_MAP:
      return "MAP";
    case DUCKDB_TYPE_UNION:
      return "UNION";
    case DUCKDB_TYPE_SQLNULL:
      return "NULL";
    default:
      return "UNKNOWN";
  }
}

template <typename T>
T at(const void* data, idx_t row) {
  return static_cast<const T*>(data)[row];
}

std::string_view view(const duckdb_string_t& text) {
  const uint32_t length = text.value.inlined.length;
  return {length <= 12 ? text.value.inlined.inlined : text.value.pointer.ptr, length};
}

}  // namespace

TypeReader::TypeReader(const DuckDbApi& api, duckdb_logical_type type)
    : api_(api), id_(api.get_type_id(type)), sql_name_(base_name(id_)) {
  load_nested(type);
}
TypeReader::~TypeReader() = default;

void TypeReader::add_child(std::string name, duckdb_logical_type type) {
  children_.push_back(std::make_unique<TypeReader>(api_, type));
  child_names_.push_back(std::move(name));
  api_.destroy_logical_type(&type);
}

void TypeReader::load_nested(duckdb_logical_type type) {
  const auto take = [this](char* text) {
    std::string copy = text ? text : "";
    api_.free(text);
    return copy;
  };
  if (id_ == DUCKDB_TYPE_DECIMAL) {
    width_ = api_.decimal_width(type);
    scale_ = api_.decimal_scale(type);
    internal_ = api_.decimal_internal_type(type);
    sql_name_ = fmt::format("DECIMAL({},{})", width_, scale_);
  } else if (id_ == DUCKDB_TYPE_ENUM) {
    internal_ = api_.enum_internal_type(type);
    const uint32_t size = api_.enum_dictionary_size(type);
    for (uint32_t i = 0; i < size; ++i) {
      dictionary_.push_back(take(api_.enum_dictionary_value(type, i)));
    }
  } else if (id_ == DUCKDB_TYPE_LIST) {
    add_child("", api_.list_type_child_type(type));
    sql_name_ = children_[0]->sql_name() + "[]";
  } else if (id_ == DUCKDB_TYPE_ARRAY) {
    array_size_ = api_.array_type_array_size(type);
    add_child("", api_.array_type_child_type(type));
    sql_name_ = fmt::format("{}[{}]", children_[0]->sql_name(), array_size_);
  } else if (id_ == DUCKDB_TYPE_MAP) {
    add_child("key", api_.map_type_key_type(type));
    add_child("value", api_.map_type_value_type(type));
    sql_name_ = fmt::format("MAP({}, {})", children_[0]->sql_name(), children_[1]->sql_name());
  } else if (id_ == DUCKDB_TYPE_STRUCT || id_ == DUCKDB_TYPE_UNION) {
    const bool is_struct = id_ == DUCKDB_TYPE_STRUCT;
    const idx_t count =
        is_struct ? api_.struct_type_child_count(type) : api_.union_type_member_count(type);
    std::string members;
    for (idx_t i = 0; i < count; ++i) {
      add_child(
          take(is_struct ? api_.struct_type_child_name(type, i)
                         : api_.union_type_member_name(type, i)),
          is_struct ? api_.struct_type_child_type(type, i) : api_.union_type_member_type(type, i));
      members += fmt::format("{}{} {}", i ? ", " : "", child_names_[i], children_[i]->sql_name());
    }
    sql_name_ += "(" + members + ")";
  }
}

bool TypeReader::numeric() const {
  switch (id_) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_BIGNUM:
    case DUCKDB_TYPE_DECIMAL:
      return true;
    default:
      return false;
  }
}

bool TypeReader::is_valid(duckdb_vector vector, idx_t row) const {
  const uint64_t* validity = api_.vector_get_validity(vector);
  return !validity || (validity[row / 64] >> (row % 64) & 1);
}

Cell TypeReader::read(duckdb_vector vector, idx_t row, std::string& storage) const {
  Cell cell;
  if (id_ == DUCKDB_TYPE_SQLNULL || !is_valid(vector, row)) return cell;
  if (!children_.empty()) {
    storage.clear();
    append_json(vector, row, storage);
    cell.kind = CellKind::json;
    cell.bytes = storage;
    return cell;
  }
  read_scalar(api_.vector_get_data(vector), row, cell, storage);
  return cell;
}

bool TypeReader::read_number(const void* data, idx_t row, Cell& cell) const {
  const auto integer = [&cell](int64_t v) { cell.kind = CellKind::integer, cell.integer = v; };
  const auto natural = [&cell](uint64_t v) { cell.kind = CellKind::natural, cell.natural = v; };
  const auto real = [&cell](double v) { cell.kind = CellKind::real, cell.real = v; };
  switch (id_) {
    case DUCKDB_TYPE_TINYINT:
      integer(at<int8_t>(data, row));
      return true;
    case DUCKDB_TYPE_SMALLINT:
      integer(at<int16_t>(data, row));
      return true;
    case DUCKDB_TYPE_INTEGER:
      integer(at<int32_t>(data, row));
      return true;
    case DUCKDB_TYPE_BIGINT:
      integer(at<int64_t>(data, row));
      return true;
    case DUCKDB_TYPE_UTINYINT:
      natural(at<uint8_t>(data, row));
      return true;
    case DUCKDB_TYPE_USMALLINT:
      natural(at<uint16_t>(data, row));
      return true;
    case DUCKDB_TYPE_UINTEGER:
      natural(at<uint32_t>(data, row));
      return true;
    case DUCKDB_TYPE_UBIGINT:
      natural(at<uint64_t>(data, row));
      return true;
    case DUCKDB_TYPE_FLOAT:
      real(static_cast<double>(at<float>(data, row)));
      return true;
    case DUCKDB_TYPE_DOUBLE:
      real(at<double>(data, row));
      return true;
    default:
      return false;
  }
}

void TypeReader::read_scalar(const void* data, idx_t row, Cell& cell, std::string& storage) const {
  if (read_number(data, row, cell)) return;
  if (id_ == DUCKDB_TYPE_BOOLEAN) {
    cell.kind = CellKind::boolean;
    cell.boolean = at<bool>(data, row);
    return;
  }
  cell.kind = id_ == DUCKDB_TYPE_BLOB ? CellKind::blob : CellKind::text;
  if (id_ == DUCKDB_TYPE_VARCHAR || id_ == DUCKDB_TYPE_BLOB) {
    cell.bytes = view(static_cast<const duckdb_string_t*>(data)[row]);
    return;
  }
  storage = print_other(data, row);
  cell.bytes = storage;
}

uint64_t TypeReader::enum_index(const void* data, idx_t row) const {
  switch (internal_) {
    case DUCKDB_TYPE_UTINYINT:
      return at<uint8_t>(data, row);
    case DUCKDB_TYPE_USMALLINT:
      return at<uint16_t>(data, row);
    default:
      return at<uint32_t>(data, row);
  }
}

duckdb_hugeint TypeReader::decimal_value(const void* data, idx_t row) const {
  const auto widen = [](int64_t v) {
    return duckdb_hugeint{static_cast<uint64_t>(v), v < 0 ? -1 : 0};
  };
  switch (internal_) {
    case DUCKDB_TYPE_SMALLINT:
      return widen(at<int16_t>(data, row));
    case DUCKDB_TYPE_INTEGER:
      return widen(at<int32_t>(data, row));
    case DUCKDB_TYPE_BIGINT:
      return widen(at<int64_t>(data, row));
    default:
      return at<duckdb_hugeint>(data, row);
  }
}

// What the C API can print for us.
std::string TypeReader::print_other(const void* data, idx_t row) const {
  if (id_ == DUCKDB_TYPE_ENUM) {
    const uint64_t index = enum_index(data, row);
    return index < dictionary_.size() ? dictionary_[index] : "";
  }
  const auto print = [this](duckdb_value value) {
    char* text = api_.get_varchar(value);
    std::string copy = text ? text : "";
    api_.free(text);
    api_.destroy_value(&value);
    return copy;
  };
  switch (id_) {
    case DUCKDB_TYPE_HUGEINT:
      return print(api_.create_hugeint(at<duckdb_hugeint>(data, row)));
    case DUCKDB_TYPE_UHUGEINT:
      return print(api_.create_uhugeint(at<duckdb_uhugeint>(data, row)));
    case DUCKDB_TYPE_DECIMAL:
      return print(api_.create_decimal({width_, scale_, decimal_value(data, row)}));
    case DUCKDB_TYPE_DATE:
      return print(api_.create_date(at<duckdb_date>(data, row)));
    case DUCKDB_TYPE_TIME:
      return print(api_.create_time(at<duckdb_time>(data, row)));
    case DUCKDB_TYPE_TIME_NS:
      return print(api_.create_time_ns(at<duckdb_time_ns>(data, row)));
    case DUCKDB_TYPE_TIME_TZ:
      return print(api_.create_time_tz_value(at<duckdb_time_tz>(data, row)));
    case DUCKDB_TYPE_TIMESTAMP:
      return print(api_.create_timestamp(at<duckdb_timestamp>(data, row)));
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return print(api_.create_timestamp_tz(at<duckdb_timestamp>(data, row)));
    case DUCKDB_TYPE_TIMESTAMP_S:
      return print(api_.create_timestamp_s(at<duckdb_timestamp_s>(data, row)));
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return print(api_.create_timestamp_ms(at<duckdb_timestamp_ms>(data, row)));
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return print(api_.create_timestamp_ns(at<duckdb_timestamp_ns>(data, row)));
    case DUCKDB_TYPE_INTERVAL:
      return print(api_.create_interval(at<duckdb_interval>(data, row)));
    case DUCKDB_TYPE_UUID: {
      // In vectors the top bit is flipped, so that the order is that of signed numbers.
      const auto raw = at<duckdb_hugeint>(data, row);
      const uint64_t upper = static_cast<uint64_t>(raw.upper) ^ (uint64_t{1} << 63);
      return print(api_.create_uuid({raw.lower, upper}));
    }
    case DUCKDB_TYPE_BIT: {
      const std::string_view bits = view(static_cast<const duckdb_string_t*>(data)[row]);
      auto* bytes = reinterpret_cast<uint8_t*>(const_cast<char*>(bits.data()));
      return print(api_.create_bit({bytes, bits.size()}));
    }
    default:
      return fmt::format("({})", sql_name_);
  }
}

void TypeReader::append_json(duckdb_vector vector, idx_t row, std::string& out) const {
  if (id_ != DUCKDB_TYPE_SQLNULL && !children_.empty() && is_valid(vector, row)) {
    if (id_ == DUCKDB_TYPE_STRUCT) return append_json_struct(vector, row, out);
    if (id_ == DUCKDB_TYPE_MAP) return append_json_map(vector, row, out);
    if (id_ == DUCKDB_TYPE_UNION) return append_json_union(vector, row, out);
    return append_json_list(vector, row, out);
  }
  std::string storage;
  JsonWriter json(out);
  append_cell(json, read(vector, row, storage));
}

void TypeReader::append_json_list(duckdb_vector vector, idx_t row, std::string& out) const {
  const bool array = id_ == DUCKDB_TYPE_ARRAY;
  duckdb_list_entry entry{row * array_size_, array_size_};
  if (!array) entry = at<duckdb_list_entry>(api_.vector_get_data(vector), row);
  duckdb_vector child =
      array ? api_.array_vector_get_child(vector) : api_.list_vector_get_child(vector);
  out += '[';
  for (idx_t i = 0; i < entry.length; ++i) {
    if (i != 0) out += ',';
    children_[0]->append_json(child, entry.offset + i, out);
  }
  out += ']';
}

// Keys that are no text become their JSON text: {"1":"a"}.
void TypeReader::append_json_map(duckdb_vector vector, idx_t row, std::string& out) const {
  const auto entry = at<duckdb_list_entry>(api_.vector_get_data(vector), row);
  duckdb_vector pair = api_.list_vector_get_child(vector);
  duckdb_vector keys = api_.struct_vector_get_child(pair, 0);
  duckdb_vector values = api_.struct_vector_get_child(pair, 1);
  out += '{';
  for (idx_t i = 0; i < entry.length; ++i) {
    if (i != 0) out += ',';
    std::string key;
    children_[0]->append_json(keys, entry.offset + i, key);
    if (key.starts_with('"'))
      out += key;
    else
      append_json_string(out, key);
    out += ':';
    children_[1]->append_json(values, entry.offset + i, out);
  }
  out += '}';
}

void TypeReader::append_json_struct(duckdb_vector vector, idx_t row, std::string& out) const {
  out += '{';
  for (size_t i = 0; i < children_.size(); ++i) {
    if (i != 0) out += ',';
    append_json_string(out, child_names_[i]);
    out += ':';
    children_[i]->append_json(api_.struct_vector_get_child(vector, i), row, out);
  }
  out += '}';
}

// A union is a struct whose first member is the tag.
void TypeReader::append_json_union(duckdb_vector vector, idx_t row, std::string& out) const {
  duckdb_vector tags = api_.struct_vector_get_child(vector, 0);
  const auto tag = at<uint8_t>(api_.vector_get_data(tags), row);
  if (tag >= children_.size()) {
    out += "null";
    return;
  }
  children_[tag]->append_json(api_.struct_vector_get_child(vector, tag + 1u), row, out);
}

std::string cell_text(const Cell& cell) {
  switch (cell.kind) {
    case CellKind::null:
      return "";
    case CellKind::boolean:
      return cell.boolean ? "true" : "false";
    case CellKind::integer:
      return fmt::format_int(cell.integer).str();
    case CellKind::natural:
      return fmt::format_int(cell.natural).str();
    case CellKind::real:
      return fmt::format("{}", cell.real);
    case CellKind::blob:
      return hex(reinterpret_cast<const uint8_t*>(cell.bytes.data()), cell.bytes.size());
    case CellKind::text:
    case CellKind::json:
      break;
  }
  return std::string(cell.bytes);
}

void append_cell(JsonWriter& json, const Cell& cell) {
  switch (cell.kind) {
    case CellKind::null:
      json.null();
      break;
    case CellKind::boolean:
      json.value(cell.boolean);
      break;
    case CellKind::integer:
      json.value(cell.integer);
      break;
    case CellKind::natural:
      json.value(cell.natural);
      break;
    case CellKind::real:
      json.value(cell.real);
      break;
    case CellKind::json:
      json.raw(cell.bytes);
      break;
    case CellKind::text:
    case CellKind::blob:
      json.value(cell_text(cell));
      break;
  }
}

}  // namespace ks::store
