#include "analyzer/graph/loss_forms.h"

#include <algorithm>

#include "analyzer/graph/placement.h"

namespace kadvise::graph {

using torch::jit::Node;
using torch::jit::Value;

namespace {

// One of the tensors that broadcast_tensors was given, by what it made of it.
struct Broadcast {
  Node* given = nullptr;  // their list
  std::size_t place = 0;
};

Broadcast broadcastOf(const Step& s, Value* v) {
  Node* n = v->node();
  bool isUnpacked = n->kind() == torch::jit::prim::ListUnpack, isPicked = n->kind() == c10::aten::__getitem__;
  if (!isUnpacked && !isPicked) return {};
  auto place = isUnpacked ? std::optional(static_cast<std::int64_t>(v->offset())) : constantInt(n->input(1));
  Node* made = n->input(0)->node();
  if (!place || made->kind() != c10::aten::broadcast_tensors) return {};
  Node* given = made->input(0)->node();
  bool isList = given->kind() == torch::jit::prim::ListConstruct && !s.aliases.hasWriters(given->output()) &&
                !s.aliases.hasWriters(made->output());
  if (!isList || *place < 0 || *place >= std::ssize(given->inputs())) return {};
  return {given, static_cast<std::size_t>(*place)};
}

// mse_loss(*broadcast_tensors(x, t))  ->  mse_loss(x, t), which broadcasts them itself.
void broadcastOnce(const Step& s, Node* loss) {
  auto a = broadcastOf(s, loss->input(0)), b = broadcastOf(s, loss->input(1));
  bool areBoth = a.given && a.given == b.given && a.given->inputs().size() == 2 && a.place != b.place;
  if (!areBoth || s.isReshaped(loss->input(0)) || s.isReshaped(loss->input(1))) return;
  auto given = a.given->inputs();
  if (s.isReshaped(given[0]) || s.isReshaped(given[1])) return;
  loss->replaceInput(0, given[a.place]);
  loss->replaceInput(1, given[b.place]);
}

// kl_div(x, t, mean)  ->  mean(kl_div(x, t, none)), which is how ATen computes every loss that has this form.
void reductionApart(const Step& s, Node* loss) {
  Value* kind = argumentNamed(loss, "reduction");
  auto reduction = kind ? constantInt(kind) : std::nullopt;
  if (reduction != at::Reduction::Mean && reduction != at::Reduction::Sum) return;
  std::vector<Value*> inputs(loss->inputs().begin(), loss->inputs().end());
  *std::find(inputs.begin(), inputs.end(), kind) =
      s.constant(loss, static_cast<std::int64_t>(at::Reduction::None));
  Value* each = s.insert(loss, loss->kind(), inputs)->output();
  auto over = reduction == at::Reduction::Mean ? c10::aten::mean : c10::aten::sum;
  s.replace(loss, s.insert(loss, over, {each, s.constant(loss, c10::IValue())})->output());
}

}  // namespace

void lossOfElements(const Step& s, Node* loss) {
  broadcastOnce(s, loss);
  reductionApart(s, loss);
}

}  // namespace kadvise::graph
