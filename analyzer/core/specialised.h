// How a rewritten module refuses inputs that it was not written for.
#pragma once

namespace kadvise {

// What the message of its own checks begins with; the fact that does not hold follows.
inline constexpr const char* kSpecialisedTo = "kadvise specialised this module to ";

}  // namespace kadvise
