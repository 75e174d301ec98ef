// The user's line behind a piece of TorchScript.
#pragma once

#include <torch/csrc/jit/frontend/source_range.h>

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/core/types.h"

namespace kadvise {

// Where the text stands that the range came from; none for what LibTorch or kadvise made up. The file is
// shortened to its last three parts: the author's absolute path says nothing to the reader.
std::optional<Location> placeOf(const torch::jit::SourceRange&);

// A traced operator's range holds the Python stack of the trace, "path/model.py(175): forward" a line,
// innermost first: the first line that is the user's.
std::optional<Location> usersFrameIn(std::string_view stack);

// Not LibTorch's own Python.
bool isUsersFile(const std::string& file);

}  // namespace kadvise
