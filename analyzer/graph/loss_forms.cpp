#include "analyzer/graph/loss_forms.h"

#include "analyzer/graph/placement.h"

namespace kadvise::graph {

using torch::jit::Node;
using torch::jit::Value;

void reductionApart(const Step& s, Node* loss) {
  auto* schema = loss->maybeSchema();
  auto place = schema && !schema->is_mutable() ? schema->argumentIndexWithName("reduction") : std::nullopt;
  if (!place) return;
  auto reduction = constantInt(loss->input(static_cast<std::size_t>(*place)));
  if (reduction != at::Reduction::Mean && reduction != at::Reduction::Sum) return;
  std::vector<Value*> inputs(loss->inputs().begin(), loss->inputs().end());
  inputs[static_cast<std::size_t>(*place)] = s.constant(loss, static_cast<std::int64_t>(at::Reduction::None));
  Value* each = s.insert(loss, loss->kind(), inputs)->output();
  auto over = reduction == at::Reduction::Mean ? c10::aten::mean : c10::aten::sum;
  s.replace(loss, s.insert(loss, over, {each, s.constant(loss, c10::IValue())})->output());
}

}  // namespace kadvise::graph
