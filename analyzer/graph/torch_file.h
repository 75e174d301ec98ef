// A file that torch wrote, judged before LibTorch opens it, and opened with words for what goes wrong.
#pragma once

#include <string>

#include "analyzer/core/archive.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The archive's directory, after everything but large tensors was held against its checksum. Throws Error.
Archive checkedTorchFile(const std::string& path);

// A TorchScript module on the CPU, in eval mode, whose tensors fit the file. Throws Error.
torch::jit::Module loadTorchScript(const std::string& path, const Archive&);

}  // namespace kadvise::graph
