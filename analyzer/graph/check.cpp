#include "analyzer/graph/check.h"

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/find.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/region.h"
#include "analyzer/graph/shadow_run.h"
#include "analyzer/graph/specialise.h"

namespace kadvise::graph {
namespace {

// A page's example as a module: what the cases call a weight is a parameter of it, the rest its inputs.
struct Example {
  std::shared_ptr<jit::Graph> graph;
  Known known;  // stand-ins for inputs and parameters, from the first case that has the name
};

const CaseValue* caseValue(const RulePage& page, const std::string& name) {
  for (auto& given : page.cases)
    for (auto& value : given)
      if (value.name == name) return &value;
  return nullptr;
}

Example makeExample(const RulePage& page, const Fence& fence, const std::string& device) {
  auto& dtypes = page.dtypesFor(device);
  auto floating = dtypes.empty() ? at::kFloat : dtypeNamed(dtypes[0]).value_or(at::kFloat);
  auto compiled = compileFence(page, fence);
  Example e{compiled.graph, {}};
  normalise(e.graph);
  jit::Module module("__torch__.kadvise.Example");
  jit::Value* self = e.graph->insertInput(0, "self")->setType(module.type());
  auto& arguments = compiled.schema.arguments();
  for (std::size_t i = arguments.size(); i-- > 0;) {
    auto* value = caseValue(page, arguments[i].name());
    if (!value) continue;
    jit::Value* input = e.graph->inputs()[i + 1];
    if (value->tensor && value->tensor->weight) {
      module.register_buffer(value->name, at::empty({0}));
      jit::WithInsertPoint start(*e.graph->nodes().begin());
      jit::Value* parameter = e.graph->insertNode(e.graph->createGetAttr(self, value->name))->output();
      input->replaceAllUsesWith(parameter);
      e.graph->eraseInput(i + 1);
      input = parameter;
    }
    e.known[input] = shadowOf(*value, floating);
  }
  int id = 0;
  forEachNode(e.graph->block(), [&](jit::Node* n) { setNodeId(n, id++); });
  return e;
}

std::size_t matchesIn(const RulePage& page, const Rule* rule, const Fence& fence, const std::string& device,
                      std::string& why) {
  auto example = makeExample(page, fence, device);
  auto traced = shadowRun(*example.graph, example.known);
  forgetReshaped(*example.graph, traced);
  specialise(example.graph, traced);
  std::string kind = page.isAbout(device) ? device : page.devices[0];
  Target target{kind, kind == "cuda" ? 90 : 0};
  auto aliases = aliasesOf(example.graph);
  if (!rule) {
    auto result = codedRule(page.function)(page, {*example.graph, nullptr, traced, target, *aliases});
    Target cpu{"cpu", 0};  // some places can only be seen there: a trace made on the CPU
    if (result.findings.empty() && fence.role == "fires")
      result = codedRule(page.function)(page, {*example.graph, nullptr, traced, cpu, *aliases});
    why = result.whyNothing;
    for (auto& r : result.refused) why = r.why.at + " " + r.why.reason;
    return result.findings.size();
  }
  auto search = findSites(*rule, *example.graph, *aliases, {}, traced, target);
  why = search.whyNothing;
  for (auto& r : search.refused) why = (r.mismatch.at.empty() ? "" : r.mismatch.at + " ") + r.mismatch.reason;
  return search.sites.size();
}

// Which cases prove a pattern. The largest reading of a text runs all that fit; each of the others one, in
// turn.
std::vector<const Case*> casesFor(const Group& group, const Pattern& pattern) {
  std::vector<const Case*> fitting;
  for (auto* given : group.cases) {
    bool fits = std::all_of(given->begin(), given->end(), [&](const CaseValue& v) {
      auto at = std::find(pattern.parameters.begin(), pattern.parameters.end(), v.name) -
                pattern.parameters.begin();
      bool optional = pattern.graph->inputs()[static_cast<std::size_t>(at)]->type()->kind() ==
                      c10::TypeKind::OptionalType;
      return pattern.fixed[static_cast<std::size_t>(at)] || !isAbsent(v) || optional;
    });
    if (fits) fitting.push_back(given);
  }
  if (pattern.variant == 0 || fitting.size() < 2) return fitting;
  return {fitting[static_cast<std::size_t>(pattern.variant) % fitting.size()]};
}

struct Checker {
  const std::filesystem::path& workDir;
  const std::string& device;
  const Replies& replies;
  Json examples = Json::array();
  int proofs = 0;

