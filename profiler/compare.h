// The verb `compare`: are two modules equal, and which is faster. One verdict message, then done {}.
#pragma once

#include "analyzer/core/json.h"
#include "profiler/session.h"

namespace kadvise {

Json compare(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
