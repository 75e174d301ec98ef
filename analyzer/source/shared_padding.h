// One element more in each row of a shared array, so that a column lies in many banks.
#pragma once

#include <optional>

#include "analyzer/source/unit.h"

namespace kadvise::source {

// "[C]" of a shared array of two dimensions becomes "[C + 1]". None where anything but plain elements of the
// array is used, the row is no multiple of the banks, or it does not fit any more.
std::optional<Fix> paddingOf(const Unit&, const clang::FunctionDecl& kernel, const clang::Decl* array);

}  // namespace kadvise::source
