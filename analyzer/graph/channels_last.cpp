#include "analyzer/graph/channels_last.h"

#include <algorithm>

#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/channels_last_operators.h"
#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Conversions {
  int in = 0, out = 0, weights = 0;
};

Value* convert(Value* v, at::MemoryFormat format, Node* before) {
  auto* wanted = constantOf(*v->owningGraph(), static_cast<std::int64_t>(format));
  return insertedBefore(before, jit::aten::contiguous, {v, wanted});
}

at::MemoryFormat channelsLastOf(std::size_t rank) {
  return rank == kRankOfVolumes ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
}

// No memory format says so of a signal: it is the one of its rows.
Value* channelsLast(Value* v, std::size_t rank, Node* before) {
  if (rank != kRankOfSignals) return convert(v, channelsLastOf(rank), before);
  auto& graph = *v->owningGraph();
  Value *channels = constantOf(graph, std::int64_t{1}), *samples = constantOf(graph, std::int64_t{2});
  Value* rows = insertedBefore(before, jit::aten::transpose, {v, channels, samples});
  rows = convert(rows, at::MemoryFormat::Contiguous, before);
  return insertedBefore(before, jit::aten::transpose, {rows, channels, samples});
}

// Of ATen's convolutions of signals, which make them contiguous, ours that keep the layout; "" of others.
std::string keepsSignals(const Node* n) {
  if (n->kind() == jit::aten::conv1d) return "kadvise::conv1d_channels_last";
  return n->kind() == jit::aten::conv_transpose1d ? "kadvise::conv_transpose1d_channels_last" : "";
}

// The first that runs: what all of them read has to stand before it.
Node* first(const std::vector<ImageUse>& uses) {
  Node* found = nullptr;
  for (auto& u : uses) {
    Node* n = u.use.user;
    if (!found || n->isBefore(found)) found = n;
  }
  return found;
}

Value* permuted(Value* v, const std::vector<std::int64_t>& order, Node* before) {
  return insertedBefore(before, jit::aten::permute, {v, constantOf(*v->owningGraph(), order)});
}

// Contiguous in the order of its dimensions, by a generated kernel.
Value* copied(Value* v, Node* before) {
  return insertedBefore(before, c10::Symbol::fromQualString("kadvise::contiguous"), {v});
}

enum class Copies { ATens, Generated };

class Pass {
 public:
  Pass(const PassScope& scope, const LayoutChoice& choice, Copies copies)
      : scope_(scope), choice_(choice), copies_(copies) {}

  Conversions run() {
    for (Node* n : choice_.last) partFromOthers(n);
    for (Node* n : choice_.last) {
      leave(n->output());
      for (Value* image : imagesOf(n)) enter(image, n);
      if (imageOperator(n)->convolves) layOutWeight(n);
    }
    for (Node* n : choice_.last)
      if (auto name = keepsSignals(n); !name.empty())
        replaceBy(n, c10::Symbol::fromQualString(name), n->inputs());
    return made_;
  }

 private:
  bool isLast(const ImageUse& u) const { return readsAsImage(u) && choice_.isLast.count(u.reader); }

  // Pieces of which others are not in the layout are taken of the image by themselves.
  void partFromOthers(Node* n) {
    Node* maker = makerOfPieces(n);
    if (!maker) return;
    auto& uses = maker->output()->uses();
    if (std::all_of(uses.begin(), uses.end(), [&](auto& use) { return choice_.isLast.count(use.user); }))
      return;
    Node* own = n->owningGraph()->createClone(maker, [](Value* v) { return v; });
    own->insertBefore(n);
    n->replaceInput(0, own->output());
  }

  // Others read a result with the strides that it had.
  void leave(Value* v) {
    if (layoutOf(*scope_.shapes.tensor(v)) == ImageLayout::Last) return;
    std::vector<ImageUse> others;
    for (auto& u : usesOf(v))
      if (!isLast(u) && !takesEitherLayout(u.use, scope_.shapes)) others.push_back(u);
    if (others.empty()) return;
    if (isStoredByProgram(v)) return storeContiguous(imageProgramOf(v->node()));
    Value* rows = channelsFirst(v);
    for (auto& u : others) u.use.user->replaceInput(u.use.offset, rows);
    if (layoutOf(*scope_.shapes.tensor(v)) != ImageLayout::Both) ++made_.out;
  }

