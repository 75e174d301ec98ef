// The verb `count`: hardware counters of the longest kernels of a call, each with its operator. For a process
// of its own.
#pragma once

#include "profiler/session.h"

namespace kadvise {

Json count(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
