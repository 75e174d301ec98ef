#include "analyzer/graph/shape_table.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/match.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// What the tables of one place may take: a mask of 2,048 x 2,048 numbers in float32.
constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;

// Marks the choice between a table and its operators. Nothing that is loaded has it.
const c10::Symbol kIsTable = c10::Symbol::attr("kadvise_table");

using Substitutes = std::unordered_map<Value*, Value*>;

// Nodes outside of the list that numbers come from, though they read tensors of the list: they belong to it.
std::vector<Node*> withNumbersBetween(const std::vector<Node*>& nodes) {
  std::set<Node*> inside(nodes.begin(), nodes.end());
  std::vector<Node*> out;
  for (Node* n = nodes.front(); n != nodes.back()->next(); n = n->next()) {
    bool reads = std::any_of(n->inputs().begin(), n->inputs().end(),
                             [&](Value* in) { return inside.count(in->node()) != 0; });
    bool number = n->blocks().empty() && isPure(n) && n->outputs().size() == 1 && !isTensor(n->output());
    if (!inside.count(n) && reads && number) inside.insert(n);
    if (inside.count(n)) out.push_back(n);
  }
  return out;
}

std::vector<Value*> resultsOf(const std::vector<Node*>& nodes) {
  std::set<const Node*> inside(nodes.begin(), nodes.end());
  std::vector<Value*> out;
  for (Node* n : nodes)
    for (Value* v : n->outputs())
      if (std::any_of(v->uses().begin(), v->uses().end(), [&](auto& use) { return !inside.count(use.user); }))
        out.push_back(v);
  return out;
}

// The number or list of numbers that the run saw.
std::optional<c10::IValue> seen(Value* v, const TracedValues& traced) {
  auto* t = traced.find(v);
  if (!t) return std::nullopt;
  if (v->type()->kind() == c10::TypeKind::IntType && t->scalar.is_number_integer())
    return c10::IValue(t->scalar.get<std::int64_t>());
  bool list = v->type()->isSubtypeOf(*c10::ListType::ofInts()) && t->scalar.is_array() &&
              std::all_of(t->scalar.begin(), t->scalar.end(), [](auto& i) { return i.is_number_integer(); });
  if (list) return c10::IValue(t->scalar.get<std::vector<std::int64_t>>());
  return std::nullopt;
}

// Where a tensor is made, if not beside one that it is given: an operator that nobody tells a device chooses
// the default one, which is not the table's.
bool choosesItsDevice(Node* n) {
  auto* schema = n->maybeSchema();
  if (!schema) return false;  // a list
  bool takesTensor = std::any_of(n->inputs().begin(), n->inputs().end(), isTensor);
  auto at = schema->argumentIndexWithName("device");
  return !takesTensor && at && isNone(n->input(static_cast<std::size_t>(*at)));
}

bool isDevice(const Value* v) { return v->type()->kind() == c10::TypeKind::DeviceObjType; }

// The questions that decide between the table and the nodes: each given value against what the table is for.
struct Asked {
  jit::Graph& graph;
  Substitutes known;
  Value* all = nullptr;

  void whether(Value* given, Value* wanted) {
    known[given] = wanted;
    Value* same = graph.insert(aten::eq, {given, wanted});
    all = all ? graph.insert(aten::__and__, {all, same}) : same;
  }
};

// The table is made on the parameters' device and goes with them, so that must be the device asked for.
class Maker {
 public:
  Maker(const std::vector<Node*>& nodes, const Analysis& analysis) : nodes_(nodes), analysis_(analysis) {}

  std::optional<MadeRewrite> make(std::string& why) {
    auto results = resultsOf(nodes_);
    if (results.empty()) return why = "would be read by nothing", std::nullopt;
    if (why = whyNot(results); !why.empty()) return std::nullopt;
    MadeRewrite made;
    for (Value* v : results) made.roots.push_back(v->node());
    made.pattern = patternOf(nodes_, results, parameters_);
    auto graph = made.pattern->graph->copy();
    if (why = choose(*graph); !why.empty()) return std::nullopt;
    made.replacement = std::make_shared<Replacement>(
        Replacement{graph, {1, Exactness::Reassociates, "", "a table for the sizes that were seen"}, 1});
    if (why = whyNotHere(made); !why.empty()) return std::nullopt;
    return made;
  }

 private:
  std::string whyNot(const std::vector<Value*>& results) const {
    std::int64_t bytes = 0;
    for (Value* v : results) {
      auto* t = analysis_.traced.find(v);
      if (!isTensor(v) || v->node()->outputs().size() != 1) return "decides a number that is read elsewhere";
      if (!t) return "is of unknown size, because the module was not run to this point";
      bytes += bytesOf(*t);
    }
    if (bytes > kMostBytes) return "would take " + std::to_string(bytes >> 20) + " MiB";
    for (Node* n : nodes_)
      if (choosesItsDevice(n)) return "would be made by an operator that leaves the device to a default";
    return "";
  }

