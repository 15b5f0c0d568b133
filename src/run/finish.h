#pragma once
// The steps that turn what has been read into a finished Run (builder.h calls them in this order),
// and the small readers of metadata that they share with the builder.

#include "run/run.h"

namespace ks::run {

KernelMetadata kernel_metadata(const trace::Value& metadata);
CompileTimes compile_times(const trace::Value& metadata);
void note_autotune(AutotuneSession& session, const trace::Autotune& event);

// Gives each group of launches without a hash its kernel. A handle is one loaded variant, and
// handles appear in the order in which the variants of a name were compiled; so where a process
// has as many handles of a name as compiled variants, the n-th is the n-th. Where the counts
// differ the group stays a kernel of its own, with the candidates listed.
void attribute_groups(Run& run);

// Metadata for kernels whose compilation was not seen, from their first launch.
void make_stand_ins(Run& run);

// Configs and winners of the autotune sessions; marks those that tuned anything.
void settle_autotune(Run& run);

// Launch counts of kernels, positions of groups within them.
void count_launches(Run& run);

}  // namespace ks::run
