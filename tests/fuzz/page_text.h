// Mutations of the text of a rule page: bytes, fences, the JSON header, the programs.
#pragma once

#include <string>

#include "tests/fuzz/random.h"

namespace kadvise::fuzz {

std::string mutatePage(const std::string& text, Random&);

}  // namespace kadvise::fuzz
