// Errors in words.
#pragma once

#include <string>

#include "profiler/accuracy.h"

namespace kadvise {

// original: nullptr where its error is not known; name: what it is called.
std::string errorText(const Errors& candidate, const Errors* original, const std::string& name);

// The same with the figure that decides, where the text does not always give it.
std::string beyondText(Beyond, const Errors& candidate, const Errors* original, const std::string& name);

}  // namespace kadvise
