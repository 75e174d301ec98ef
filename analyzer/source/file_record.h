// What a file says of others, from its parsed form.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

SourceRecord recordOf(Analyses&);
// Functions and launches that only the host pass of the file sees.
void addHostPass(SourceRecord ofHost, SourceRecord& out);

}  // namespace kadvise::source
