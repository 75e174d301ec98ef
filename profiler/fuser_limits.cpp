#include "profiler/fuser_limits.h"

#include <cstdlib>

#include "analyzer/core/most_fused_tensors.h"

namespace kadvise {
namespace {

constexpr const char* kCat = "cat";
constexpr const char* kDontFuse = "PYTORCH_TENSOREXPR_DONT_FUSE";  // read by LibTorch before each compilation

bool hasLargeCat(torch::jit::Block* block) {
  for (torch::jit::Node* n : block->nodes()) {
    for (torch::jit::Block* inner : n->blocks())
      if (hasLargeCat(inner)) return true;
    if (n->kind() != c10::aten::cat) continue;
    const torch::jit::Node* list = n->input(0)->node();
    if (list->kind() == c10::prim::ListConstruct && list->inputs().size() > kMostFusedTensors) return true;
  }
  return false;
}

}  // namespace

std::string keepFuserFromLargeCats(const torch::jit::Module& module) {
  for (const auto& part : module.modules())
    for (const auto& method : part.get_methods()) {
      if (!hasLargeCat(method.graph()->block())) continue;
      if (const char* set = std::getenv(kDontFuse); set && std::string(set) != kCat)
        return "";  // the user's own
      ::setenv(kDontFuse, kCat, /*overwrite=*/0);
      return "the module puts more than " + std::to_string(kMostFusedTensors) +
             " tensors together at once, which TorchScript's fuser would compile for minutes: it was run "
             "with " +
             std::string(kDontFuse) + "=" + kCat;
    }
  return "";
}

}  // namespace kadvise
