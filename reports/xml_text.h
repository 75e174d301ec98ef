// Text as XML has it.
#pragma once

#include <string>
#include <string_view>

namespace kadvise {

// For an element or an attribute in double quotes. Control characters, which XML cannot write, become spaces.
std::string xmlText(std::string_view);

}  // namespace kadvise
