// The runner as torch sees it.
#pragma once

#include <torch/library.h>

namespace kadvise {

void defineGraphRunner(torch::Library& library);

}  // namespace kadvise
