#include "analyzer/graph/rule.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/variant.h"

namespace kadvise::graph {
namespace {

[[noreturn]] void fail(const RulePage& page, int line, const std::string& what) {
  throw Error(page.path + ":" + std::to_string(line), what);
}

std::vector<std::string> parametersOf(const Compiled& c) {
  std::vector<std::string> out;
  for (auto& a : c.schema.arguments()) out.push_back(a.name());
  return out;
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (auto& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

void checkPattern(const RulePage& page, const Pattern& p) {
  std::set<const jit::Node*> reached;
  std::vector<const jit::Node*> work{p.graph->outputs().at(0)->node()};
  if (work[0]->kind() == jit::prim::Param || work[0]->kind() == jit::prim::Constant)
    fail(page, p.line, "the pattern computes nothing");
  while (!work.empty()) {
    auto* n = work.back();
    work.pop_back();
    if (!reached.insert(n).second) continue;
    for (auto* in : n->inputs()) work.push_back(in->node());
  }
  for (auto* out : p.graph->outputs())
    if (!reached.count(out->node()))
      fail(page, p.line,
           "the first result of a pattern must depend on the others, so that a search can start from it");
  for (std::size_t i = 0; i < p.parameters.size(); ++i)
    if (!p.fixed[i] && !p.graph->inputs()[i]->hasUses())
      fail(page, p.line, "parameter " + p.parameters[i] + " is not used, so nothing could bind it");
}

std::vector<Pattern> makePatterns(const RulePage& page, const Fence& fence, const Compiled& compiled) {
  std::vector<Pattern> out;
  for (auto& v : variantsOf(compiled, page.path + ":" + std::to_string(fence.line))) {
    Pattern p{v.graph,    parametersOf(compiled), v.fixed,
              fence.line, valueLimitOf(*v.graph), static_cast<int>(out.size())};
    checkPattern(page, p);
    out.push_back(std::move(p));
  }
  if (out.empty()) fail(page, fence.line, "every reading of this pattern breaks its own assert");
  return out;
}

Replacement makeReplacement(const RulePage& page, const Fence& fence, const Group& group) {
  auto compiled = compileFence(page, fence);
  if (parametersOf(compiled) != group.patterns[0].parameters)
    fail(page, fence.line,
         "this replacement takes (" + join(parametersOf(compiled)) + "), its pattern (" +
             join(group.patterns[0].parameters) + ")");
  Replacement r{compiled.graph, replacementInfo(page, fence), fence.line};
  jit::Inline(*r.graph);
  takeTuplesApart(r.graph, page.path + ":" + std::to_string(fence.line));
  if (r.graph->outputs().size() != group.patterns[0].graph->outputs().size())
    fail(page, fence.line, "this replacement returns another number of results than its pattern");
  return r;
}

void addPattern(const RulePage& page, const Fence& fence, const Compiled& compiled, Group& group) {
  auto made = makePatterns(page, fence, compiled);
  std::move(made.begin(), made.end(), std::back_inserter(group.patterns));
  auto& first = group.patterns.front();
  auto& last = group.patterns.back();
  if (first.parameters != last.parameters)
    fail(page, fence.line, "the patterns of one group take the same parameters; a replacement ends a group");
  if (first.graph->outputs().size() != last.graph->outputs().size())
    fail(page, fence.line, "the patterns of one group return the same number of results");
}

void addCondition(const RulePage& page, const Fence& fence, Group& group) {
  if (group.patterns.empty() || group.when)
    fail(page, fence.line, "a group has one `when`, after its patterns");
  group.when = compileFence(page, fence);
  group.whenParameters = parametersOf(*group.when);
  auto& known = group.patterns[0].parameters;
  for (auto& name : group.whenParameters)
    if (name != "device" && name != "arch" && std::find(known.begin(), known.end(), name) == known.end())
      fail(page, fence.line, "`when` asks for " + name + ", which is no parameter of the pattern");
}

// A bool that a pattern decides in each of its readings need not be in the cases.
std::set<std::string> namesInCases(const Group& group) {
  std::set<std::string> out;
  for (auto& p : group.patterns)
    for (std::size_t i = 0; i < p.parameters.size(); ++i)
      if (!p.fixed[i] || !p.fixed[i]->isBool()) out.insert(p.parameters[i]);
  return out;
}

void attachCases(const RulePage& page, Group& group) {
  auto wanted = namesInCases(group);
  for (auto& c : page.cases) {
    std::set<std::string> given;
    for (auto& v : c) given.insert(v.name);
    if (given == wanted) group.cases.push_back(&c);
  }
  if (!group.cases.empty())
    for (auto& v : *group.cases[0])
      if (v.tensor && v.tensor->weight) group.weights.push_back(v.name);
  if (!group.replacements.empty() && group.cases.empty())
    fail(page, group.patterns[0].line,
         "no entry of \"cases\" gives exactly (" + join({wanted.begin(), wanted.end()}) +
             "), so this pattern could not be proven");
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// The parameters that a replacement's declared difference is about, from domainWith="m m2"; none: all
// readings.
std::vector<std::string> domainParameters(const RulePage& page, const Replacement& r, const Group& group) {
  for (auto* fence : page.with("replace")) {
    auto named = fence->attributes.find("domainWith");
    if (fence->line != r.line || named == fence->attributes.end()) continue;
    auto names = words(named->second);
    auto& known = group.patterns[0].parameters;
    for (auto& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail(page, r.line, "domainWith names " + name + ", which is no parameter of the pattern");
    return names;
  }
  return {};
}

bool hasOneOf(const Pattern& p, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < p.parameters.size(); ++i) {
    bool isAbsent = p.fixed[i] && p.fixed[i]->isNone();
    if (!isAbsent && std::find(names.begin(), names.end(), p.parameters[i]) != names.end()) return true;
  }
  return false;
}

// Readings without any of the parameters that a declared difference is about become a group of their own,
// whose replacement declares none.
std::vector<Group> splitByDomain(const RulePage& page, const Group& group) {
  std::vector<Group> out{group};
  for (std::size_t r = 0; r < group.replacements.size(); ++r) {
    auto names = domainParameters(page, group.replacements[r], group);
    if (names.empty()) continue;
    if (out.size() > 1 || group.replacements.size() > 1)
      fail(page, group.replacements[r].line, "domainWith stands where a pattern has one replacement");
    Group without = group;
    without.replacements[r].info.domain.clear();
    std::erase_if(without.patterns, [&](auto& p) { return hasOneOf(p, names); });
    std::erase_if(out[0].patterns, [&](auto& p) { return !hasOneOf(p, names); });
    if (!without.patterns.empty()) out.push_back(std::move(without));
  }
  return out;
}

using Fences = std::vector<const Fence*>;

bool has(const Fences& fences, const char* role) {
  return std::any_of(fences.begin(), fences.end(), [&](auto* f) { return f->role == role; });
}

// Those of each group: a replacement ends it.
std::vector<Fences> groupsOf(const RulePage& page) {
  std::vector<Fences> out;
  for (auto& fence : page.fences) {
    if (fence.language != "python") continue;
    const bool isClosed = out.empty() || has(out.back(), "replace");
    if (fence.role == "match" && isClosed) out.emplace_back();
    else if ((fence.role == "when" && isClosed) || (fence.role == "replace" && out.empty()))
      fail(page, fence.line, "`" + fence.role + "` stands after its pattern");
    if (fence.role == "match" || fence.role == "when" || fence.role == "replace")
      out.back().push_back(&fence);
  }
  return out;
}

Group compileGroup(const RulePage& page, const Fences& fences, const std::vector<Compiled>& texts) {
  Group group;
  auto text = texts.begin();
  for (auto* fence : fences) {
    if (fence->role == "match") addPattern(page, *fence, *text++, group);
    else if (fence->role == "when") addCondition(page, *fence, group);
    else group.replacements.push_back(makeReplacement(page, *fence, group));
  }
  return group;
}

// What each of the texts has and the module has not; empty where one of them may have a place.
std::vector<c10::Symbol> lackingOf(const std::vector<Compiled>& texts, const Operators& present) {
  std::vector<c10::Symbol> out;
  for (auto& text : texts) {
    auto lacking = landmarkLacking(*text.graph, present);
    if (!lacking) return {};
    out.push_back(*lacking);
  }
  return out;
}

}  // namespace

std::size_t valueLimitOf(jit::Graph& graph) {
  std::size_t limit = 0;
  auto see = [&](const jit::Value* v) { limit = std::max(limit, v->unique() + 1); };
  for (auto* in : graph.inputs()) see(in);
  for (auto* n : graph.nodes())
    for (auto* out : n->outputs()) see(out);
  return limit;
}

bool Rule::holdsFor(const Operators& present) const {
  return std::none_of(lacking.begin(), lacking.end(), [&](auto kind) { return present.count(kind) != 0; });
}

Rule compileRule(const RulePage& page, const Operators* present) {
  Rule rule;
  rule.page = &page;
  for (auto& fences : groupsOf(page)) {
    std::vector<Compiled> texts;
    for (auto* fence : fences)
      if (fence->role == "match") texts.push_back(compileFence(page, *fence));
    auto lacking = present ? lackingOf(texts, *present) : std::vector<c10::Symbol>{};
    if (lacking.empty()) rule.groups.push_back(compileGroup(page, fences, texts));
    rule.lacking.insert(rule.lacking.end(), lacking.begin(), lacking.end());
  }
  auto size = [](const Pattern& p) {
    return std::distance(p.graph->nodes().begin(), p.graph->nodes().end());
  };
  for (auto& group : rule.groups) {
    std::stable_sort(group.patterns.begin(), group.patterns.end(),
                     [&](auto& a, auto& b) { return size(a) > size(b); });
    attachCases(page, group);
  }
  std::vector<Group> groups;
  for (auto& group : rule.groups)
    for (auto& part : splitByDomain(page, group)) groups.push_back(std::move(part));
  rule.groups = std::move(groups);
  return rule;
}

}  // namespace kadvise::graph
