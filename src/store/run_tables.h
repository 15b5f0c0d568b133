#pragma once
// The tables that are written from a finished Run. Part of RunWriter.

#include "run/run.h"
#include "store/connection.h"

namespace ks::store {

Result<> write_run_tables(Connection& connection, const run::Run& run);

}  // namespace ks::store
