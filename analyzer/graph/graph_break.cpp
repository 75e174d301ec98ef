#include "analyzer/graph/graph_break.h"

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/fact_words.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/rule_text.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Tag {
  const char* name;
  at::Tag tag;
};
constexpr Tag kTags[] = {{"data-dependent-output", at::Tag::data_dependent_output},
                         {"dynamic-output-shape", at::Tag::dynamic_output_shape},
                         {"cudagraph-unsafe", at::Tag::cudagraph_unsafe}};

// Words are looked up before any node is, so that a misspelt page fails in a module without such nodes too.
void requireKnownWords(const RulePage& page) {
  auto fail = [&](const std::string& what, const std::string& word) {
    throw Error(page.path, "\"nodes\" asks for the " + what + " \"" + word + "\", which does not exist");
  };
  for (auto& q : page.nodes.queries) {
    for (auto& word : q.facts)
      if (!isFactOfNodes(word)) fail("fact", word);
    for (auto& argument : q.arguments)
      for (auto& word : argument.tests)
        if (!isFactOfValues(word)) fail("test", word);
    for (auto& word : q.tags)
      if (std::none_of(std::begin(kTags), std::end(kTags), [&](const Tag& t) { return word == t.name; }))
        fail("tag", word);
  }
}

// "aten::where" or, with a number of arguments, "aten::where/1".
bool isOperator(const Node* n, const std::string& wanted) {
  auto slash = wanted.rfind('/');
  std::string_view kind = n->kind().toQualString();
  if (slash == std::string::npos) return kind == wanted;
  return kind == wanted.substr(0, slash) && std::to_string(n->inputs().size()) == wanted.substr(slash + 1);
}

bool isMeant(const NodeQuery& q, const Node* n) {
  if (!q.operators.empty() &&
      std::none_of(q.operators.begin(), q.operators.end(), [&](auto& op) { return isOperator(n, op); }))
    return false;
  return q.tags.empty() || std::any_of(std::begin(kTags), std::end(kTags), [&](const Tag& t) {
           return std::find(q.tags.begin(), q.tags.end(), t.name) != q.tags.end() && hasTag(n, t.tag);
         });
}

Value* argument(const Node* n, const std::string& name) {
  if (name.empty() || name.find_first_not_of("0123456789") != std::string::npos)
    return argumentNamed(n, name);
  auto index = std::stoul(name);
  return index < n->inputs().size() ? const_cast<Node*>(n)->input(index) : nullptr;
}

bool passes(const ArgumentTest& test, const Node* n, GraphFacts& facts) {
  return std::any_of(test.names.begin(), test.names.end(), [&](const std::string& name) {
    Value* v = argument(n, name);
    return v && std::all_of(test.tests.begin(), test.tests.end(),
                            [&](auto& word) { return valueIs(word, v, facts); });
  });
}

bool holds(const NodeQuery& q, Node* n, GraphFacts& facts) {
  return std::all_of(q.arguments.begin(), q.arguments.end(),
                     [&](auto& test) { return passes(test, n, facts); }) &&
         std::all_of(q.facts.begin(), q.facts.end(), [&](auto& word) { return nodeIs(word, n, facts); });
}

// The page's condition on shapes, as a function of the operator's arguments: by the names of its schema, or
// arg0, arg1.
struct Condition {
  std::optional<Compiled> compiled;
  bool lacked = false;  // a shape, at some node

  explicit Condition(const RulePage& page) {
    auto fences = page.with("when");
    if (!fences.empty()) compiled = compileFence(page, *fences[0]);
  }

  std::optional<c10::IValue> valueFor(const std::string& name, Node* n, const Analysis& analysis) const {
    if (name == "device") return c10::IValue(analysis.target.device);
    if (name == "arch") return c10::IValue(static_cast<std::int64_t>(analysis.target.arch));
    Value* v = name == "out" ? n->output(0) : argumentNamed(n, name);
    if (!v) return c10::IValue();  // an overload without it
    return withoutData(v, analysis.traced);
  }

  bool holds(Node* n, const Analysis& analysis) {
    if (!compiled) return true;
    std::vector<c10::IValue> arguments;
    for (auto& parameter : compiled->schema.arguments()) {
      auto value = valueFor(parameter.name(), n, analysis);
      if (!value) return lacked = true, false;
      arguments.push_back(*value);
    }
    try {
      return compiled->unit->get_function(c10::QualifiedName(compiled->function))(std::move(arguments))
          .toBool();
    } catch (const std::exception&) {
      return false;  // an assert that failed, or an argument of another kind than the page has in mind
    }
  }
};

// The nodes that a query could mean, for saying why it means none of them.
struct Meant {
  Node* first = nullptr;
  std::size_t count = 0;
};

std::string failedTest(const ArgumentTest& test, const Node* n, GraphFacts& facts) {
  for (auto& name : test.names) {
    Value* v = argument(n, name);
    for (auto& word : test.tests)
      if (v && !valueIs(word, v, facts)) return valueWords(v) + " " + failedTestWords(word);
  }
  return "an argument is not there";
}

