// What TorchScript's fuser must be kept from, since it would compile for minutes.
#pragma once

#include <torch/script.h>

#include <string>

namespace kadvise {

// Where the module puts many tensors together at once, the fuser of this process leaves torch.cat alone from
// now on: it would make one kernel of it and its neighbours (DenseNet-121, traced: not compiled in 55 s on
// the host of an H200, and in 1.7 s without). Returns what a reader of the figures has to know; "" where
// there is nothing. Of the module's own code, its submodules' included.
std::string keepFuserFromLargeCats(const torch::jit::Module&);

}  // namespace kadvise
