#include "analyzer/graph/shape_table.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/match.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/seen_numbers.h"
#include "analyzer/graph/table_nodes.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// Fewer launches are cheaper than anything one could put in their place.
constexpr std::ptrdiff_t kFewestOperators = 3;
// What the tables of one place may take: masks of 2,048 x 2,048 numbers, relative positions of 24 layers.
constexpr double kMostBytes = 64 << 20;
// And what parameters may, that are transformed alike in all layers.
constexpr double kMostFoldedBytes = 512 << 20;

// Marks the choice between a table and its operators. Nothing that is loaded has it.
const c10::Symbol kIsTable = c10::Symbol::attr("kadvise_table");

// Ten times what element-wise work of its size takes.
bool isInterpolation(const Node* n) {
  return std::string_view(n->kind().toQualString()).starts_with("aten::upsample_");
}

using Substitutes = std::unordered_map<Value*, Value*>;

bool isDevice(const Value* v) { return v->type()->kind() == c10::TypeKind::DeviceObjType; }

// The questions that decide between the table and the nodes: each given value against what the table is for.
struct Asked {
  jit::Graph& graph;
  Substitutes known = {};
  Value* all = nullptr;
  Value* home = nullptr;             // the table's device
  Substitutes dtypes = {};           // of tensors of which only that and the device are asked
  std::vector<Value*> devices = {};  // of those, as they are given

  void whether(Value* given, Value* wanted) {
    known[given] = wanted;
    Value* same = graph.insert(aten::eq, {given, wanted});
    all = all ? graph.insert(aten::__and__, {all, same}) : same;
  }
};

// The table is made where the module has its tensors and goes with them: that must be the device asked for.
class Maker {
 public:
  // held: those nodes whose results the table has.
  Maker(const std::vector<Node*>& nodes, const std::vector<Node*>& held, const Analysis& analysis,
        double mostBytes, const char* title)
      : nodes_(nodes), held_(held), analysis_(analysis), mostBytes_(mostBytes), title_(title) {}

  std::optional<MadeRewrite> make(std::string& why) {
    results_ = resultsOfTable(nodes_);
    if (results_.empty()) return why = "would be read by nothing", std::nullopt;
    if (why = whyNot(results_); !why.empty()) return std::nullopt;
    MadeRewrite made;
    for (Value* v : results_) made.roots.push_back(v->node());
    made.pattern = patternOf(nodes_, results_, parameters_);
    auto graph = made.pattern->graph->copy();
    if (why = choose(*graph); !why.empty()) return std::nullopt;
    made.replacement =
        std::make_shared<Replacement>(Replacement{graph, {1, Exactness::Reassociates, "", title_}, 1});
    if (why = whyNotHere(made); !why.empty()) return std::nullopt;
    return made;
  }

