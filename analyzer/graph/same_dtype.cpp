#include "analyzer/graph/same_dtype.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

// Their result has the dtype of their first operand.
constexpr std::string_view kKeepsFirst[] = {"aten::relu",
                                            "aten::hardtanh",
                                            "aten::leaky_relu",
                                            "aten::dropout",
                                            "aten::contiguous",
                                            "aten::clone",
                                            "aten::detach",
                                            "aten::neg",
                                            "aten::batch_norm",
                                            "aten::layer_norm",
                                            "aten::group_norm",
                                            "aten::instance_norm",
                                            "aten::max_pool1d",
                                            "aten::max_pool2d",
                                            "aten::max_pool3d",
                                            "aten::avg_pool1d",
                                            "aten::avg_pool2d",
                                            "aten::avg_pool3d",
                                            "aten::adaptive_avg_pool1d",
                                            "aten::adaptive_avg_pool2d",
                                            "aten::pad",
                                            "aten::constant_pad_nd",
                                            "aten::masked_fill",
                                            "aten::index_select",
                                            "aten::gather",
                                            "aten::flip",
                                            "aten::roll",
                                            "aten::repeat",
                                            "aten::pixel_shuffle",
                                            "aten::transpose",
                                            "aten::permute",
                                            "aten::reshape",
                                            "aten::flatten",
                                            "aten::unsqueeze",
                                            "aten::squeeze",
                                            "aten::select",
                                            "aten::slice",
                                            "aten::narrow",
                                            "aten::expand",
                                            "aten::expand_as",
                                            "aten::t"};

// They raise an error where the first two operands differ in dtype, and keep it.
constexpr std::string_view kWantsSame[] = {"aten::conv1d",
                                           "aten::conv2d",
                                           "aten::conv3d",
                                           "aten::conv_transpose1d",
                                           "aten::conv_transpose2d",
                                           "aten::conv_transpose3d",
                                           "aten::_convolution",
                                           "aten::linear",
                                           "aten::matmul",
                                           "aten::bmm",
                                           "aten::mm"};

// Of operands of one dtype they make a result of this dtype.
constexpr std::string_view kPromotes[] = {"aten::add", "aten::sub", "aten::mul", "aten::maximum",
                                          "aten::minimum"};

constexpr std::string_view kPieces[] = {"aten::chunk", "aten::split", "aten::unbind",
                                        "aten::split_with_sizes"};

bool writesFirst(const Node* n) {
  auto* schema = n->maybeSchema();
  if (!schema || schema->arguments().empty() || n->inputs().empty()) return false;
  auto* first = schema->arguments()[0].alias_info();
  return first && first->isWrite() && isTensor(n->inputs()[0]);
}

bool isBySizes(const Node* view) { return view->inputs()[1]->type()->isSubtypeOf(*c10::ListType::ofInts()); }

// What always runs: an error that it raises ends every call.
bool isUnconditional(const Node* n) { return n->owningBlock() == n->owningGraph()->block(); }

}  // namespace

SameDtype::SameDtype(jit::Graph& graph) {
  for (bool changed = true; changed;) {  // what holds behind a node may say something of what is before it
    changed = false;
    forEachNode(graph.block(), [&](Node* n) { changed = visit(n) || changed; });
  }
}

bool SameDtype::isKnown(const Value* a, const Value* b) const { return rootOf(a) == rootOf(b); }

const Value* SameDtype::rootOf(const Value* v) const {
  for (auto at = parent_.find(v); at != parent_.end(); at = parent_.find(v)) v = at->second;
  return v;
}

bool SameDtype::join(const Value* a, const Value* b) {
  const Value *x = rootOf(a), *y = rootOf(b);
  if (x == y) return false;
  parent_[x] = y;
  return true;
}

bool SameDtype::joinBranches(Node* n) {
  bool changed = false;
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    const Value *one = n->blocks()[0]->outputs()[i], *other = n->blocks()[1]->outputs()[i];
    if (isTensor(n->output(i)) && isKnown(one, other)) changed = join(n->output(i), one) || changed;
  }
  return changed;
}

bool SameDtype::joinAttribute(Node* n) {
  auto path = isTensor(n->output()) ? attributePath(n->output()) : std::nullopt;
  if (!path) return false;
  auto [first, fresh] = attributes_.emplace(*path, n->output());
  return !fresh && join(first->second, n->output());
}

bool SameDtype::visit(Node* n) {
  if (n->kind() == prim::If) return joinBranches(n);
  if (n->kind() == prim::GetAttr) return joinAttribute(n);
  if (n->inputs().empty() || n->outputs().empty()) return false;
  bool ofPieces = n->kind() == jit::aten::__getitem__ || n->kind() == prim::ListUnpack;
  if (ofPieces && isOneOf(kPieces, n->input(0)->node())) {
    bool changed = false;
    for (auto* out : n->outputs()) changed = join(out, n->input(0)->node()->input(0)) || changed;
    return changed;
  }
  if (!isTensor(n->output(0)) || !isTensor(n->input(0))) return false;
  bool view = n->kind() == jit::aten::view && isBySizes(n);
  if (view || writesFirst(n) || isOneOf(kKeepsFirst, n)) return join(n->output(0), n->input(0));
  if (n->inputs().size() < 2 || !isTensor(n->input(1))) return false;
  bool same = isKnown(n->input(0), n->input(1));
  if (isOneOf(kWantsSame, n) && (same || isUnconditional(n))) {
    bool operands = join(n->input(0), n->input(1));
    return join(n->output(0), n->input(0)) || operands;
  }
  return isOneOf(kPromotes, n) && same && join(n->output(0), n->input(0));
}

}  // namespace kadvise::graph
