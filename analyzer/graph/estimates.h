// The module's cost in the words of the report: by module path, as a whole, and in memory.
#pragma once

#include "analyzer/core/estimates.h"
#include "analyzer/core/hardware.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// The members estimate, modules and memory of the body of `matched`; nothing where the module was not run.
void addEstimates(Json& matched, const Subject&, const TracedValues&, const Gpu&);

}  // namespace kadvise::graph
