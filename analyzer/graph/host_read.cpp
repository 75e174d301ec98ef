#include "analyzer/graph/host_read.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Reader {
  const char* kind;
  const char* what;
};
constexpr Reader kReaders[] = {
    {"aten::item", "reads one value"},          {"aten::Int", "turns a tensor into a number"},
    {"aten::Float", "turns a tensor into a number"}, {"aten::Bool", "turns a tensor into a truth value"},
    {"aten::IntImplicit", "turns a tensor into a number"}, {"aten::FloatImplicit", "turns a tensor into a number"},
    {"aten::ScalarImplicit", "turns a tensor into a number"}, {"aten::is_nonzero", "turns a tensor into a truth value"},
    {"prim::tolist", "copies a whole tensor to the host"}, {"aten::equal", "compares two tensors on the host's behalf"},
    {"aten::allclose", "compares two tensors on the host's behalf"},
    {"aten::nonzero", "makes a result whose size only the data decides"},
    {"aten::masked_select", "makes a result whose size only the data decides"}};

// Operators that look at a tensor without its data: their results are known on the host.
constexpr const char* kShapeOnly[] = {"aten::size", "aten::dim", "aten::len", "aten::numel", "aten::stride", "prim::device",
                                      "prim::dtype", "prim::shape", "aten::is_floating_point", "prim::is_cuda", "prim::layout"};

const Reader* readerOf(const Node* n) {
  std::string_view kind = n->kind().toQualString();
  for (auto& r : kReaders)
    if (kind == r.kind && !n->inputs().empty() && isTensor(n->input(0))) return &r;
  return nullptr;
}

bool shapeOnly(const Node* n) {
  std::string_view kind = n->kind().toQualString();
  return std::any_of(std::begin(kShapeOnly), std::end(kShapeOnly), [&](const char* k) { return kind == k; });
}

bool holdsTensors(const Value* v) {
  if (isTensor(v)) return true;
  auto t = v->type();
  if (t->kind() == c10::TypeKind::OptionalType || t->kind() == c10::TypeKind::ListType || t->kind() == c10::TypeKind::TupleType)
    return std::any_of(t->containedTypes().begin(), t->containedTypes().end(),
                       [](const c10::TypePtr& c) { return c->isSubtypeOf(*c10::TensorType::get()); });
  return false;
}

// What depends on a tensor input or a parameter other than through its shape.
std::unordered_set<const Value*> dataIn(jit::Graph& graph) {
  std::unordered_set<const Value*> data;
  for (auto* in : graph.inputs())
    if (holdsTensors(in)) data.insert(in);
  bool changed = true;
  while (changed) {  // loops carry values round: until nothing new is data
    changed = false;
    forEachNode(graph.block(), [&](Node* n) {
      bool isData = (n->kind() == jit::prim::GetAttr && isTensor(n->output())) ||
                    (!shapeOnly(n) && std::any_of(n->inputs().begin(), n->inputs().end(), [&](Value* v) { return data.count(v) > 0; }));
      for (jit::Block* b : n->blocks()) {
        if (n->kind() == jit::prim::Loop)
          for (std::size_t i = 1; i < b->inputs().size() && i + 1 < n->inputs().size(); ++i)
            if (data.count(n->input(i + 1)) && data.insert(b->inputs()[i]).second) changed = true;
        for (auto* o : b->outputs()) isData = isData || data.count(o) > 0;
      }
      if (!isData) return;
      for (Value* o : n->outputs())
        if (data.insert(o).second) changed = true;
    });
  }
  return data;
}

}  // namespace

CodedResult findHostReads(const RulePage&, const Analysis& analysis) {
  auto data = dataIn(analysis.graph);
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto* reader = readerOf(n);
    if (!reader || !data.count(n->input(0))) return;
    CodedFinding f;
    f.node = n;
    f.message = std::string(n->kind().toQualString()) + " " + reader->what +
                ": the host waits for the GPU here, and no CUDA graph can be captured across it";
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty()) out.whyNothing = "no value of a tensor is read on the host";
  return out;
}

}  // namespace kadvise::graph
