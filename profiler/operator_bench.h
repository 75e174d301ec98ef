// The verb `bench`: one operator over shapes, and a plain copy beside it.
#pragma once

#include "profiler/session.h"

namespace kadvise {

Json bench(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