  const std::vector<std::int64_t>& shapeOfResult(Node* n) const {
    return scope_.shapes.tensor(n->output())->shape;
  }

  void enter(Value* v, Node* reader) {
    auto* t = isTensor(v) ? scope_.shapes.tensor(v) : nullptr;
    if (!t || t->shape.size() != shapeOfResult(reader).size() || choice_.isLast.count(v->node())) return;
    auto layout = layoutOf(*t);
    if (layout == ImageLayout::Both || layout == ImageLayout::Last) return;
    std::vector<ImageUse> readers;
    for (auto& u : usesOf(v))
      if (isLast(u)) readers.push_back(u);
    if (readers.empty()) return;  // converted for another reader already
    Value* last = turned(v, *t, first(readers));
    for (auto& u : readers) u.use.user->replaceInput(u.use.offset, last);
    if (!attributePath(v)) ++made_.in;
  }

  // A parameter, or what replacements made of parameters, is converted when the module is written. A weight
  // of one pixel or of one channel is in both layouts at once.
  void layOutWeight(Node* n) {
    Value* weight = n->input(1);
    if (auto* t = scope_.shapes.tensor(weight)) {
      auto layout = layoutOf(*t);
      if (layout == ImageLayout::Both || layout == ImageLayout::Last) return;
    }
    bool isOwn = attributePath(weight) || isInserted(weight->node());
    if (!isOwn || scope_.aliases.hasWriters(weight)) return;
    n->replaceInput(1, channelsLast(weight, shapeOfResult(n).size(), n));
    ++made_.weights;
  }

  // ATen's copy from one layout to the other walks element by element, and takes several times as long as its
  // memory does. Behind an element-wise operator the copy is part of what a generated kernel does later.
  bool isForAKernel(const TracedValue& t) const {
    constexpr std::int64_t kLeastOfTile = 8;  // kLeastSize in kernels/rowprogram/turned.cpp
    return copies_ == Copies::Generated && t.device.starts_with("cuda") && isRowDtype(t.dtype) &&
           t.shape.size() == kRankOfImages && denseBytes(t) >= kSmallestCopy && t.shape[1] >= kLeastOfTile &&
           t.shape[2] * t.shape[3] >= kLeastOfTile;
  }

  Value* channelsFirst(Value* v) {
    auto& t = *scope_.shapes.tensor(v);
    if (isPointwise(v->node()) || !isForAKernel(t))
      return convert(v, at::MemoryFormat::Contiguous, v->node()->next());
    return copied(v, v->node()->next());
  }

  Value* turned(Value* v, const TracedValue& t, Node* before) {
    if (attributePath(v) || !isForAKernel(t)) return channelsLast(v, t.shape.size(), before);
    Value* rows = permuted(v, {0, 2, 3, 1}, before);
    return permuted(copied(rows, before), {0, 3, 1, 2}, before);
  }

  const PassScope& scope_;
  const LayoutChoice& choice_;
  Copies copies_;
  Conversions made_;
};

std::string counted(int n, const std::string& one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

int convolutionsOf(const std::vector<Node*>& nodes) {
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [](const Node* n) {
    auto* op = imageOperator(n);
    return op && op->convolves;
  }));
}

std::vector<std::string> layOut(const PassScope& scope, Copies copies) {
  auto choice = chooseLayouts(scope.graph.block(), scope.shapes, scope.aliases, [&](const Node* n) {
    int id = scope.shapes.idOf(n);
    return !convertsBack(n) && id >= 0 && scope.ids.count(id) != 0;
  });
  if (choice.last.empty()) return {};
  int convolutions = convolutionsOf(choice.last);
  auto made = Pass(scope, choice, copies).run();
  scope.graph.lint();
  return {counted(static_cast<int>(choice.last.size()), "operator") + " in channels_last, " +
              counted(convolutions, "convolution") + " of them",
          counted(made.in, "conversion") + " on the way in, " + std::to_string(made.out) + " on the way out",
          counted(made.weights, "weight") + " stored in channels_last"};
}

}  // namespace

std::vector<std::string> layOutChannelsLast(const PassScope& scope) { return layOut(scope, Copies::ATens); }
std::vector<std::string> layOutByKernels(const PassScope& scope) { return layOut(scope, Copies::Generated); }

}  // namespace kadvise::graph