// "aten::item is at 2 places, but at the first the input x is not a tensor"
std::string whyNone(const NodeQuery& q, const Meant& meant, GraphFacts& facts) {
  std::string out = std::string(meant.first->kind().toQualString()) + " is at ";
  out +=
      meant.count == 1 ? "1 place, but there " : std::to_string(meant.count) + " places, but at the first ";
  for (auto& word : q.facts)
    if (!nodeIs(word, meant.first, facts)) return out + "it " + failedFactWords(word);
  for (auto& test : q.arguments)
    if (!passes(test, meant.first, facts)) return out + failedTest(test, meant.first, facts);
  return out + "the page's condition on shapes does not hold";
}

// What the page looks for and the module does not have.
std::string whyNoPlace(const RulePage& page, const std::vector<Meant>& meant, GraphFacts& facts) {
  for (std::size_t i = 0; i < meant.size(); ++i)
    if (meant[i].first && !page.nodes.queries[i].operators.empty())
      return whyNone(page.nodes.queries[i], meant[i], facts);
  std::vector<std::string> names;
  for (auto& q : page.nodes.queries)
    for (auto& op : q.operators)
      if (std::find(names.begin(), names.end(), op) == names.end()) names.push_back(op);
  if (names.empty()) return "the module has no operator of which this is true";
  constexpr std::size_t kMostNames = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > kMostNames)
    out += " or another of the page's " + std::to_string(names.size()) + " operators";
  return "the module has no " + out;
}

std::string withNames(std::string message, const Node* n) {
  for (std::size_t at; (at = message.find("{op}")) != std::string::npos;)
    message.replace(at, 4, n->kind().toQualString());
  return message;
}

// One value read on the host may decide many sizes: one finding, at the first. Returns how many places beside
// its own each speaks for: what they read is related to it too, and no place of the kind.
std::vector<std::size_t> mergeSameReads(std::vector<CodedFinding>& findings,
                                        const std::vector<std::vector<Node*>>& reads) {
  std::vector<CodedFinding> merged;
  std::vector<std::size_t> kept, further;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    auto same = std::find_if(kept.begin(), kept.end(),
                             [&](std::size_t k) { return !reads[i].empty() && reads[k] == reads[i]; });
    if (same == kept.end()) {
      kept.push_back(i);
      merged.push_back(findings[i]);
      merged.back().related = reads[i];
      further.push_back(0);
    } else {
      auto first = static_cast<std::size_t>(same - kept.begin());
      merged[first].related.push_back(findings[i].node);
      ++further[first];
    }
  }
  findings = std::move(merged);
  return further;
}

// `self.c += 1` writes in place and stores the result: one statement, and the stored value says the more.
bool takesOver(const CodedFinding& stored, std::vector<CodedFinding>& findings) {
  if (stored.node->kind() != jit::prim::SetAttr) return false;
  for (auto& f : findings) {
    if (f.node != stored.node->input(1)->node()) continue;
    f.node = stored.node;
    f.message = stored.message;
    for (auto& b : stored.breaks)
      if (std::find(f.breaks.begin(), f.breaks.end(), b) == f.breaks.end()) f.breaks.push_back(b);
    return true;
  }
  return false;
}

void mergeAll(std::vector<CodedFinding>& findings, std::vector<std::size_t>& further) {
  if (findings.size() < 2) return;
  CodedFinding first = findings[0];
  for (std::size_t i = 1; i < findings.size(); ++i) {
    first.related.push_back(findings[i].node);
    further[0] += 1 + further[i];
  }
  findings = {std::move(first)};
  further.resize(1);
}

// In words that the reports count the places by.
void sayHowMany(std::vector<CodedFinding>& findings, const std::vector<std::size_t>& further) {
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (further[i]) findings[i].message += " (and " + std::to_string(further[i]) + " more of the kind)";
}

}  // namespace

CodedResult findGraphBreaks(const RulePage& page, const Analysis& analysis) {
  requireKnownWords(page);
  GraphFacts facts(analysis);
  Condition condition(page);
  CodedResult out;
  std::vector<std::vector<Node*>> reads;
  std::vector<Meant> meant(page.nodes.queries.size());
  forEachNode(analysis.graph.block(), [&](Node* n) {
    for (std::size_t i = 0; i < meant.size(); ++i) {
      auto& q = page.nodes.queries[i];
      if (!isMeant(q, n)) continue;
      if (meant[i].count++ == 0) meant[i].first = n;
      if (!holds(q, n, facts) || !condition.holds(n, analysis)) continue;
      CodedFinding f;
      f.node = n;
      f.message = withNames(q.message, n);
      f.breaks = q.breaks;
      if (takesOver(f, out.findings)) return;
      out.findings.push_back(std::move(f));
      reads.push_back(readsBehind(n, facts));
      return;
    }
  });
  auto further = mergeSameReads(out.findings, reads);
  if (page.nodes.once) mergeAll(out.findings, further);
  sayHowMany(out.findings, further);
  if (out.findings.empty())
    out.whyNothing =
        condition.lacked
            ? "the shapes that it asks for are not known, because the module was not run to that point"
            : whyNoPlace(page, meant, facts);
  return out;
}

}  // namespace kadvise::graph
