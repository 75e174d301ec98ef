#include "kernels/graph_runner/written_memory.h"

#include <algorithm>
#include <unordered_set>

namespace kadvise {
namespace {

using torch::jit::Node;
using torch::jit::Value;
namespace prim = c10::prim;

// Operators that may give out their argument's memory though their schemas do not say so.
const char* const kUnmarkedViews[] = {"aten::type_as",
                                      "aten::dropout",
                                      "aten::feature_dropout",
                                      "aten::alpha_dropout",
                                      "aten::feature_alpha_dropout",
                                      "aten::einsum",
                                      "aten::meshgrid",
                                      "aten::broadcast_tensors",
                                      "aten::atleast_1d",
                                      "aten::atleast_2d",
                                      "aten::atleast_3d",
                                      "aten::sum_to_size",
                                      "aten::cartesian_prod",
                                      "aten::chain_matmul",
                                      "aten::_unsafe_view",
                                      "aten::unsafe_chunk",
                                      "aten::unsafe_split",
                                      "aten::unsafe_split_with_sizes"};

bool isUnmarkedView(const Node& node) {
  static const auto kinds = [] {
    std::unordered_set<c10::Symbol> all;
    for (const char* name : kUnmarkedViews) all.insert(c10::Symbol::fromQualString(name));
    return all;
  }();
  return kinds.count(node.kind()) > 0;
}

// Follows views back to what made the memory. torch's own alias analysis takes whatever was once put into a
// list for anybody's, which would refuse every module that returns the result of an in-place activation in a
// list.
class Origin {
 public:
  Memory of(const Value* value) {
    if (!seen_.insert(value).second) return Memory::None;  // a loop: its other entry decides
    const Node& node = *value->node();
    switch (node.kind()) {
      case prim::Param:
        return ofParameter(value);
      case prim::GetAttr:
      case prim::Constant:
        return Memory::State;
      case prim::If:
      case prim::Loop:
        return ofBranches(value);
      case prim::ListConstruct:
      case prim::TupleConstruct:
        return Memory::Own;  // the container; its elements: contents()
      case prim::unchecked_cast:
      case prim::unchecked_unwrap_optional:
        return of(node.input(0));
      case prim::ListUnpack:
      case prim::TupleUnpack:
      case prim::TupleIndex:
      case prim::TupleSlice:
        return contents(node.input(0));
      default:
        break;
    }
    const bool takesOut = node.kind() == c10::aten::__getitem__ || node.kind() == c10::Symbol::aten("pop");
    return takesOut ? contents(node.input(0)) : ofOperator(value);
  }

  // Of the tensors in a list or tuple.
  Memory contents(const Value* container) {
    const Node& node = *container->node();
    if (node.kind() == prim::ListConstruct || node.kind() == prim::TupleConstruct)
      return ofElements(container);
    return of(container);  // the tensors of an input, an attribute, or an operator are as their list is
  }

 private:
  static Memory worse(Memory a, Memory b) { return std::max(a, b); }

  Memory ofElements(const Value* container) {
    Memory worst = Memory::Own;
    for (const Value* element : container->node()->inputs()) worst = worse(worst, of(element));
    for (const auto& use : container->uses()) {
      const auto kind = use.user->kind();
      const bool takesOut = kind == prim::ListUnpack || kind == prim::TupleUnpack || kind == prim::TupleIndex;
      // A branch or a loop would give the container another name.
      const bool returns = kind == prim::Return && use.user->owningBlock()->owningNode() == nullptr;
      const bool reads = takesOut || returns || !writes(*use.user, use.offset);
      if (!reads) return Memory::Unknown;  // something else may be in it by then
    }
    return worst;
  }

  static bool writes(const Node& node, std::size_t argument) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (!schema || argument >= schema->arguments().size()) return true;
    const c10::AliasInfo* alias = schema->arguments()[argument].alias_info();
    return alias && alias->isWrite();
  }

