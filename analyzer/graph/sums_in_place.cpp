#include "analyzer/graph/sums_in_place.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/value_words.h"
#include "analyzer/graph/writes_away.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool isMadeInside(const Value* v, const Match& match) {
  return std::find(match.nodes.begin(), match.nodes.end(), v->node()) != match.nodes.end();
}

struct Added {
  std::size_t at;  // of the arguments
  Value* to;
  const Node* reader;  // in the replacement
};

std::vector<Added> addedFromOutside(const Replacement& replacement, const Match& match,
                                    const std::vector<Value*>& arguments) {
  std::vector<Added> out;
  for (Node* n : match.nodes) {
    Value* written = const_cast<Value*>(writtenToOf(n));
    if (!written || isMadeInside(written, match) || isMadeInside(n->input(1), match)) continue;
    auto at = std::find(arguments.begin(), arguments.end(), n->input(1));
    if (at == arguments.end() || *at == written) continue;
    auto place = static_cast<std::size_t>(at - arguments.begin());
    auto& uses = replacement.graph->inputs()[place]->uses();
    if (uses.size() == 1) out.push_back({place, written, uses.front().user});
  }
  return out;
}

}  // namespace

void sayWhatIsWrittenTo(Node* inserted, const Match& match) {
  auto* schema = inserted->maybeSchema();
  auto argument = schema ? schema->argumentIndexWithName("into") : std::nullopt;
  for (Node* n : match.nodes) {
    const Value* written = argument ? writtenToOf(n) : nullptr;
    if (!written) continue;
    jit::WithInsertPoint here(inserted);
    inserted->replaceInput(
        static_cast<std::size_t>(*argument),
        inserted->owningGraph()->insertConstant(isMadeInside(written, match) ? "product" : "z"));
  }
}

void expandWhatIsAdded(const Replacement& replacement, const Match& match, std::vector<Value*>& arguments) {
  for (auto& added : addedFromOutside(replacement, match, arguments)) {
    Value*& b = arguments[added.at];
    b = b->owningGraph()->insert(jit::aten::expand_as, {b, added.to});
  }
}

std::optional<Mismatch> whyNotExpanded(const Replacement& replacement, const Match& match,
                                       const std::vector<Value*>& arguments) {
  for (auto& added : addedFromOutside(replacement, match, arguments))
    if (has(added.reader, OperatorTrait::View))
      return Mismatch{valueWords(arguments[added.at]),
                      "is added in place, and the replacement needs its dimensions in another order"};
  return std::nullopt;
}

}  // namespace kadvise::graph
