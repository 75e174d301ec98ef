#include "analyzer/graph/rewrite.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/layout_observers.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/replacement_here.h"
#include "analyzer/graph/staying_nodes.h"
#include "analyzer/graph/sums_in_place.h"
#include "analyzer/graph/value_words.h"
#include "analyzer/graph/writes_away.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

std::string name(const Value* v) { return valueWords(v); }

bool liesInOrder(const Value* v) { return has(v->node(), OperatorTrait::InOrder); }

// A pattern output that stands for a node of the match (a parameter handed through needs no care).
bool isResult(const Value* p) {
  return p->node()->kind() != jit::prim::Param && p->node()->kind() != jit::prim::Constant;
}

// What the module reads. A write in place is an output that it may not read: there it is found, and that is
// all.
std::set<const Value*> resultsOf(const Pattern& pattern, const Match& match) {
  std::set<const Value*> out;
  for (auto* v : pattern.graph->outputs())
    if (match.at(v)->hasUses()) out.insert(match.at(v));
  return out;
}

// Memory that the region makes, which nobody else writes until its end: those writes are part of what is
// replaced. Whoever writes it later writes what stands for it.
bool isWrittenHereAlone(Value* v, const Match& match, const std::set<const Node*>& inside,
                        const Aliases& aliases) {
  const Value* whole = rootOf(v);
  return inside.count(whole->node()) && isFresh(whole) &&
         !aliases.hasWritersUntil(v, match.nodes.back(), inside);
}

// A node outside the region that reads one of its results and feeds it again: then no single place is right
// for the replacement. Only nodes between the first and the last of the region can do that.
const Node* returnsIntoRegion(const Match& match, const std::set<const Node*>& inside) {
  std::set<const Node*> after;
  Node *first = match.nodes.front(), *last = match.nodes.back();
  auto readsFrom = [&](Node* n, const std::set<const Node*>& nodes) {
    bool found = false;
    auto look = [&](const Node* m) {
      for (auto* in : m->inputs()) found = found || nodes.count(in->node());
    };
    look(n);
    for (jit::Block* b : n->blocks()) {
      forEachNode(b, [&](Node* m) { look(m); });
      look(b->return_node());
    }
    return found;
  };
  for (Node* n = first; n != last->next(); n = n->next()) {
    if (inside.count(n)) {
      if (readsFrom(n, after)) return n;
    } else if (readsFrom(n, inside) || readsFrom(n, after)) {
      after.insert(n);
    }
  }
  return nullptr;
}

// The replacement stands at the anchor: whoever reads a result further up must come after it. False where
// that cannot be.
bool moveReadersBehind(const Pattern& pattern, const Match& match, Aliases& aliases) {
  for (auto* out : pattern.graph->outputs()) {
    if (!isResult(out)) continue;
    for (auto& use : match.at(out)->uses()) {
      Node* reader = holderIn(match.anchor->owningBlock(), use.user);
      bool inside = std::find(match.nodes.begin(), match.nodes.end(), reader) != match.nodes.end();
      if (inside || reader->kind() == jit::prim::Return || reader->isAfter(match.anchor)) continue;
      if (!aliases.moveAfterTopologicallyValid(reader, match.anchor)) return false;
    }
  }
  return true;
}

// What is computed of parameters alone is computed when the module is loaded, before forward writes anything.
bool isWrittenTo(Value* input, const Match& match, const Aliases& aliases) {
  return attributePath(input) ? aliases.hasWriters(input)
                              : aliases.hasWritersFrom(input, match.nodes.front());
}

// Where only a buffer is written, which a caller might hand in as an input, too, or which another attribute
// may hold, the buffer is named.
Mismatch writtenInput(Value* input, const Match& match, const Aliases& aliases) {
  const Node* first = *input->owningGraph()->nodes().begin();
  auto* other = aliases.otherWrittenFrom(input, attributePath(input) ? first : match.nodes.front());
  if (!other) return {name(input), "is an input of the region and is written to in place"};
  auto words = name(other);
  return {name(input), "is an input of the region and may be the same memory as " + words +
                           (words.back() == ',' ? "" : ",") + " which is written to in place"};
}

