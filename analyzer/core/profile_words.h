// Words of a profile that the report looks for.
#pragma once

namespace kadvise {

// A figure that a profile may not be able to give (Absent::figure).
inline constexpr const char* kTimeByPlace = "time by operator, module and line";

// The name of a row for what belongs to no operator, module or line that is known.
inline constexpr const char* kUnknownPlace = "(not known)";

}  // namespace kadvise
