#include "analyzer/graph/fold.h"

#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/fold_constants.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/peephole.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;

// Marks such a tensor. Nothing that is loaded has it.
const c10::Symbol kAtHome = c10::Symbol::attr("kadvise_at_home");

std::string bufferName(std::size_t i) { return "kadvise_folded_" + std::to_string(i); }

// One tensor for all calls: nobody may write to it, and the caller, who may, must not get it.
bool isWritten(Value* v, const Aliases& aliases) { return isTensor(v) && aliases.hasWriters(v); }
// To jit::AliasDb what stands in a list may be any tensor that is returned; isOwn() looks where it goes.
bool isHandedOut(Value* v, const Aliases& aliases) {
  return isTensor(v) && !isOwn(v) && aliases.escapesScope({v});
}

// What stands in a branch is a table, which takes many operators to make: the caller gets a copy of it. So
// does who compares a region, whose results others read in the whole module.
bool isKept(Node* n, const Aliases& aliases, HandedTo to) {
  const bool isTable = n->owningBlock() != n->owningGraph()->block();
  const bool mayBeHandedOut = isTable || to == HandedTo::Comparison;
  return std::none_of(n->outputs().begin(), n->outputs().end(), [&](Value* v) {
    return isWritten(v, aliases) || (!mayBeHandedOut && isHandedOut(v, aliases));
  });
}

struct Plan {
  std::vector<Node*> nodes;           // in execution order
  std::vector<Value*> roots;          // results that the rest of forward reads
  std::unordered_set<Value*> copied;  // roots of which the caller gets a copy
};

using Nodes = std::unordered_set<Node*>;

// Those whose number the rest of forward reads: they are computed there as well.
Nodes computedToo(const std::vector<Node*>& nodes, const Nodes& folded) {
  Nodes out;
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n)
    for (Value* v : (*n)->outputs())
      for (auto& use : v->uses())
        if (!isTensor(v) && (!folded.count(use.user) || out.count(use.user))) out.insert(*n);
  return out;
}

Plan planFolding(Graph& graph, HandedTo to) {
  Plan plan;
  Nodes folded;
  std::unique_ptr<Aliases> aliases;
  forEachNode(graph.block(), [&](Node* n) {
    if (!isFoldable(n, folded)) return;
    if (!aliases) aliases = aliasesOf(graph.shared_from_this());
    if (!isKept(n, *aliases, to)) return;
    folded.insert(n);
    plan.nodes.push_back(n);
  });
  const Nodes again = computedToo(plan.nodes, folded);
  for (Node* n : plan.nodes)
    for (Value* out : n->outputs())
      for (auto& use : out->uses())
        if (!folded.count(use.user) || again.count(use.user)) {
          if (isTensor(out)) plan.roots.push_back(out);
          if (isHandedOut(out, *aliases)) plan.copied.insert(out);
          break;
        }
  return plan;
}

// The same value in the folding graph: constants and parameters are fetched anew.
Value* fetch(Graph& target, Value* self, Value* v, std::unordered_map<Value*, Value*>& env) {
  if (auto it = env.find(v); it != env.end()) return it->second;
  if (auto constant = jit::toIValue(v)) return env[v] = target.insertConstant(*constant);
  if (v->node()->kind() == jit::prim::GetAttr) {
    Value* owner = v->node()->input()->node()->kind() == jit::prim::GetAttr
                       ? fetch(target, self, v->node()->input(), env)
                       : self;
    Node* read = target.insertNode(target.createGetAttr(owner, v->node()->s(jit::attr::name)));
    return env[v] = read->output()->setType(v->type());  // an optional that is there is read as a tensor
  }
  return nullptr;
}

// Where the buffers are while they are empty, which is where the module is.
void bringHome(Graph& folding, Value* self, Node* n) {
  jit::WithInsertPoint here(n);
  Value* buffer = folding.insertNode(folding.createGetAttr(self, bufferName(0)))->output();
  auto device = n->schema().argumentIndexWithName("device");
  n->replaceInput(static_cast<std::size_t>(*device), folding.insert(jit::prim::device, {buffer}));
}

}  // namespace

bool isFoldable(Node* n, const std::unordered_set<Node*>& folded) {
  bool candidate = isInserted(n) && isPure(n) && n->kind() != jit::prim::Constant &&
                   n->kind() != jit::prim::GetAttr && !n->inputs().empty() && n->blocks().empty();
  return candidate && std::all_of(n->inputs().begin(), n->inputs().end(), [&](Value* v) {
           return v->node()->kind() == jit::prim::Constant || attributePath(v) || folded.count(v->node());
         });
}

Value* insertAtHome(Graph& graph) {
  Value* size = graph.insertConstant(std::vector<std::int64_t>{1});
  Value* none = graph.insertConstant(c10::IValue());
  Node* made = graph.insertNode(graph.create(jit::aten::zeros, {size, none, none, none, none}));
  made->i_(kAtHome, 1);
  return made->output();
}

bool isAtHome(const Node* n) { return n->hasAttribute(kAtHome); }

int foldWeights(jit::Module& module, HandedTo to) {
  auto graph = module.get_method("forward").graph();
  Plan plan = planFolding(*graph, to);
  if (plan.roots.empty()) return 0;

  for (std::size_t i = 0; i < plan.roots.size(); ++i) module.register_buffer(bufferName(i), at::empty({0}));
  auto folding = std::make_shared<Graph>();
  Value* self = folding->addInput("self")->setType(module.type());
  std::unordered_map<Value*, Value*> env;
  for (Node* n : plan.nodes) {
    for (Value* in : n->inputs()) fetch(*folding, self, in, env);
    Node* copy = folding->insertNode(folding->createClone(n, [&](Value* v) { return env.at(v); }));
    for (std::size_t i = 0; i < n->outputs().size(); ++i) env[n->output(i)] = copy->output(i);
    if (isAtHome(n)) bringHome(*folding, self, copy);
  }

  std::size_t count = 0;
  Value* forwardSelf = graph->inputs().at(0);
  for (Value* root : plan.roots) {
    const std::string name = bufferName(count++);
    folding->insertNode(folding->createSetAttr(self, name, env.at(root)));
    jit::WithInsertPoint atStart(*graph->nodes().begin());
    Value* buffer = graph->insertNode(graph->createGetAttr(forwardSelf, name))->output();
    if (plan.copied.count(root)) {
      jit::WithInsertPoint here(root->node());
      buffer = graph->insert(jit::aten::clone, {buffer});
    }
    root->replaceAllUsesWith(buffer);
  }
  folding->registerOutput(folding->insertConstant(c10::IValue()));
  module.type()->addMethod(module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), kFoldMethod), folding));
  jit::EliminateDeadCode(graph);
  graph->lint();
  return static_cast<int>(count);
}

void finishFolding(jit::Module& module) {
  auto method = module.find_method(kFoldMethod);
  if (!method) return;
  {
    at::NoGradGuard noGrad;
    (*method)({});
  }
  module.type()->unsafeRemoveMethod(kFoldMethod);
}

void simplify(const std::shared_ptr<Graph>& graph) {
  auto g = graph;
  peephole(g, PeepholeShapes::Use);  // tensor is None, unwrapped optionals
  foldConstants(g);
  jit::EliminateDeadCode(g);
  g->lint();
}

}  // namespace kadvise::graph
