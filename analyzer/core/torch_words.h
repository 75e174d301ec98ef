#pragma once

#include <string>

namespace kadvise {

// One line of a LibTorch message without what only its developers need: the place in its sources in front
// ("[enforce fail at alloc_cpu.cpp:127] err == 0. "), and requests to report it behind.
std::string withoutInternals(std::string line);

}  // namespace kadvise
