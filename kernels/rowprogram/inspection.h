// What tests and benchmarks ask of the runtime, by kernels.h: which schedule is to serve, and which did.
#pragma once

#include <string>

namespace kadvise::rowprogram {

// Of this thread. A form ("lanes"), or a whole schedule as toText() has it; empty: the usual choice.
std::string& askedSchedule();

// The schedule of this thread's last call; empty: the interpreter served it.
std::string& lastSchedule();

}  // namespace kadvise::rowprogram
