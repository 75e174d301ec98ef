#include "profiler/writable_attributes.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/passes/peephole.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "profiler/attributes.h"

namespace kadvise {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Use;
using torch::jit::Value;

// self.encoder.steps: "encoder.steps"; "" for what does not begin at the module itself.
std::string pathOf(const Value* object, const std::string& name) {
  std::string path = name;
  while (object->node()->kind() == prim::GetAttr) {
    path = object->node()->s(c10::attr::name) + "." + path;
    object = object->node()->input(0);
  }
  bool isSelf = object->node()->kind() == prim::Param && object->offset() == 0 &&
                object->node()->owningBlock() == object->owningGraph()->block();
  return isSelf ? path : "";
}

bool isOfLibTorch(const Node* n) {
  static const std::unordered_set<std::string> kTrusted = {"aten", "prim", "quantized", "profiler",
                                                           "kadvise"};
  return kTrusted.count(n->kind().ns().toUnqualString()) > 0;
}

// Norms in training write their running mean and variance, which their schemas do not say.
bool mayUpdateStatistics(const Use& use) {
  const std::string name = use.user->kind().toUnqualString();
  bool isNorm = name.find("batch_norm") != std::string::npos || name == "instance_norm";
  if (!isNorm || (use.offset != 3 && use.offset != 4)) return false;
  auto flag = torch::jit::toIValue(use.user->input(5));
  return !flag || !flag->isBool() || flag->toBool();
}

// A number or a word: it is another one or the same, and nobody writes to it.
bool isImmutable(const Value* v) {
  switch (v->type()->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::StringType:
    case c10::TypeKind::NoneType:
    case c10::TypeKind::DeviceObjType:
      return true;
    default:
      return false;
  }
}

// They change which elements a list has, and write to none of them.
bool changesOnlyTheList(const Node* n) {
  static const std::unordered_set<std::string> kNames = {"append", "extend", "insert",  "add_",
                                                         "clear",  "pop",    "reverse", "_set_item"};
  return n->kind().is_aten() && kNames.count(n->kind().toUnqualString()) > 0 &&
         n->input(0)->type()->kind() == c10::TypeKind::ListType;
}

// Follows a value to whatever may be the same memory.
class Reach {
 public:
  Writes writesTo(const Value* from) {
    isTensor_ = from->type()->isSubtypeOf(*c10::TensorType::get());
    follow(from);
    while (writes_ != Writes::Declared && !open_.empty()) {
      const Value* v = open_.back();
      open_.pop_back();
      for (const Use& use : v->uses()) visit(use);
    }
    return writes_;
  }

 private:
  void meet(Writes writes) { writes_ = std::max(writes_, writes); }
  void follow(const Value* v) {
    if (!isImmutable(v) && seen_.insert(v).second) open_.push_back(v);
  }
  void followAll(at::ArrayRef<const Value*> values) {
    for (const Value* v : values) follow(v);
  }

  void visit(const Use& use) {
    const Node* n = use.user;
    if (n->kind() == prim::Return) return leaveBlock(n->owningBlock(), use.offset);
    if (n->kind() == prim::Loop) return carry(n, use.offset - 1);  // behind the number of rounds
    if (n->kind() == prim::GetAttr) return;  // of a submodule; what it gives is asked about by itself
    if (n->kind() == prim::SetAttr) {
      if (use.offset == 1) meet(Writes::Perhaps);  // kept under another name, too
      return;
    }
    if (const auto* schema = n->maybeSchema()) return visitOperator(use, *schema);
    constexpr c10::Symbol kSameElements[] = {prim::TupleConstruct, prim::ListConstruct, prim::DictConstruct,
                                             prim::TupleUnpack,    prim::ListUnpack,    prim::TupleIndex,
                                             prim::TupleSlice};
    if (std::count(std::begin(kSameElements), std::end(kSameElements), n->kind())) followAll(n->outputs());
    else meet(Writes::Perhaps);  // handed to what cannot be seen
  }

