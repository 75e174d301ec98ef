#include "analyzer/graph/parts_written.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

constexpr std::string_view kMakers[] = {"aten::zeros",     "aten::ones",     "aten::full",
                                        "aten::empty",     "aten::arange",   "aten::new_zeros",
                                        "aten::new_ones",  "aten::new_full", "aten::zeros_like",
                                        "aten::ones_like", "aten::full_like"};
constexpr std::string_view kViews[] = {"aten::slice", "aten::select"};
// More would make a longer chain of copies than a table is worth, where it has to be computed after all.
constexpr std::size_t kMostWrites = 64;

// One write: views of the tensor, each of the one before, and what fills the last of them.
struct Part {
  std::vector<Node*> views;
  Node* write = nullptr;
};

// Asked by a write for what it writes: x[0] = 1 asks x[0] for its dtype and device.
bool onlyDescribes(const Node* n) { return n->kind() == prim::dtype || n->kind() == prim::device; }

// What becomes of a view: the write at the end of the chain, where nothing else looks at what it shows.
bool followTo(Part& part, Value* v) {
  Node* next = nullptr;
  for (auto& use : v->uses()) {
    if (onlyDescribes(use.user)) continue;
    if (next || use.offset != 0) return false;
    next = use.user;
  }
  if (!next || next->owningBlock() != v->node()->owningBlock()) return false;
  if (isOneOf(kViews, next)) {
    part.views.push_back(next);
    return followTo(part, next->output());
  }
  bool writes = next->kind() == aten::copy_ || next->kind() == aten::fill_ || next->kind() == aten::zero_;
  part.write = next;
  return writes && !next->output()->hasUses();
}

// The writes of the tensor that the node makes, in order; none where somebody reads it, or keeps a view of
// it, before the last of them.
std::vector<Part> partsOf(Node* maker) {
  std::vector<Part> parts;
  std::vector<Node*> readers;
  for (auto& use : maker->output()->uses()) {
    Part part;
    bool isView =
        isOneOf(kViews, use.user) && use.offset == 0 && use.user->owningBlock() == maker->owningBlock();
    part.views = {use.user};
    if (isView && followTo(part, use.user->output())) parts.push_back(part);
    else if (!onlyDescribes(use.user)) readers.push_back(holderIn(maker->owningBlock(), use.user));
  }
  auto inOrder = [](const Part& a, const Part& b) {
    return a.write != b.write && a.write->isBefore(b.write);
  };
  std::sort(parts.begin(), parts.end(), inOrder);
  bool isSeen = !parts.empty() && std::any_of(readers.begin(), readers.end(), [&](Node* reader) {
    return reader->kind() != prim::Return && reader->isBefore(parts.back().write);
  });
  return isSeen || parts.size() > kMostWrites ? std::vector<Part>() : parts;
}

// A whole number in a tensor that is made for the write, of the dtype of what it is written to: the number
// fills the part as well.
Value* numberIn(Node* write, const Value* whole) {
  Node* made = write->input(1)->node();
  bool number = made->kind() == aten::tensor && (made->input(0)->type()->kind() == c10::TypeKind::IntType ||
                                                 made->input(0)->type()->kind() == c10::TypeKind::BoolType);
  if (!number) return nullptr;
  Node *dtype = made->input(1)->node(), *device = made->input(2)->node();
  bool alike = dtype->kind() == prim::dtype && dtype->input() == whole && device->kind() == prim::device &&
               device->input() == whole;
  return alike ? made->input(0) : nullptr;
}

class Rewriter {
 public:
  explicit Rewriter(Node* maker) : graph_(*maker->owningGraph()), maker_(maker), whole_(maker->output()) {}

  void take(const Part& part) {
    for (Node* view : part.views) askWhole(view->output());
    jit::WithInsertPoint here(part.write);
    std::vector<Value*> shown = {whole_};
    for (Node* view : part.views) shown.push_back(viewOf(view, shown.back()));
    Value* now = filled(part, shown.back());
    for (std::size_t i = part.views.size(); i-- > 0;) now = scattered(part.views[i], shown[i], now);
    whole_ = now;
    destroy(part);
  }

  // Whoever reads the tensor comes after its last write.
  void finish() {
    for (auto& use : std::vector<jit::Use>(maker_->output()->uses().begin(), maker_->output()->uses().end()))
      if (use.user->kind() == prim::Return || whole_->node()->isBefore(use.user))
        use.user->replaceInput(use.offset, whole_);
  }

 private:
  Value* insert(c10::Symbol kind, at::ArrayRef<Value*> inputs, const Node* like) {
    Node* n = graph_.insertNode(graph_.create(kind, inputs));
    n->copyMetadata(const_cast<Node*>(like));
    return n->output();
  }

  // What only asks a view for its dtype stands before the write, and so before the view that is made anew.
  void askWhole(Value* view) {
    for (auto& use : std::vector<jit::Use>(view->uses().begin(), view->uses().end()))
      if (onlyDescribes(use.user)) use.user->replaceInput(use.offset, maker_->output());
  }

  Value* viewOf(Node* view, Value* of) {
    auto now = [&](Value* v) { return v == view->input(0) ? of : v; };
    return graph_.insertNode(graph_.createClone(view, now))->output();
  }

  Value* filled(const Part& part, Value* shown) {
    if (part.write->kind() == aten::zero_)
      return insert(aten::fill, {shown, graph_.insertConstant(std::int64_t{0})}, part.write);
    Value* number = numberIn(part.write, maker_->output());
    if (part.write->kind() == aten::fill_) number = part.write->input(1);
    if (number && number->type()->kind() == c10::TypeKind::BoolType)
      number = graph_.insert(aten::Int, {number});  // a bool is no number to fill
    if (number) return insert(aten::fill, {shown, number}, part.write);
    return insert(aten::copy, {shown, part.write->input(1), part.write->input(2)}, part.write);
  }

  // The tensor that the view was taken of, with the part in its place.
  Value* scattered(Node* view, Value* of, Value* part) {
    static const auto kSlice = c10::Symbol::aten("slice_scatter"),
                      kSelect = c10::Symbol::aten("select_scatter");
    std::vector<Value*> inputs = {of, part};
    inputs.insert(inputs.end(), view->inputs().begin() + 1, view->inputs().end());
    return insert(view->kind() == aten::slice ? kSlice : kSelect, inputs, view);
  }

  static void destroy(const Part& part) {
    part.write->destroy();
    for (auto view = part.views.rbegin(); view != part.views.rend(); ++view) (*view)->destroy();
  }

  Graph& graph_;
  Node* maker_;
  Value* whole_;
};

}  // namespace

void partsAsNewTensors(Graph& graph) {
  auto makers = nodesWhere(graph.block(), [](Node* n) {
    return isOneOf(kMakers, n) && n->outputs().size() == 1 && !partsOf(n).empty();
  });
  if (makers.empty()) return;
  Dependence dependence(graph);
  std::erase_if(makers, [&](Node* n) { return dependence.onData(n->output()); });
  for (Node* maker : makers) {
    Rewriter rewriter(maker);
    for (auto& part : partsOf(maker)) rewriter.take(part);
    rewriter.finish();
  }
}

}  // namespace kadvise::graph
