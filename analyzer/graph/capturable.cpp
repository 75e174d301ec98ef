#include "analyzer/graph/capturable.h"

#include <unordered_map>

#include "analyzer/graph/graph_break.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/step.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

constexpr const char* kProbabilities[] = {"dropout_p", "dropout", "p"};
constexpr const char* kTrainingFlags[] = {"train", "training"};

// Nobody knows what such a call does.
constexpr std::string_view kOpaque[] = {"prim::fork", "aten::wait", "prim::awaitable", "prim::awaitable_wait",
                                        "prim::CreateObject"};
// Opaque to LibTorch, and yet they only ask in which mode the call runs; a graph is captured for each.
constexpr std::string_view kAsksForMode[] = {"aten::is_autocast_enabled", "aten::is_autocast_cpu_enabled",
                                             "aten::is_grad_enabled"};
// Their tags say that the size of a result may depend on data; whether it does, the pages judge.
constexpr std::string_view kSizedByPages[] = {"aten::index",   "aten::index_put", "aten::index_put_",
                                              "aten::one_hot", "aten::bincount",  "aten::repeat_interleave",
                                              "aten::where"};

bool isConstantNumber(Value* v, double number) {
  auto c = v ? jit::toIValue(v) : std::nullopt;
  if (!c) return false;
  if (c->isBool()) return c->toBool() == (number != 0);
  return (c->isInt() || c->isDouble()) && c->toScalar().toDouble() == number;
}

bool drawsRandomNumbers(Node* n, GraphFacts&) {
  if (!hasTag(n, at::Tag::nondeterministic_seeded)) return false;
  auto isOff = [n](const char* name) { return isConstantNumber(argumentNamed(n, name), 0); };
  return std::none_of(std::begin(kProbabilities), std::end(kProbabilities), isOff) &&
         std::none_of(std::begin(kTrainingFlags), std::end(kTrainingFlags), isOff);
}

bool writesState(Node* n, GraphFacts&) {
  Value* target = writtenBy(n);
  return target && isTensor(target) && ownerOf(target) == Owner::State;
}

bool takesData(Node* n, GraphFacts& facts) {
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [&](Value* v) { return holdsTensors(v->type()) && facts.dependence().onData(v); });
}

bool readsData(Node* n, GraphFacts& facts) { return readsOnHost(n) && takesData(n, facts); }

bool isSizedByData(Node* n, GraphFacts& facts) {
  bool tagged = hasTag(n, at::Tag::dynamic_output_shape) || hasTag(n, at::Tag::data_dependent_output) ||
                hasTag(n, at::Tag::cudagraph_unsafe);
  return tagged && !isOneOf(kSizedByPages, n) && takesData(n, facts);
}

bool decidesByData(Node* n, GraphFacts& facts) {
  return nodeIs("data-condition", n, facts) || nodeIs("bound-by-data", n, facts);
}

bool crossesToHost(Node* n, GraphFacts& facts) {
  return nodeIs("to-host", n, facts) || nodeIs("from-host", n, facts) || nodeIs("made-on-host", n, facts);
}

// On the CPU a capture runs it once, and a replay not at all.
bool worksOnHost(Node* n, GraphFacts& facts) {
  return launches(n) && std::any_of(n->outputs().begin(), n->outputs().end(), [&](Value* v) {
           return facts.placement().of(v) == Place::Host && facts.dependence().onData(v);
         });
}

bool actsInEachCall(Node* n, GraphFacts& facts) {
  return hasEffects(n) && (n->kind() != jit::aten::warn || !nodeIs("in-branch", n, facts));
}

constexpr std::string_view kKnownLibraries[] = {"aten::", "prim::", "kadvise::", "torchvision::"};
bool isOfAnotherLibrary(Node* n, GraphFacts&) {
  std::string_view kind = n->kind().toQualString();
  return std::none_of(std::begin(kKnownLibraries), std::end(kKnownLibraries),
                      [&](std::string_view library) { return kind.starts_with(library); });
}

struct Check {
  bool (*holds)(Node*, GraphFacts&);
  const char* reason;  // after the operator's name
};
constexpr Check kChecks[] = {
    {drawsRandomNumbers, "draws random numbers, and a replay would have to draw others"},
    {writesState, "changes a parameter or buffer of the module in place"},
    {[](Node* n, GraphFacts&) { return updatesStatistics(n); },
     "runs in training mode and changes the module's running statistics"},
    {readsData, "reads a tensor's value on the host, which waits for the GPU"},
    {decidesByData, "is decided by the data of a tensor, which the host waits for"},
    {isSizedByData, "makes a result whose size depends on data"},
    {crossesToHost, "works with a tensor in the memory of the host"},
    {worksOnHost, "works on a tensor in the memory of the host, which a replay does not do again"},
    {actsInEachCall, "has an effect beside its result, which a replay does not repeat"},
    {[](Node* n, GraphFacts&) { return reshapesInPlace(n); }, "changes the shape of a tensor in place"},
    {isOfAnotherLibrary, "is an operator of another library: nobody knows whether it can be captured"},
};

std::string operatorWords(const Node* n) {
  if (n->kind() == prim::If) return "this branch";
  return n->kind() == prim::Loop ? "this loop" : n->kind().toQualString();
}

bool endsCapture(const CodedFinding& f) {
  return std::any_of(f.breaks.begin(), f.breaks.end(),
                     [](auto& word) { return word == "sync" || word == "capture"; });
}

using ByNode = std::unordered_map<const Node*, Blocker>;

void askPage(const RulePage& page, const Analysis& analysis, ByNode& out) {
  for (auto& f : findGraphBreaks(page, analysis).findings) {
    if (!endsCapture(f)) continue;
    out.emplace(f.node, Blocker{f.node, page.id, f.message});
    for (Node* n : f.related) out.emplace(n, Blocker{n, page.id, f.message});
  }
}

// Inside `with`, autocast say, the meaning of an operator depends on where it stands.
void askOfContexts(const Analysis& analysis, ByNode& out) {
  int depth = 0;
  for (Node* n : analysis.graph.nodes()) {
    if (n->kind() == prim::Enter) ++depth;
    if (depth > 0 && n->kind() != prim::Constant && n->kind() != prim::GetAttr)
      out.emplace(n, Blocker{n, "", operatorWords(n) + " stands inside a with statement"});
    if (n->kind() == prim::Exit) --depth;
  }
}

}  // namespace

bool hasEffects(const Node* n) {
  if (isOneOf(kOpaque, n)) return true;
  return n->hasSideEffects() && n->kind() != prim::RaiseException && !isOneOf(kAsksForMode, n);
}

std::vector<Blocker> blockersOf(const Analysis& analysis, const std::vector<const RulePage*>& pages) {
  ByNode known;
  for (auto* page : pages) askPage(*page, analysis, known);
  askOfContexts(analysis, known);
  GraphFacts facts(analysis);
  std::vector<Blocker> out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (auto it = known.find(n); it != known.end()) return out.push_back(it->second);
    for (auto& check : kChecks)
      if (check.holds(n, facts)) return out.push_back({n, "", operatorWords(n) + " " + check.reason});
  });
  return out;
}

}  // namespace kadvise::graph
