#pragma once

namespace kadvise {

// Thrown out of a wait when the user wants to stop; everything is cleaned up on the way.
struct Interrupted {};

}  // namespace kadvise
