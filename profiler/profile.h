// The verb `profile`: where the time of one call goes.
#pragma once

#include "analyzer/core/profile.h"
#include "profiler/chrome_trace.h"
#include "profiler/session.h"

namespace kadvise {

// arguments: module; graph, frozen: bool; trace: a file in the work directory, or "".
Json profile(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
