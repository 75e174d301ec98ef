#include "analyzer/graph/numbers_on_device.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// A launch for each number: more of them are better copied.
constexpr std::size_t kMostNumbers = 16;

// Of aten::tensor.
enum Argument : std::size_t { kData, kDtype, kDevice, kRequiresGrad };

bool isNumber(const Value* v) {
  auto kind = v->type()->kind();
  return kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
         kind == c10::TypeKind::BoolType;
}

// The numbers, where they are known one by one: a list that is made on the spot and only read here.
std::vector<Value*> numbersIn(Value* data) {
  if (isNumber(data)) return {data};
  Node* list = data->node();
  bool known = list->kind() == prim::ListConstruct && data->uses().size() == 1 &&
               list->inputs().size() <= kMostNumbers &&
               std::all_of(list->inputs().begin(), list->inputs().end(), isNumber);
  return known ? std::vector<Value*>(list->inputs().begin(), list->inputs().end()) : std::vector<Value*>();
}

bool wantsGradient(Node* n) {
  auto flag = jit::toIValue(n->input(kRequiresGrad));
  return !flag || !flag->isBool() || flag->toBool();
}

bool makesNumbers(Node* n) {
  return n->kind() == aten::tensor && n->inputs().size() == 4 && !wantsGradient(n) &&
         !numbersIn(n->input(kData)).empty();
}

// What aten::tensor makes of numbers, on the device.
class Maker {
 public:
  Maker(Node* n, Value* device) : n_(n), device_(device), graph_(*n->owningGraph()) {}

  Value* make() {
    std::vector<Value*> made;
    for (Value* number : numbersIn(n_->input(kData))) made.push_back(filled(number));
    return cast(isNumber(n_->input(kData)) ? made[0] : stacked(made));
  }

 private:
  // Of the dtype that the number has by itself: whole numbers become int64, others the default.
  Value* filled(Value* number) {
    Value *none = graph_.insertConstant(c10::IValue()), *dtype = none;
    auto kind = number->type()->kind();
    if (kind == c10::TypeKind::IntType) dtype = graph_.insertConstant(static_cast<std::int64_t>(at::kLong));
    if (kind == c10::TypeKind::BoolType) {
      dtype = graph_.insertConstant(static_cast<std::int64_t>(at::kBool));
      number = graph_.insert(aten::Int, {number});  // a bool is no number to full
    }
    Value* size = insert(graph_.createList(c10::IntType::get(), {}));
    return insert(graph_.create(aten::full, {size, number, dtype, none, device_, none}));
  }

  Value* stacked(const std::vector<Value*>& made) {
    Value* list = insert(graph_.createList(c10::TensorType::get(), made));
    return insert(graph_.create(aten::stack, {list, graph_.insertConstant(std::int64_t{0})}));
  }

  // As the operator does it too: a float in single precision first, say, and then in double.
  Value* cast(Value* made) {
    if (isNone(n_->input(kDtype))) return made;
    Value *no = graph_.insertConstant(false), *none = graph_.insertConstant(c10::IValue());
    return insert(graph_.create(aten::to, {made, n_->input(kDtype), no, no, none}));
  }

  Value* insert(Node* made) { return graph_.insertNode(made)->output(); }

  Node* n_;
  Value* device_;
  Graph& graph_;
};

// A trace on a CPU says "cpu" where one on a GPU would name that: the module would be on it, too.
bool isOnGpu(const Placement& placement, const Value* v) {
  Place place = placement.of(v);
  return place == Place::Gpu || place == Place::Traced;
}

// Where the node moves its first operand, and nullptr where it moves nothing. Asked of another tensor in
// front of the node.
Value* destinationOf(Node* n) {
  if (n->kind() != aten::to && n->kind() != aten::type_as) return nullptr;
  if (Value* device = argumentNamed(n, "device")) return isNone(device) ? nullptr : device;
  Value* other = argumentNamed(n, "other");
  if (!other || !isTensor(other)) return nullptr;
  jit::WithInsertPoint here(n);
  return n->owningGraph()->insert(prim::device, {other});
}

class Constants {
 public:
  explicit Constants(jit::Module& module) : module_(module), graph_(*module.get_method("forward").graph()) {}

  // The constant as a buffer, which goes where the module goes.
  Value* bufferOf(Value* v, const at::Tensor& constant) {
    auto [at, fresh] = buffers_.emplace(v, nullptr);
    if (!fresh) return at->second;
    std::string name = "kadvise_constant_" + std::to_string(buffers_.size() - 1);
    module_.register_buffer(name, constant);
    jit::WithInsertPoint start(*graph_.nodes().begin());
    return at->second = graph_.insertNode(graph_.createGetAttr(graph_.inputs()[0], name))->output();
  }