  void leaveBlock(const Block* block, std::size_t place) {
    const Node* owner = block->owningNode();
    if (owner && owner->kind() == prim::Loop) carry(owner, place);
    else if (owner) follow(owner->output(place));
  }

  // What a loop begins a round with, behind the condition, and in the end gives.
  void carry(const Node* loop, std::size_t place) {
    follow(loop->blocks()[0]->inputs()[place]);
    follow(loop->output(place - 1));
  }

  void visitOperator(const Use& use, const c10::FunctionSchema& schema) {
    const Node* n = use.user;
    if (mayUpdateStatistics(use)) return meet(Writes::Declared);
    if (!isOfLibTorch(n) || use.offset >= schema.arguments().size()) meet(Writes::Perhaps);
    if (use.offset >= schema.arguments().size()) return;
    const auto* alias = schema.arguments()[use.offset].alias_info();
    if (alias && alias->isWrite() && !(isTensor_ && changesOnlyTheList(n))) meet(Writes::Declared);
    if (use.offset > 0 && changesOnlyTheList(n)) meet(Writes::Perhaps);
    // Kept by a container from which anyone may take it.
    if (alias && alias->isWildcardAfter()) meet(Writes::Perhaps);
    for (const Value* out : n->outputs())
      if (alias || isPassedOn(n, use.offset, out)) follow(out);
  }

  // Where the schema is silent: casts of types, and lists that are made of others' elements.
  static bool isPassedOn(const Node* n, std::size_t input, const Value* out) {
    if (n->kind().is_prim()) return true;
    auto isTensor = [](const Value* v) { return v->type()->isSubtypeOf(*c10::TensorType::get()); };
    return !isTensor(n->inputs()[input]) && !isTensor(out);
  }

  std::unordered_set<const Value*> seen_;
  std::vector<const Value*> open_;
  Writes writes_ = Writes::None;
  bool isTensor_ = false;  // and no list, or object, that holds some
};

constexpr const char* kTraining = "training";

// Whether it trains is known of a module, and with it whether its norms write: scripts ask in each call.
void settleTraining(torch::jit::Graph& graph, const torch::jit::Module& module) {
  const auto sets = torch::jit::findAllNodes(graph, prim::SetAttr, /*recurse=*/true);
  if (std::any_of(sets.begin(), sets.end(), [](const Node* n) { return n->s(c10::attr::name) == kTraining; }))
    return;
  for (Node* n : torch::jit::findAllNodes(graph, prim::GetAttr, /*recurse=*/true)) {
    const bool asks = n->s(c10::attr::name) == kTraining;
    const std::string path = asks ? pathOf(n->input(0), kTraining) : "";
    if (path.empty() || !attributeOf(module, path).isBool()) continue;
    torch::jit::WithInsertPoint here(n);
    n->output()->replaceAllUsesWith(graph.insertConstant(attributeOf(module, path)));
  }
}

}  // namespace

void WritableAttributes::add(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (n->kind() == prim::SetAttr) note(n, Writes::Declared);
    if (n->kind() == prim::GetAttr) note(n, Reach().writesTo(n->output()));
    for (const Block* inner : n->blocks()) add(inner);
  }
}

void WritableAttributes::note(const Node* access, Writes writes) {
  if (writes == Writes::None) return;
  Writes& known = below_[pathOf(access->input(0), access->s(c10::attr::name))];
  known = std::max(known, writes);
}

WritableAttributes::WritableAttributes(const torch::jit::Module& module) {
  auto graph = module.get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  settleTraining(*graph, module);
  torch::jit::PeepholeOptimize(graph);  // "running_mean is None" of what is a tensor
  torch::jit::ConstantPropagation(graph);
  add(graph->block());
  below_[""] = std::max(below_[""], Reach().writesTo(graph->inputs().at(0)));
}

Writes WritableAttributes::of(const std::string& name) const {
  Writes out = Writes::None;
  for (const auto& [path, writes] : below_) {
    bool isBelow = path.empty() || name == path || name.starts_with(path + ".");
    if (isBelow) out = std::max(out, writes);
  }
  return out;
}

}  // namespace kadvise