// A replacement's own errors name its parameters: "{mask} has more" is "the input attention_mask has more".
void nameParameters(Node* inserted, const Pattern& pattern, const Match& match) {
  auto name = [&](Node* n) {
    auto text = n->kind() == jit::prim::Constant ? jit::toIValue(n->output()) : std::nullopt;
    if (!text || !text->isString()) return;
    std::string words = text->toStringRef();
    for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
      std::string mark = "{" + pattern.parameters[i] + "}";
      if (auto at = words.find(mark); at != std::string::npos)
        words.replace(at, mark.size(), valueWords(match.at(pattern.graph->inputs()[i])));
    }
    if (words == text->toStringRef()) return;
    jit::WithInsertPoint here(n);
    n->output()->replaceAllUsesWith(n->owningGraph()->insertConstant(words));
  };
  name(inserted);
  for (jit::Block* b : inserted->blocks()) forEachNode(b, name);
}

// Behind the anchor, read it, and nothing else that is made behind it: what replaces them stands at the
// anchor, wherever they are.
std::set<const Node*> readersOfAnchor(const Match& match) {
  std::set<const Node*> out;
  for (Node* n : match.nodes) {
    if (!n->isAfter(match.anchor)) continue;
    auto isOwn = [&](const Value* v) { return v->node() == match.anchor || out.count(v->node()); };
    auto isThere = [&](Value* v) {
      return isOwn(v) || v->node()->kind() == jit::prim::Constant || v->node()->kind() == jit::prim::Param ||
             v->node()->isBefore(match.anchor);
    };
    auto in = n->inputs();
    if (std::any_of(in.begin(), in.end(), isOwn) && std::all_of(in.begin(), in.end(), isThere)) out.insert(n);
  }
  return out;
}

// Brings the matched nodes together before the anchor, and whoever reads their results behind it.
std::optional<Mismatch> gather(const Pattern& pattern, const Match& match,
                               const std::set<const Node*>& staying, Aliases& aliases) {
  Node* point = match.anchor;
  const auto readers = readersOfAnchor(match);
  for (auto it = match.nodes.rbegin(); it != match.nodes.rend(); ++it) {
    Node* n = *it;
    if (n == match.anchor || staying.count(n) || readers.count(n)) continue;
    bool behind = n->isAfter(match.anchor);  // a sibling: it comes forward, with what it reads
    if (!aliases.moveBeforeTopologicallyValid(n, behind ? match.anchor : point))
      return Mismatch{name(n->output(0)),
                      "cannot be moved past the code between it and the rest of the region"};
    if (!behind) point = n;
  }
  if (!moveReadersBehind(pattern, match, aliases))
    return Mismatch{name(match.anchor->output(0)),
                    "is computed after code that reads another result of the region"};
  return std::nullopt;
}

std::vector<Value*> argumentsOf(const Pattern& pattern, const Match& match) {
  std::vector<Value*> out;
  for (auto* in : pattern.graph->inputs()) out.push_back(match.at(in));
  return out;
}

std::vector<Node*> nodesBetween(Node* before, Node* end) {
  std::vector<Node*> out;
  for (Node* n = before->next(); n != end; n = n->next()) out.push_back(n);
  return out;
}

// Before the anchor, in the words and with the sizes of this place.
Rewritten insertBeforeAnchor(jit::Graph& graph, const Pattern& pattern, const Replacement& replacement,
                             const Match& match) {
  Rewritten out;
  Node* before = match.anchor->prev();
  auto arguments = argumentsOf(pattern, match);
  {
    jit::WithInsertPoint here(match.anchor);
    expandWhatIsAdded(replacement, match, arguments);
    out.results = jit::insertGraph(graph, *replacementHere(replacement, arguments), arguments);
  }
  for (Node* n : nodesBetween(before, match.anchor)) {  // both insert constants
    nameParameters(n, pattern, match);
    sayWhatIsWrittenTo(n, match);
  }
  out.inserted = nodesBetween(before, match.anchor);
  for (Node* n : out.inserted) {
    n->copyMetadata(match.anchor);
    n->setSourceRange(jit::SourceRange());  // it has no id: it is not a node of the user's
  }
  return out;
}

