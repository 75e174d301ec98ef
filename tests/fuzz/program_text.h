// Mutations of the text of one TorchScript function: "def f(x, w):", statements of one line, a return.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/random.h"

namespace kadvise::fuzz {

// The text after one mutation picked from the list in the .cpp; the text itself where it found no place. What
// comes out need not compile.
std::string mutateProgram(const std::string& text, Random&);

// The names between the parentheses of the first line.
std::vector<std::string> parametersIn(const std::string& text);

// A function of these tensors made of a few statements picked at random.
std::string randomProgram(const std::vector<std::string>& tensors, Random&);

}  // namespace kadvise::fuzz
