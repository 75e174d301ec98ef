#include "analyzer/graph/listed_weights.h"

#include <algorithm>

namespace kadvise::graph {
namespace {

namespace jit = torch::jit;

bool isSameView(const at::Tensor& a, const at::Tensor& b) {
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

std::vector<at::Tensor> listedIn(const jit::Module& module) {
  std::vector<at::Tensor> out;
  for (const jit::Module& each : module.modules()) {
    for (const auto& attribute : each.named_attributes(/*recurse=*/false)) {
      if (!attribute.value.isTensorList()) continue;
      for (const at::Tensor& t : attribute.value.toTensorVector())
        if (t.defined()) out.push_back(t);
    }
  }
  return out;
}

}  // namespace

ListedWeights::ListedWeights(const jit::Module& module) {
  std::vector<at::Tensor> owned;
  for (const at::Tensor& t : module.parameters()) owned.push_back(t);
  for (const at::Tensor& t : module.buffers()) owned.push_back(t);
  for (const at::Tensor& listed : listedIn(module)) {
    auto same = std::find_if(owned.begin(), owned.end(), [&](auto& t) { return isSameView(t, listed); });
    if (same != owned.end() && !same->is_same(listed)) pairs_.push_back({listed, *same});
  }
}

void ListedWeights::follow() {
  for (Pair& pair : pairs_) pair.listed.set_data(pair.parameter.data());
}

}  // namespace kadvise::graph