 private:
  std::string whyNot(const std::vector<Value*>& results) const {
    for (Value* v : results) {
      if (!isTensor(v) || v->node()->outputs().size() != 1) return "makes a number or list that others read";
      if (!analysis_.traced.find(v))
        return "is of unknown size, because the module was not run to this point";
    }
    const double bytes = bytesOfTable(held_, analysis_.traced);
    if (bytes > mostBytes_)
      return "would take " + std::to_string(static_cast<std::int64_t>(bytes) >> 20) + " MiB";
    for (Value* v : results)
      if (staysOnDefault(nodes_, v))
        return "would be made by an operator that leaves the device to a default";
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
    Asked asked{graph};
    if (auto why = askNumbers(asked); !why.empty()) return why;
    asked.home = homeOf(asked, body);
    if (asked.home) askDevices(asked, body);
    if (!asked.all) return "";  // constants and parameters alone: folded as it is
    Node* question = graph.create(prim::If, {asked.all}, outputs.size());
    question->i_(kIsTable, 1);
    question->insertBefore(graph.return_node());
    fill(question->addBlock(), body, outputs, asked);
    fill(question->addBlock(), body, outputs, Asked{graph});
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
      Value* given = asked.graph.inputs()[i];
      if (isDevice(given) || attributePath(parameters_[i])) continue;
      if (isTensor(given)) {
        if (!askHome(asked, given) && !askLikeness(asked, given, analysis_.traced.find(parameters_[i])))
          return "is made by an operator that is given a whole tensor for its size";
        continue;
      }
      auto number = seenNumber(parameters_[i], analysis_.traced);
      if (!number) return "starts from a number that is not known";
      asked.whether(given, constantOf(asked.graph, *number));
    }
    return "";
  }

  // What is indexed must be where the table is.
  static bool askHome(Asked& asked, Value* given) {
    auto& uses = given->uses();
    bool isIndexed =
        std::all_of(uses.begin(), uses.end(), [](auto& use) { return use.offset == 0 && indexes(use.user); });
    if (isIndexed) asked.devices.push_back(asked.graph.insert(prim::device, {given}));
    return isIndexed;
  }

  // x.new_zeros(sizes) asks x for its dtype and device, and for nothing else.
  static bool askLikeness(Asked& asked, Value* given, const TracedValue* seen) {
    auto& uses = given->uses();
    bool described = seen && std::all_of(uses.begin(), uses.end(), [](auto& use) {
                       return use.offset == 0 && !plainMakerOf(use.user).empty();
                     });
    if (!described) return false;
    auto& graph = asked.graph;
    auto constant = [&](auto number) { return constantOf(graph, static_cast<std::int64_t>(number)); };
    asked.dtypes[given] = constant(seen->dtype);
    asked.whether(graph.insert(prim::dtype, {given}), asked.dtypes[given]);
    asked.whether(graph.insert(prim::layout, {given}), constant(c10::Layout::Strided));
    asked.devices.push_back(graph.insert(prim::device, {given}));
    return true;
  }

  // Where the table is: where a parameter is that takes part, or else where the module has its tensors. Not
  // needed where all that is made is for a device that the file names.
  Value* homeOf(Asked& asked, const std::vector<Node*>& body) const {
    auto first = std::find_if(parameters_.begin(), parameters_.end(),
                              [](Value* v) { return isTensor(v) && attributePath(v); });
    if (first != parameters_.end()) {
      auto* parameter = asked.graph.inputs()[static_cast<std::size_t>(first - parameters_.begin())];
      return asked.graph.insert(prim::device, {parameter});
    }
    bool isNeeded = std::any_of(body.begin(), body.end(), [](Node* n) {
      return choosesItsDevice(n) || std::any_of(n->inputs().begin(), n->inputs().end(), [](Value* in) {
               return isDevice(in) && in->node()->kind() == prim::Param;
             });
    });
    return isNeeded || !asked.devices.empty() ? asked.graph.insert(prim::device, {insertAtHome(asked.graph)})
                                              : nullptr;
  }

  // A device that is named for what is read only where the table is, as a GPU reads an index of the host.
  bool decidesNothing(Value* device) const {
    auto named = jit::toIValue(device);
    return named && named->isDevice() && std::all_of(results_.begin(), results_.end(), [&](Value* v) {
             auto& made = analysis_.traced.find(v)->device;
             return !made.empty() && c10::Device(made).type() != named->toDevice().type();
           });
  }

  // Whether each device that is asked for is that of the table.
  void askDevices(Asked& asked, const std::vector<Node*>& body) const {
    for (Value* device : asked.devices) asked.whether(device, asked.home);
    for (Node* n : body)
      for (Value* in : n->inputs()) {
        bool given = in->node()->kind() == prim::Param || in->node()->kind() == prim::Constant;
        if (isDevice(in) && given && !asked.known.count(in) && !decidesNothing(in))
          asked.whether(in, asked.home);
      }
  }

  static void fill(jit::Block* block, const std::vector<Node*>& body, const std::vector<Value*>& outputs,
                   const Asked& asked) {
    Substitutes env = asked.known;
    auto now = [&](Value* v) {
      auto it = env.find(v);
      return it == env.end() ? v : it->second;
    };
    for (Node* n : body) {
      bool alike = !n->inputs().empty() && asked.dtypes.count(n->input(0));
      Node* copy =
          block->appendNode(alike ? plainMaker(n, asked, now) : block->owningGraph()->createClone(n, now));
      copy->setSourceRange(jit::SourceRange());  // it is not the user's node, but stands for it
      if (asked.home && choosesItsDevice(n)) sayDevice(copy, asked.home);
      for (std::size_t i = 0; i < n->outputs().size(); ++i) {
        copy->output(i)->setDebugName("");  // equal layers have equal tables, whatever they call things
        env[n->output(i)] = copy->output(i);
      }
    }
    for (Value* v : outputs) block->registerOutput(now(v));
  }

  // zeros for new_zeros: the same arguments, but for the tensor.
  static Node* plainMaker(Node* n, const Asked& asked, const std::function<Value*(Value*)>& now) {
    std::vector<Value*> inputs;
    for (Value* in : n->inputs().slice(1)) inputs.push_back(now(in));
    Node* made = asked.graph.create(c10::Symbol::aten(plainMakerOf(n)), inputs);
    auto say = [&](const char* argument, Value* v) {
      auto at = static_cast<std::size_t>(*n->schema().argumentIndexWithName(argument)) - 1;
      if (isNone(made->input(at))) made->replaceInput(at, v);
    };
    say("dtype", asked.dtypes.at(n->input(0)));
    say("device", asked.home);
    return made;
  }

  static void sayDevice(Node* n, Value* device) {
    n->replaceInput(static_cast<std::size_t>(*n->schema().argumentIndexWithName("device")), device);
  }

  const std::vector<Node*>&nodes_, &held_;
  const Analysis& analysis_;
  double mostBytes_;
  const char* title_;
  std::vector<Value*> parameters_, results_;
};

}  // namespace

