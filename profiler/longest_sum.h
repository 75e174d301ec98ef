// How many terms the longest sum of a call has.
#pragma once

#include <cstdint>
#include <functional>

namespace kadvise {

// Of the products, convolutions, attentions, softmaxes, norms and reductions that the call asks torch for on
// this thread; 1 where there is none. What else computes sums (operators of other libraries) is not seen.
std::int64_t longestSum(const std::function<void()>& call);

}  // namespace kadvise
