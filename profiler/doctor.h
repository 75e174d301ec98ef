// The verb `doctor`: what of the machine works, what does not, and the remedy.
#pragma once

#include "profiler/session.h"

namespace kadvise {

Json doctor(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
