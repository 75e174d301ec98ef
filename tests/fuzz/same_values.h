// Whether two runs computed the same, as far as the computation itself is stable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::fuzz {

using Values = std::vector<c10::IValue>;

// nullopt when they are the same. A number may differ by a rounding error, and by what the nearby runs (of
// inputs moved by a few roundings) differ from `want`: a program can blow up any error. With
// nonFiniteMayChange, NaN in `want` says nothing.
std::optional<std::string> whyDifferent(const Values& want, const Values& have,
                                        const std::vector<Values>& nearby, bool nonFiniteMayChange);

}  // namespace kadvise::fuzz
