#include "analyzer/graph/capture.h"

#include <unordered_map>

#include "analyzer/core/error.h"
#include "analyzer/graph/held_module.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Module;
using jit::Node;
using jit::Value;
namespace prim = jit::prim;
using Values = std::unordered_map<Value*, Value*>;

std::string runnerName(std::size_t piece) { return "kadvise_runner_" + std::to_string(piece); }

Node* unpack(Graph& graph, Value* list, std::size_t count) {
  Node* n = graph.insertNode(graph.create(prim::ListUnpack, {list}, count));
  for (Value* out : n->outputs()) out->setType(c10::TensorType::get());
  return n;
}

// The body as a graph of its own. Constants and attributes are fetched anew.
class PieceGraph {
 public:
  explicit PieceGraph(const CapturePiece& piece, const c10::TypePtr& selfType)
      : self_(graph_->addInput("self")->setType(selfType)) {
    Value* list = graph_->addInput("inputs")->setType(c10::ListType::ofTensors());
    Node* tensors = unpack(*graph_, list, piece.inputs.size());
    for (std::size_t i = 0; i < piece.inputs.size(); ++i) env_[piece.inputs[i]] = tensors->output(i);
    for (Node* n : piece.sizes) copy(n);
    for (Node* n : piece.body) copy(n);
    std::vector<Value*> results;
    for (Value* out : piece.outputs) results.push_back((*this)(out));
    graph_->registerOutput(graph_->insertNode(graph_->createList(c10::TensorType::get(), results))->output());
    jit::EliminateDeadCode(graph_);  // of modules whose every weight was folded
  }
  std::shared_ptr<Graph> graph() const { return graph_; }

 private:
  Value* operator()(Value* v) {
    if (auto it = env_.find(v); it != env_.end()) return it->second;
    auto kind = v->node()->kind();
    if (kind == prim::Param && v->type()->kind() == c10::TypeKind::ClassType) return self_;
    if (kind != prim::Constant && kind != prim::GetAttr)
      throw Error("cuda-graph", "%" + v->debugName() + " is not at hand inside of the part that is captured");
    return copy(v->node())->output(v->offset());
  }
  Node* copy(Node* n) {
    for (Value* read : readBy(n)) (*this)(read);  // in front of a branch, not inside it
    Node* made = graph_->insertNode(graph_->createClone(n, [this](Value* v) { return (*this)(v); }));
    for (std::size_t i = 0; i < n->outputs().size(); ++i) env_[n->output(i)] = made->output(i);
    return made;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Value* self_;
  Values env_;
};

// The runner's results, behind the last node of the body.
Node* callRunner(Graph& graph, const CapturePiece& piece, std::size_t index) {
  Value* self = graph.inputs().at(0);
  Value* runner = graph.insertNode(graph.createGetAttr(self, runnerName(index)))->output();
  Value* list = graph.insertNode(graph.createList(c10::TensorType::get(), piece.inputs))->output();
  Node* call = graph.insertNode(graph.create(prim::CallMethod, {runner, list}, 1));
  call->s_(jit::attr::name, "run");
  call->output()->setType(c10::ListType::ofTensors());
  return unpack(graph, call->output(), piece.outputs.size());
}

void replaceBody(Graph& graph, const CapturePiece& piece, std::size_t index) {
  jit::WithInsertPoint behind(piece.body.back()->next());
  Node* results = callRunner(graph, piece, index);
  Values now;
  std::vector<Value*> inOrder;
  auto put = [&](Value* was, Value* is) {
    if (now.emplace(was, is).second) inOrder.push_back(was);
  };
  for (std::size_t i = 0; i < piece.outputs.size(); ++i) put(piece.outputs[i], results->output(i));
  for (Node* n : piece.again) {
    Node* made = graph.insertNode(graph.createClone(n, [&](Value* v) { return now.count(v) ? now[v] : v; }));
    for (std::size_t i = 0; i < n->outputs().size(); ++i) put(n->output(i), made->output(i));
  }
  for (Value* was : inOrder) was->replaceAllUsesAfterNodeWith(now[was]->node(), now[was]);
  for (auto n = piece.body.rbegin(); n != piece.body.rend(); ++n) (*n)->destroy();
}

Module pieceModule(const Module& whole, const std::shared_ptr<Graph>& graph, std::size_t index) {
  Module out =
      holdWhatIsRead(whole, *graph, Flags::Leave, "__torch__.kadvise.Captured" + std::to_string(index));
  adoptMethod(out, "captured", graph->copy());
  adoptMethod(out, "plain", graph);
  return out;
}

}  // namespace

Carved carve(Module& module, const CapturePlan& plan, const std::string& runnerClass) {
  auto method = module.get_method("forward");
  auto graph = method.graph();
  Carved out;
  out.runner = runnerClassNamed(runnerClass);
  for (std::size_t i = 0; i < plan.pieces.size(); ++i) {
    module.register_attribute(runnerName(i), out.runner, c10::IValue());
    auto piece = PieceGraph(plan.pieces[i], module.type()).graph();
    out.pieces.push_back(pieceModule(module, piece, i));
  }
  // The last first: what one part is handed may be what the part before it hands out.
  for (std::size_t i = plan.pieces.size(); i-- > 0;) replaceBody(*graph, plan.pieces[i], i);
  jit::EliminateDeadCode(graph);
  out.module = holdWhatIsRead(module, *graph, Flags::Keep, module.type()->name()->qualifiedName());
  adoptMethod(out.module, "forward", graph->copy(), &method.function().getSchema());
  return out;
}

void addRunners(Carved& carved) {
  for (std::size_t i = 0; i < carved.pieces.size(); ++i)
    carved.module.setattr(runnerName(i), makeRunner(carved.runner, carved.pieces[i]));
}

}  // namespace kadvise::graph