void handOver(const Pattern& pattern, const Match& match, const std::vector<Value*>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    Value* old = match.at(pattern.graph->outputs()[i]);
    results[i]->setType(old->type());
    old->replaceAllUsesWith(results[i]);
  }
}

void destroyUnused(const Match& match) {
  for (auto it = match.nodes.rbegin(); it != match.nodes.rend(); ++it) {
    bool used =
        std::any_of((*it)->outputs().begin(), (*it)->outputs().end(), [](Value* v) { return v->hasUses(); });
    if (!used) (*it)->destroy();
  }
}

}  // namespace

ResultMemory memoryOfResults(const Replacement& replacement) {
  auto results = replacement.graph->outputs();
  std::set<const Value*> different(results.begin(), results.end());
  bool own = different.size() == results.size() && std::all_of(results.begin(), results.end(), isFresh);
  if (!own) return ResultMemory::PerhapsShared;
  return std::all_of(results.begin(), results.end(), liesInOrder) ? ResultMemory::NewInOrder
                                                                  : ResultMemory::New;
}

std::optional<Mismatch> whyUnsafe(const Pattern& pattern, const Match& match, const Aliases& aliases,
                                  ResultMemory memory) {
  std::set<const Node*> inside(match.nodes.begin(), match.nodes.end());
  const auto results = resultsOf(pattern, match);
  const auto staying = staysForOthers(match, inside, results);

  for (Node* n : match.nodes) {
    if (n->hasSideEffects() || isRandom(n))
      return Mismatch{n->kind().toQualString(),
                      "has an effect besides its result, or differs from run to run"};
    for (Value* out : n->outputs()) {
      // A new tensor stands for a new tensor: who writes to the one may write to the other.
      bool isReplaced = !results.count(out) || (memory != ResultMemory::PerhapsShared && isFresh(out));
      if (aliases.hasWriters(out) && !(isReplaced && isWrittenHereAlone(out, match, inside, aliases)))
        return Mismatch{name(out), "is written to in place elsewhere in the module"};
      if (results.count(out) || staying.count(n)) continue;
      for (auto& use : out->uses())
        if (!inside.count(use.user))
          return Mismatch{name(out), std::string("is also used by ") + use.user->kind().toQualString() +
                                         ", so it must still be computed"};
    }
  }
  for (auto* n : staying) inside.erase(n);
  if (auto* n = returnsIntoRegion(match, inside))
    return Mismatch{name(n->output(0)), "depends on a result of the region through code outside it"};
  for (auto* in : pattern.graph->inputs())
    if (inside.count(match.at(in)->node()))
      return Mismatch{name(match.at(in)), "is an input of the region and made by it, too"};
  for (auto* in : pattern.graph->inputs())
    if (isWrittenTo(match.at(in), match, aliases)) return writtenInput(match.at(in), match, aliases);
  for (auto* out : pattern.graph->outputs())
    if (isResult(out) && !(memory == ResultMemory::NewInOrder && liesInOrder(match.at(out))))
      if (auto observed = strideObserver(
              match.at(out), memory == ResultMemory::NewInOrder ? NewStrides::InOrder : NewStrides::Any))
        return Mismatch{name(match.at(out)), *observed + ", and the replacement may choose others"};
  return std::nullopt;
}

Rewritten rewrite(jit::Graph& graph, const Pattern& pattern, const Replacement& replacement,
                  const Match& match, Aliases& aliases) {
  const auto staying =
      staysForOthers(match, {match.nodes.begin(), match.nodes.end()}, resultsOf(pattern, match));
  if (auto refused = whyNotExpanded(replacement, match, argumentsOf(pattern, match)))
    return {{}, {}, std::move(refused)};
  if (auto refused = gather(pattern, match, staying, aliases)) return {{}, {}, std::move(refused)};
  Rewritten out = insertBeforeAnchor(graph, pattern, replacement, match);
  handOver(pattern, match, out.results);
  destroyUnused(match);
  return out;
}

}  // namespace kadvise::graph
