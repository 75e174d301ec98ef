#include "analyzer/graph/parts_written.h"

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/slice_writes.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// More would make a longer chain of copies than a table is worth, where it has to be computed after all.
constexpr std::size_t kMostWrites = 64;

// All of a tensor, and each element once: not expand, whose elements are written together.
constexpr std::string_view kShowAll[] = {"aten::contiguous", "aten::permute", "aten::transpose",
                                         "aten::t",          "aten::view",    "aten::reshape",
                                         "aten::flatten",    "aten::squeeze", "aten::unsqueeze"};

// Made by forward for this node alone, which hands it on as it is or as a copy:
// coordinates.permute(…).contiguous().
bool isMadeForIt(const Value* v) {
  for (; !isFresh(v); v = mayView(v)) {
    const Value* of = isOneOf(kShowAll, v->node()) ? mayView(v) : nullptr;
    if (!of || !isReadOnce(of) || of->node()->owningBlock() != v->node()->owningBlock()) return false;
  }
  return true;
}

bool hasOwnMemory(const Node* n) {
  return n->outputs().size() == 1 && isTensor(n->output()) && n->blocks().empty() && isMadeForIt(n->output());
}

// The writes of the tensor that the node makes, in order; none where somebody reads it, or keeps a view of
// it, before the last of them, or that one itself does.
std::vector<SliceWrite> partsOf(Node* maker) {
  auto [parts, reader] = sliceWritesOf(maker);
  bool isSeen = !parts.empty() && reader && reader->kind() != prim::Return &&
                (reader == parts.back().write || reader->isBefore(parts.back().write));
  return isSeen || parts.size() > kMostWrites ? std::vector<SliceWrite>() : parts;
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

  void take(const SliceWrite& part) {
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

  Value* filled(const SliceWrite& part, Value* shown) {
    if (part.write->kind() == aten::zero_)
      return insert(aten::fill, {shown, graph_.insertConstant(std::int64_t{0})}, part.write);
    if (isArithmeticInPlace(part.write)) return computed(part, shown);
    Value* number = numberIn(part.write, maker_->output());
    if (part.write->kind() == aten::fill_) number = part.write->input(1);
    if (number && number->type()->kind() == c10::TypeKind::BoolType)
      number = graph_.insert(aten::Int, {number});  // a bool is no number to fill
    if (number) return insert(aten::fill, {shown, number}, part.write);
    return insert(aten::copy, {shown, part.write->input(1), part.write->input(2)}, part.write);
  }

  // What is scattered takes the dtype of the whole, as a write in place does.
  Value* computed(const SliceWrite& part, Value* shown) {
    std::string name = part.write->kind().toUnqualString();
    std::vector<Value*> inputs(part.write->inputs().begin(), part.write->inputs().end());
    inputs.front() = shown;
    return insert(c10::Symbol::aten(name.substr(0, name.size() - 1)), inputs, part.write);
  }

  // The tensor that the view was taken of, with the part in its place.
  Value* scattered(Node* view, Value* of, Value* part) {
    static const auto kSlice = c10::Symbol::aten("slice_scatter"),
                      kSelect = c10::Symbol::aten("select_scatter");
    std::vector<Value*> inputs = {of, part};
    inputs.insert(inputs.end(), view->inputs().begin() + 1, view->inputs().end());
    return insert(view->kind() == aten::slice ? kSlice : kSelect, inputs, view);
  }

  static void destroy(const SliceWrite& part) {
    part.write->destroy();
    for (auto view = part.views.rbegin(); view != part.views.rend(); ++view) (*view)->destroy();
  }

  Graph& graph_;
  Node* maker_;
  Value* whole_;
};

}  // namespace

void partsAsNewTensors(Graph& graph) {
  auto makers = nodesWhere(graph.block(), [](Node* n) { return hasOwnMemory(n) && !partsOf(n).empty(); });
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
