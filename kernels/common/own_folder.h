// Where libkadvise_kernels.so was loaded from: its GPU halves lie beside it.
#pragma once

#include <string>

namespace kadvise {

std::string ownFolder();

}  // namespace kadvise
