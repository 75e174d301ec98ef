#include "profiler/marked_module.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/utils/subgraph_utils.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>

#include "profiler/source_place.h"

namespace kadvise {
namespace {

using torch::jit::Block;
using torch::jit::Node;
using torch::jit::SourceRange;
using torch::jit::Value;

constexpr const char* kMark = "kadvise-place";

std::optional<std::size_t> markOf(const SourceRange& range) {
  if (!range.source() || range.source()->filename() != std::string(kMark)) return std::nullopt;
  return range.source()->starting_line_no();
}

void setMark(Node* n, std::size_t mark) {
  auto source = std::make_shared<torch::jit::Source>(std::string_view(), std::string(kMark), mark);
  n->setSourceRange(SourceRange(source, 0, 0));
}

// "encoder.layer.0" of the module that a value holds; none when it does not begin at self.
std::optional<std::string> pathOf(Value* v, Value* self) {
  std::string path;
  for (; v->node()->kind() == c10::prim::GetAttr; v = v->node()->input())
    path = v->node()->s(c10::attr::name) + (path.empty() ? "" : "." + path);
  if (v != self) return std::nullopt;
  return path;
}

torch::jit::Function* calleeOf(Node* n) {
  if (n->kind() == c10::prim::CallMethod) {
    auto type = n->input(0)->type()->cast<c10::ClassType>();
    return type ? &type->getMethod(n->s(c10::attr::name)) : nullptr;
  }
  if (n->kind() != c10::prim::CallFunction) return nullptr;
  return n->input(0)->type()->expectRef<c10::FunctionType>().function();
}

bool callsModules(Block* block) {
  for (Node* n : block->nodes()) {
    if (n->kind() == c10::prim::CallMethod) return true;
    for (Block* inner : n->blocks())
      if (callsModules(inner)) return true;
  }
  return false;
}

class Marker {
 public:
  explicit Marker(torch::jit::Graph& graph)
      : graph_(graph), self_(graph.inputs().at(0)), isFlat_(!callsModules(graph.block())) {}

  std::vector<Place> mark() {
    walk(graph_.block(), Frame{"", {}});
    return std::move(places_);
  }

 private:
  struct Frame {
    std::string scope;
    Location caller;  // the innermost line of the user's among the calls that led here
  };

  Location placeIn(const Frame& frame, Node* n) const {
    Location where = frame.caller;
    if (auto own = placeOf(n->sourceRange()); own && isUsersFile(own->file)) where = *own;
    where.scope = isFlat_ ? ownerOfOperand(n) : frame.scope;
    return where;
  }

  // A module that was inlined before it was saved (kadvise writes such) calls no other: whose parameter an
  // operator reads is what is left of the path.
  std::string ownerOfOperand(Node* n) const {
    for (Value* input : n->inputs()) {
      auto path = input->node()->kind() == c10::prim::GetAttr ? pathOf(input, self_) : std::nullopt;
      if (path && path->find('.') != std::string::npos) return path->substr(0, path->rfind('.'));
    }
    return "";
  }

  void walk(Block* block, const Frame& frame) { walk(block->nodes().begin(), block->return_node(), frame); }

  // What a call leaves behind lies between the nodes that stood around it.
  void walk(torch::jit::graph_node_list_iterator from, const Node* end, const Frame& frame) {
    while (*from != end) {
      Node* n = *from++;
      for (Block* inner : n->blocks()) walk(inner, frame);
      if (!inlineCall(n, frame)) markNode(n, frame);
    }
  }

  bool inlineCall(Node* n, const Frame& frame) {
    torch::jit::Function* function = calleeOf(n);
    auto* body = function ? torch::jit::tryToGraphFunction(*function) : nullptr;
    if (!body) return false;
    Frame inside{frame.scope, placeIn(frame, n)};
    if (n->kind() == c10::prim::CallFunction) n->removeInput(0);  // the function itself
    else if (auto path = pathOf(n->input(0), self_)) inside.scope = *path;
    auto copy = body->graph()->copy();
    Node *before = n->prev(), *after = n->next();
    torch::jit::inlineCallTo(n, body, copy.get());
    walk(before->next()->iterator(), after, inside);
    return true;
  }

