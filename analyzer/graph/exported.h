// An exported program (.pt2, torch.export.save) as a TorchScript module with the user's names in it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/exported_guards.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct Exported {
  torch::jit::Module module;  // weights included; forward takes the program's tensors and sizes, in order
  std::vector<c10::IValue>
      samples;  // the arguments it was exported with, one for each of forward's; empty where unknown
  std::string savedDevice;        // where the program's weights belong: "cpu" or "cuda:0"
  std::vector<SizeGuard> guards;  // for modules that are written: the program itself is not changed
  std::vector<std::string> notes;
};

// Throws Error(path, …) with one sentence for what cannot be read or expressed.
Exported readExported(const std::string& path);

}  // namespace kadvise::graph