  std::string whyNotHere(const MadeRewrite& made) const {
    NearMiss near;
    auto match = matchAt(*made.pattern, made.roots, analysis_.traced, near);
    if (!match) return near.mismatch.at + " " + near.mismatch.reason;
    auto unsafe = whyUnsafe(*made.pattern, *match, analysis_.aliases, memoryOfResults(*made.replacement));
    return unsafe ? unsafe->at + " " + unsafe->reason : "";
  }

  // Puts the nodes of the copy of the pattern under a question. "" when that could be done.
  std::string choose(jit::Graph& graph) {
    std::vector<Node*> body;
    for (Node* n : graph.nodes())
      if (n->kind() != prim::Constant) body.push_back(n);
    std::vector<Value*> outputs(graph.outputs().begin(), graph.outputs().end());
    jit::WithInsertPoint end(graph.return_node());
    Asked asked{graph, {}, nullptr};
    if (auto why = askNumbers(asked); !why.empty()) return why;
    if (auto why = askDevices(asked, body); !why.empty()) return why;
    if (!asked.all) return "";  // constants and parameters alone: folded as it is
    Node* question = graph.create(prim::If, {asked.all}, outputs.size());
    question->i_(kIsTable, 1);
    question->insertBefore(graph.return_node());
    fill(question->addBlock(), body, outputs, asked.known);
    fill(question->addBlock(), body, outputs, {});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      question->output(i)->setType(outputs[i]->type());
      graph.return_node()->replaceInput(i, question->output(i));
    }
    for (auto it = body.rbegin(); it != body.rend(); ++it) (*it)->destroy();
    graph.lint();
    return "";
  }

  // Whether each number that the table starts from is the one that was seen.
  std::string askNumbers(Asked& asked) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (isTensor(parameters_[i])) {
        if (!attributePath(parameters_[i]))
          return "is made by an operator that is given a whole tensor for its size";
        continue;
      }
      Value* given = asked.graph.inputs()[i];
      if (isDevice(given)) continue;
      auto number = seen(parameters_[i], analysis_.traced);
      if (!number) return "starts from a number that is not known";
      asked.whether(given, constantOf(asked.graph, *number));
    }
    return "";
  }

  // Whether each device that is asked for is that of a parameter, where there is one.
  std::string askDevices(Asked& asked, const std::vector<Node*>& body) const {
    auto first = std::find_if(parameters_.begin(), parameters_.end(), isTensor);
    Value* parameter = first == parameters_.end()
                           ? nullptr
                           : asked.graph.inputs()[static_cast<std::size_t>(first - parameters_.begin())];
    for (Node* n : body)
      for (Value* in : n->inputs()) {
        bool given = in->node()->kind() == prim::Param || in->node()->kind() == prim::Constant;
        if (!isDevice(in) || !given || asked.known.count(in)) continue;
        if (parameter) asked.whether(in, asked.graph.insert(prim::device, {parameter}));
        else if (!jit::toIValue(in)) return "is for a device that is known only when the module runs";
      }
    return "";
  }

  static void fill(jit::Block* block, const std::vector<Node*>& body, const std::vector<Value*>& outputs,
                   Substitutes env) {
    auto now = [&](Value* v) {
      auto it = env.find(v);
      return it == env.end() ? v : it->second;
    };
    for (Node* n : body) {
      Node* copy = block->appendNode(block->owningGraph()->createClone(n, now));
      copy->setSourceRange(jit::SourceRange());  // it is not the user's node, but stands for it
      for (std::size_t i = 0; i < n->outputs().size(); ++i) env[n->output(i)] = copy->output(i);
    }
    for (Value* v : outputs) block->registerOutput(now(v));
  }

  const std::vector<Node*>& nodes_;
  const Analysis& analysis_;
  std::vector<Value*> parameters_;
};

}  // namespace

std::optional<MadeRewrite> tableOf(const std::vector<Node*>& nodes, const Analysis& analysis,
                                   std::string& why) {
  for (Node* n : nodes)
    if (n->owningBlock() != analysis.graph.block()) return why = "stands in a loop or branch", std::nullopt;
  auto all = withNumbersBetween(nodes);
  return Maker(all, analysis).make(why);
}

Value* computedBehind(Value* v) {
  Node* n = v->node();
  return n->kind() == prim::If && n->hasAttribute(kIsTable) ? n->blocks()[1]->outputs()[v->offset()]
                                                            : nullptr;
}

}  // namespace kadvise::graph
