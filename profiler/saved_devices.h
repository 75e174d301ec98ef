// Where a file's tensors were when it was saved.
#pragma once

#include <filesystem>

#include <c10/core/Device.h>

namespace kadvise {

// Whether torch.jit.load puts the file's tensors there by itself: GPUs that it names are this one. What it
// keeps on the host then stays there, as the numbers that a trace on a GPU makes constants of, which
// arithmetic on the host's tensors takes nowhere else.
bool isSavedFor(const std::filesystem::path&, c10::Device);

}  // namespace kadvise