  void markNode(Node* n, const Frame& frame) {
    places_.push_back({n->kind().toQualString(), placeIn(frame, n), true});
    setMark(n, places_.size() - 1);
  }

  torch::jit::Graph& graph_;
  Value* self_;
  bool isFlat_;
  std::vector<Place> places_;
};

std::string commonScope(const std::string& a, const std::string& b) {
  if (a == b) return a;
  std::size_t common = 0;
  for (std::size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    bool aEnds = i == a.size() || a[i] == '.', bEnds = i == b.size() || b[i] == '.';
    if (aEnds && bEnds) common = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, common);
}

// Makes one place of two: what they share.
void join(Place& place, const Place& other) {
  if (!other.isKnown) return;
  if (!place.isKnown) {
    place.where = other.where;
    place.isKnown = true;
    return;
  }
  auto scope = commonScope(place.where.scope, other.where.scope);
  if (place.where.file != other.where.file || place.where.line != other.where.line) place.where = Location{};
  place.where.scope = scope;
}

// Nodes that freezing has made (joined products, folded batch norms) belong where their results are used
// first, and where nobody that is marked uses them, where their operands were made.
class Adopter {
 public:
  explicit Adopter(std::vector<Place>& places) : places_(places) {}

  // Backwards, so that the users are known before.
  void adopt(Block* block) {
    for (Node* n : block->nodes().reverse()) {
      for (Block* inner : n->blocks()) adopt(inner);
      if (!markOf(n->sourceRange())) adopt(n);
    }
  }

 private:
  void adopt(Node* n) {
    Place place{n->kind().toQualString(), {}, false};
    for (Value* output : n->outputs())
      for (const auto& use : output->uses()) joinPlaceOf(place, use.user);
    if (!place.isKnown)
      for (Value* input : n->inputs()) joinPlaceOf(place, input->node());
    places_.push_back(place);
    setMark(n, places_.size() - 1);
  }

  void joinPlaceOf(Place& place, Node* neighbour) {
    if (auto mark = markOf(neighbour->sourceRange())) join(place, places_[*mark]);
  }

  std::vector<Place>& places_;
};

// LibTorch names a group by its operators and cuts long names, in one place to 40 characters and in another
// to 80.
constexpr std::size_t kLongestNames[] = {40, 80};

void noteGroups(Block* block, Marks& marks) {
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) noteGroups(inner, marks);
    if (n->kind() != c10::prim::TensorExprGroup) continue;
    auto group = n->g(c10::attr::Subgraph);
    Place place;
    for (Node* fused : group->nodes())
      if (auto mark = markOf(fused->sourceRange()); mark && *mark < marks.places.size())
        join(place, marks.places[*mark]);
    for (auto longest : kLongestNames) {
      place.op = torch::jit::SubgraphUtils::generateNameForGraph(group, longest, "fused");
      bool isTold = longest != kLongestNames[0] && place.op.size() <= kLongestNames[0];
      if (!isTold) marks.fused[place.op].push_back(place);
    }
  }
}

}  // namespace

void noteFused(MarkedModule& m) {
  m.marks.fused.clear();
  try {
    auto& executor = torch::jit::toGraphFunction(m.module.get_method("forward").function()).get_executor();
    for (auto& [arguments, plan] : executor.getDebugState().execution_plans)
      noteGroups(plan.graph->block(), m.marks);
  } catch (const std::exception&) {
    // An executor without a plan has fused nothing.
  }
}

MarkedModule marked(const torch::jit::Module& module, Freezing freezing) {
  constexpr bool kSharedTensors = true;
  MarkedModule out{module.clone(kSharedTensors), {}};
  out.module.eval();
  auto graph = torch::jit::toGraphFunction(out.module.get_method("forward").function()).graph();
  out.marks.places = Marker(*graph).mark();
  if (freezing == Freezing::AsLoaded) return out;
  out.module = torch::jit::freeze(out.module);
  Adopter(out.marks.places).adopt(out.module.get_method("forward").graph()->block());
  return out;
}

std::optional<std::size_t> currentMark() {
  auto frames = torch::jit::currentCallstack();
  for (const auto& frame : frames)
    if (auto mark = markOf(frame.range)) return mark;
  return std::nullopt;
}

}  // namespace kadvise