  Memory ofParameter(const Value* value) {
    const Node* owner = value->node()->owningBlock()->owningNode();
    if (!owner) return value->offset() == 0 ? Memory::State : Memory::Inputs;  // the first one is self
    if (owner->kind() != prim::Loop || value->offset() == 0) return Memory::Unknown;
    // A loop's own inputs begin with the count and the condition, its block's with the index.
    return worse(of(owner->input(value->offset() + 1)), of(owner->blocks()[0]->outputs()[value->offset()]));
  }

  Memory ofBranches(const Value* value) {
    const Node& node = *value->node();
    const bool isLoop = node.kind() == prim::Loop;
    Memory worst = isLoop ? of(node.input(value->offset() + 2)) : Memory::None;
    for (const torch::jit::Block* block : node.blocks()) {
      worst = worse(worst, of(block->outputs()[value->offset() + (isLoop ? 1 : 0)]));
    }
    return worst;
  }

  // A result without a mark is new; a marked one is a view of the arguments with the same mark.
  Memory ofOperator(const Value* value) {
    const Node& node = *value->node();
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (!schema || value->offset() >= schema->returns().size()) return Memory::Unknown;
    const c10::AliasInfo* result = schema->returns()[value->offset()].alias_info();
    if (!result) return isUnmarkedView(node) ? worse(Memory::Own, ofFirst(node)) : Memory::Own;
    bool isMarked = false;
    Memory worst = Memory::None;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      const c10::AliasInfo* argument = schema->arguments()[i].alias_info();
      if (!argument || !mayBeSame(*argument, *result)) continue;
      const bool isList = node.input(i)->type()->kind() == c10::TypeKind::ListType;
      worst = worse(worst, isList ? contents(node.input(i)) : of(node.input(i)));
      isMarked = true;
    }
    return isMarked ? worst : Memory::Unknown;
  }

  // The first tensor or list of them; a product of several in einsum is new.
  Memory ofFirst(const Node& node) {
    for (const Value* in : node.inputs()) {
      const auto kind = in->type()->kind();
      if (kind == c10::TypeKind::TensorType) return of(in);
      if (kind != c10::TypeKind::ListType) continue;
      const bool isProduct = node.kind() == c10::aten::einsum && in->node()->inputs().size() > 1;
      return isProduct ? Memory::Own : contents(in);
    }
    return Memory::Own;
  }

  static bool mayBeSame(const c10::AliasInfo& argument, const c10::AliasInfo& result) {
    if (result.isWildcardBefore() || result.isWildcardAfter()) return true;
    const auto& names = result.beforeSets();
    const bool shares = std::any_of(names.begin(), names.end(), [&](c10::Symbol name) {
      return argument.beforeSets().count(name) > 0 || argument.afterSets().count(name) > 0;
    });
    // The mark of a list of results stands on its elements.
    const auto& elements = result.containedTypes();
    return shares || std::any_of(elements.begin(), elements.end(),
                                 [&](const c10::AliasInfo& element) { return mayBeSame(argument, element); });
  }

  std::unordered_set<const Value*> seen_;
};

bool isListOfTensors(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::ListType &&
         type->containedType(0)->kind() == c10::TypeKind::TensorType;
}

}  // namespace

Memory writtenMemory(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (!schema) return Memory::None;
  Memory worst = Memory::None;
  for (std::size_t i = 0; i < node.inputs().size() && i < schema->arguments().size(); ++i) {
    const c10::AliasInfo* alias = schema->arguments()[i].alias_info();
    if (!alias || !alias->isWrite()) continue;
    worst = std::max(worst, Origin().of(node.input(i)));
    // _foreach_add_ and its like write to the tensors of a list, append and its like to the list.
    const bool writesElements =
        isListOfTensors(node.input(i)->type()) && schema->name().find("foreach") != std::string::npos;
    if (writesElements) worst = std::max(worst, Origin().contents(node.input(i)));
  }
  return worst;
}

Memory memoryOf(const torch::jit::Value& tensor) { return Origin().of(&tensor); }

}  // namespace kadvise
