// The user's line behind a piece of TorchScript.
#pragma once

#include <torch/csrc/jit/frontend/source_range.h>

#include <optional>

#include "analyzer/core/types.h"

namespace kadvise {

// Where the text stands that the range came from; none for what LibTorch or kadvise made up. The file is
// shortened to its last three parts: the author's absolute path says nothing to the reader.
std::optional<Location> placeOf(const torch::jit::SourceRange&);

// Not LibTorch's own Python.
bool isUsersFile(const std::string& file);

}  // namespace kadvise