bool isTable(const Node* n) { return n->kind() == prim::If && n->hasAttribute(kIsTable); }

bool areWorthATable(const std::vector<Node*>& nodes) {
  return std::count_if(nodes.begin(), nodes.end(), launches) >= kFewestOperators ||
         std::any_of(nodes.begin(), nodes.end(), isInterpolation);
}

std::optional<MadeRewrite> tableOf(const std::vector<Node*>& nodes, const Analysis& analysis,
                                   std::string& why) {
  if (why = whyNoTableHere(nodes); !why.empty()) return std::nullopt;
  auto held = nodesOfTable(nodes);
  if (auto within = nodesWithin(held, analysis.traced, kMostBytes); areWorthATable(within)) held = within;
  if (!areWorthATable(held)) return why = "waits for what others compute of its results", std::nullopt;
  const auto all = withIndexed(held);
  return Maker(all, held, analysis, kMostBytes, "a table for the sizes that were seen").make(why);
}

std::optional<MadeRewrite> foldedOf(const std::vector<Node*>& nodes, const Analysis& analysis,
                                    std::string& why) {
  if (why = whyNoTableHere(nodes); !why.empty()) return std::nullopt;
  for (Value* v : resultsOfTable(nodes))
    if (isTensor(v) && analysis.aliases.escapesScope({v}))
      return why = "is handed to the caller, who may write to it", std::nullopt;
  // Whoever compares a region gets what it returns as a copy (fold.cpp), which takes as long as many a
  // region.
  return Maker(nodes, nodes, analysis, kMostFoldedBytes,
               "computed when the module is written (timed in its region with a copy, which the module does "
               "not make)")
      .make(why);
}

Value* computedBehind(Value* v) {
  return isTable(v->node()) ? v->node()->blocks()[1]->outputs()[v->offset()] : nullptr;
}

bool standsInTable(const Node* n) {
  const Node* owner = n->owningBlock()->owningNode();
  return owner && isTable(owner);
}

}  // namespace kadvise::graph
