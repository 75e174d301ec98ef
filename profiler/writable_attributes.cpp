#include "profiler/writable_attributes.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

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

// Follows a value to whatever may be the same memory.
class Reach {
 public:
  Writes writesTo(const Value* from) {
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
    if (seen_.insert(v).second) open_.push_back(v);
  }
  void followAll(at::ArrayRef<const Value*> values) {
    for (const Value* v : values) follow(v);
  }

  void visit(const Use& use) {
    const Node* n = use.user;
    if (n->kind() == prim::Return) return leaveBlock(n->owningBlock());
    if (n->kind() == prim::Loop || n->kind() == prim::If) return enterBlocks(n);
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

  void leaveBlock(const Block* block) {
    if (const Node* owner = block->owningNode()) followAll(owner->outputs()), enterBlocks(owner);
  }

  // Which of a loop's values it becomes does not matter much: all of them.
  void enterBlocks(const Node* n) {
    followAll(n->outputs());
    for (const Block* block : n->blocks())
      for (const Value* in : block->inputs()) follow(in);
  }

  void visitOperator(const Use& use, const c10::FunctionSchema& schema) {
    const Node* n = use.user;
    if (mayUpdateStatistics(use)) return meet(Writes::Declared);
    if (!isOfLibTorch(n) || use.offset >= schema.arguments().size()) meet(Writes::Perhaps);
    if (use.offset >= schema.arguments().size()) return;
    const auto* alias = schema.arguments()[use.offset].alias_info();
    if (alias && alias->isWrite()) meet(Writes::Declared);
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
};

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
