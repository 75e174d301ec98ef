#include "analyzer/graph/region_pass.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/optional_attributes.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

using NodeSet = std::unordered_set<const Node*>;

// A dictionary of the module, say: no region can be given it, only what is read of it.
bool isState(const Value* v) {
  return v->node()->kind() == jit::prim::GetAttr && !isTensor(v) && !isOptionalTensor(v->type());
}

bool isStep(Node* n) {
  auto k = n->kind();
  return isPure(n) && k != jit::prim::Constant && k != jit::prim::GetAttr && k != jit::prim::Param &&
         std::none_of(n->inputs().begin(), n->inputs().end(), isState);
}

bool readsOneOf(const Node* n, const NodeSet& nodes) {
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [&](const Value* in) { return nodes.count(in->node()) != 0; });
}

// The given nodes and the pure ones that read them, directly or not.
NodeSet behind(const NodeSet& given, jit::Block* block) {
  NodeSet out = given;
  for (Node* n : block->nodes())
    if (isStep(n) && readsOneOf(n, out)) out.insert(n);
  return out;
}

NodeSet before(const NodeSet& given, jit::Block* block) {
  NodeSet out = given;
  for (Node* n : block->nodes().reverse())
    if (out.count(n))
      for (const Value* in : n->inputs())
        if (in->node()->owningBlock() == block && isStep(const_cast<Node*>(in->node())))
          out.insert(in->node());
  return out;
}

// Connected nodes have one number.
class Numbers {
 public:
  int of(const Node* n) {
    auto [at, fresh] = parent_.emplace(n, n);
    if (fresh) order_.emplace(n, static_cast<int>(order_.size()));
    return order_.at(root(n));
  }
  void join(const Node* a, const Node* b) {
    of(a), of(b);
    parent_[root(a)] = root(b);
  }

 private:
  const Node* root(const Node* n) const {
    while (parent_.at(n) != n) n = parent_.at(n);
    return n;
  }
  std::unordered_map<const Node*, const Node*> parent_;
  std::unordered_map<const Node*, int> order_;
};

}  // namespace

bool standsOnMade(const RegionPass& pass) {
  return pass.rulesBefore.empty() && std::any_of(pass.nodes.begin(), pass.nodes.end(), [](const Node* n) {
           return isMade(n) && imageProgramOf(n);
         });
}

std::vector<std::vector<Node*>> regionsAround(const std::vector<Node*>& nodes) {
  if (nodes.empty()) return {};
  jit::Block* block = nodes.front()->owningBlock();
  NodeSet given(nodes.begin(), nodes.end()), later = behind(given, block), earlier = before(given, block);
  auto isInside = [&](const Node* n) { return later.count(n) && earlier.count(n); };
  Numbers numbers;
  for (Node* n : block->nodes())
    if (isInside(n))
      for (const Value* in : n->inputs())
        if (isInside(in->node())) numbers.join(n, in->node());
  std::vector<std::vector<Node*>> out;
  std::map<int, std::size_t> index;
  for (Node* n : block->nodes()) {
    if (!isInside(n)) continue;
    auto [at, fresh] = index.emplace(numbers.of(n), out.size());
    if (fresh) out.emplace_back();
    out[at->second].push_back(n);
  }
  return out;
}

}  // namespace kadvise::graph