 private:
  jit::Module& module_;
  Graph& graph_;
  std::unordered_map<const Value*, Value*> buffers_;
};

// What aten::tensor makes of constants, on the host whatever device it names.
std::optional<at::Tensor> madeOfConstants(Node* n) {
  auto data = jit::toIValue(n->input(kData)), dtype = jit::toIValue(n->input(kDtype));
  if (!data || !dtype || wantsGradient(n)) return std::nullopt;
  jit::Stack stack = {*data, *dtype, c10::IValue(), false};
  n->getOperation()(stack);
  return stack.back().toTensor();
}

// A constant of the file, or one that is made anew in each call.
std::optional<at::Tensor> constantTensor(const Value* v) {
  Node* n = const_cast<Node*>(v->node());
  if (n->kind() == aten::tensor && n->inputs().size() == 4) return madeOfConstants(n);
  auto constant = jit::toIValue(v);
  bool isOne = constant && constant->isTensor() && constant->toTensor().defined();
  return isOne ? std::optional(constant->toTensor()) : std::nullopt;
}

bool isIndexing(const Node* n) {
  return n->kind() == aten::index || n->kind() == aten::index_put || n->kind() == aten::index_put_;
}

// Of its own in each call, as what aten::tensor makes: somebody may write to it.
Value* copyOf(Value* buffer, Value* device) {
  Graph& graph = *buffer->owningGraph();
  Value *no = graph.insertConstant(false), *yes = graph.insertConstant(true),
        *none = graph.insertConstant({});
  return graph.insertNode(graph.create(aten::to, {buffer, device, none, no, yes}))->output();
}

void bringNumbers(Node* n, Constants& constants, const Placement& placement) {
  bool named = n->kind() == aten::tensor && n->inputs().size() == 4 && !isNone(n->input(kDevice));
  if (!named) return;
  jit::WithInsertPoint here(n);
  Value *device = n->input(kDevice), *made = nullptr;
  if (makesNumbers(n)) made = Maker(n, device).make();
  else if (auto constant = isOnGpu(placement, n->output()) ? madeOfConstants(n) : std::nullopt)
    made = copyOf(constants.bufferOf(n->output(), *constant), device);
  if (!made) return;
  made->node()->copyMetadata(n);  // the run has seen this one of them
  n->output()->replaceAllUsesWith(made);
}

void bringMoved(Node* n, Constants& constants, const Placement& placement) {
  Value* moved = n->inputs().empty() ? nullptr : n->input(0);
  if (!moved || n->outputs().size() != 1 || !isOnGpu(placement, n->output())) return;
  bool isNumber = makesNumbers(moved->node());
  auto constant = isNumber ? std::nullopt : constantTensor(moved);
  if (!constant && !isNumber) return;
  Value* device = destinationOf(n);
  if (!device) return;
  jit::WithInsertPoint here(n);
  n->replaceInput(0, constant ? constants.bufferOf(moved, *constant) : Maker(moved->node(), device).make());
}

// What a list holds, be it a constant or made on the spot.
std::vector<Value*> elementsOf(Value* list) {
  if (list->node()->kind() == prim::ListConstruct)
    return {list->node()->inputs().begin(), list->node()->inputs().end()};
  std::vector<Value*> out;
  auto constant = jit::toIValue(list);
  if (constant && constant->isList())
    for (const c10::IValue& each : constant->toListRef())
      out.push_back(list->owningGraph()->insertConstant(each));
  return out;
}

// x[:, i] of a constant i: the list of indices is made anew, with None where all is taken.
void bringIndices(Node* n, Constants& constants, const Placement& placement) {
  if (!isIndexing(n) || !isOnGpu(placement, n->input(0))) return;
  Graph& graph = *n->owningGraph();
  jit::WithInsertPoint here(n);
  auto indices = elementsOf(n->input(1));
  bool any = false;
  for (Value*& v : indices)
    if (auto constant = constantTensor(v)) any = (v = constants.bufferOf(v, *constant)) != nullptr;
  if (any)
    n->replaceInput(1, graph.insertNode(graph.createList(c10::OptionalType::ofTensor(), indices))->output());
}

}  // namespace

void numbersOnDevice(jit::Module& module, const TracedValues& traced, const Target& target) {
  auto graph = module.get_method("forward").graph();
  Placement placement(*graph, traced, target);
  Constants constants(module);
  std::vector<Node*> nodes;
  forEachNode(graph->block(), [&](Node* n) { nodes.push_back(n); });
  for (Node* n : nodes) {
    bringNumbers(n, constants, placement);
    bringMoved(n, constants, placement);
    bringIndices(n, constants, placement);
  }
  jit::EliminateDeadCode(graph);
}

}  // namespace kadvise::graph