  void report(const RulePage& page, const std::string& name, bool ok, const std::string& what) {
    examples.push_back({{"rule", page.id}, {"name", name}, {"ok", ok}, {"what", what}});
  }

  void runExamples(const RulePage& page, const Rule* rule) {
    for (const char* role : {"fires", "silent"})
      for (auto* fence : page.with(role)) {
        if (fence->language != "python") continue;
        std::string why;
        try {
          auto found = matchesIn(page, rule, *fence, device, why);
          bool wanted = std::string_view(role) == "fires";
          std::string what = wanted == (found > 0) ? ""
                             : wanted              ? "is not found: " + why
                                                   : "is reported, but should not be";
          report(page, std::string(role) + ": " + fence->heading, what.empty(), what);
        } catch (const Error& e) {
          report(page, std::string(role) + ": " + fence->heading, false, e.what());
        }
      }
  }

  void writeProofs(const RulePage& page, const Rule& rule) {
    for (auto& group : rule.groups)
      for (auto& pattern : group.patterns)
        for (auto& replacement : group.replacements)
          for (auto* given : casesFor(group, pattern)) writeProof(page, pattern, replacement, *given);
  }

  void writeProof(const RulePage& page, const Pattern& pattern, const Replacement& replacement,
                  const Case& given) {
    auto pair = pairOfPage(pattern, replacement, given);
    Candidate c;
    c.id = "P" + std::to_string(++proofs);
    c.rule = page.id;
    c.title = "line " + std::to_string(pattern.line) + " by line " + std::to_string(replacement.line);
    c.level = replacement.info.level;
    c.exactness = replacement.info.exactness;
    c.domain = replacement.info.domain;
    c.before = c.id + ".before.pt";
    c.after = c.id + ".after.pt";
    c.beforeFp64 = saveWithTwin(pair.before, workDir / c.before, Factories::AsTheyWere);
    c.afterFp64 = saveWithTwin(pair.after, workDir / c.after, Factories::AsTheyWere);
    c.names = pair.names;
    Json body = c;
    body["kind"] = "candidate";
    body["specs"] = Json::array();
    for (std::size_t i = 0; i < pattern.parameters.size(); ++i)
      for (auto& v : given)
        if (!pattern.fixed[i] && !isAbsent(v) && v.name == pattern.parameters[i] &&
            !(v.tensor && v.tensor->weight))
          body["specs"].push_back(v.tensor ? toString(*v.tensor) : v.literal);
    replies.artefact(body);
  }
};

}  // namespace

Json checkPages(const std::vector<std::string>& pages, const std::filesystem::path& workDir,
                const std::string& device, const Replies& replies) {
  Checker checker{workDir, device, replies};
  for (auto& path : pages) {
    try {
      RulePage page = parseRulePage(path, readFile(path));
      if (!page.function.empty()) {
        if (!codedRule(page.function))
          throw Error(page.path, "there is no coded rule \"" + page.function + "\"");
        checker.runExamples(page, nullptr);
        continue;
      }
      Rule rule = compileRule(page);
      checker.runExamples(page, &rule);
      checker.writeProofs(page, rule);
    } catch (const Error& e) {
      checker.examples.push_back({{"rule", path}, {"name", "page"}, {"ok", false}, {"what", e.what()}});
    }
  }
  return {{"examples", checker.examples}};
}

}  // namespace kadvise::graph
