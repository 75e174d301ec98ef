#include "analyzer/graph/operator_hint.h"

#include <string_view>

namespace kadvise::graph {
namespace {

struct Hint {
  std::string_view space, remedy;
};

constexpr Hint kHints[] = {
    {"torchvision",
     "name torchvision's with --op-library, behind the two that it is linked to: libpython, then "
     "torch/lib/libtorch_python.so, then torchvision/_C.so of the Python packages"},
    {"torchaudio",
     "name torchaudio's with --op-library (lib/libtorchaudio.so in the folder of the Python package "
     "torchaudio)"},
    {"torch_scatter",
     "name those of torch_scatter with --op-library (_scatter_*.so in the folder of its Python package)"},
    {"torch_sparse",
     "name those of torch_sparse with --op-library (_*.so in the folder of its Python package)"},
    {"kadvise", "name kadvise's with --op-library (libkadvise_kernels.so of its build or installation)"},
    {"quantized_decomposed", "it exists in Python only: run the program's decompositions before saving it"},
    {"prims", "it exists in Python only: save the program without decomposing it into prims"},
    {"aten",
     "it is of another version of torch than kadvise was built with; save the module with torch 2.11"},
};

}  // namespace

std::string whoRegisters(const std::string& qualifiedName) {
  constexpr const char* kNobody = "which no loaded library registers; ";
  auto space = qualifiedName.substr(0, qualifiedName.find("::"));
  for (auto& h : kHints)
    if (space == h.space) return kNobody + std::string(h.remedy);
  return kNobody + std::string("name the library that does with --op-library");
}

}  // namespace kadvise::graph
