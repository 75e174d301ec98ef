// Integer arithmetic of the sources that are read, without undefined results.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/source/unit.h"

namespace kadvise::source {

// None where the result is not defined, or the operator is none of integers.
std::optional<std::int64_t> appliedTo(clang::BinaryOperatorKind, std::int64_t a, std::int64_t b);

}  // namespace kadvise::source
