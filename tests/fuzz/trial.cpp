#include "tests/fuzz/trial.h"

#include <algorithm>

#include "analyzer/core/catalogue.h"
#include "analyzer/core/error.h"
#include "analyzer/graph/capture.h"
#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/find.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/region.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/specialise.h"
#include "tests/analyzer/graph/runner_stand_in.h"
#include "tests/fuzz/judge.h"
#include "tests/fuzz/program_run.h"
#include "tests/fuzz/traced_run.h"

namespace kadvise::fuzz {
namespace {

namespace jit = torch::jit;
using graph::TracedValues;
using jit::Node;
using jit::Value;

// ---- proposals

struct Proposal {
  const RulePage* page;
  std::shared_ptr<const graph::Pattern> pattern;
  std::vector<std::shared_ptr<const graph::Replacement>> replacements;
  std::vector<int> roots;
};

template <class T>
std::shared_ptr<const T> unowned(const T& thing) {
  return std::shared_ptr<const T>(std::shared_ptr<void>(), &thing);
}

void proposalsOfPattern(const RulePage& page, const graph::Rule& rule, const graph::Analysis& a,
                        const jit::Module& module, std::vector<Proposal>& out) {
  auto search = graph::findSites(rule, a.graph, a.aliases, {}, a.traced, a.target);
  for (auto& site : search.sites) {
    Proposal p{&page, unowned(*site.pattern), {}, {graph::nodeId(site.match.anchor)}};
    for (auto& r : site.group->replacements)
      if (r.info.exactness != Exactness::Approximates) p.replacements.push_back(unowned(r));
    for (auto& r : p.replacements) graph::cutRegion(*p.pattern, *r, site.match, {}, module);
    out.push_back(std::move(p));
  }
}

void proposalsOfCode(const RulePage& page, const graph::Analysis& a, std::vector<Proposal>& out) {
  auto result = graph::codedRule(page.function)(page, a);
  for (auto& found : result.findings) {
    if (!found.rewrite) continue;
    graph::NearMiss near;
    auto match = graph::matchAt(*found.rewrite->pattern, found.rewrite->roots, a.traced, near);
    if (!match || graph::whyUnsafe(*found.rewrite->pattern, *match, a.aliases,
                                   graph::memoryOfResults(*found.rewrite->replacement)))
      continue;
    Proposal p{&page, found.rewrite->pattern, {found.rewrite->replacement}, {}};
    for (auto* n : found.rewrite->roots) p.roots.push_back(graph::nodeId(n));
    graph::cutRegion(*p.pattern, *p.replacements[0], *match, found.rewrite->makers, *a.module);
    out.push_back(std::move(p));
  }
}

std::vector<Proposal> proposalsFor(const jit::Module& module, const TracedValues& traced,
                                   const RuleBook& book, const graph::Target& target) {
  auto g = module.get_method("forward").graph();
  auto aliases = graph::aliasesOf(g, &module);
  graph::Analysis analysis{*g, &module, traced, target, *aliases};
  std::vector<Proposal> out;
  for (std::size_t i = 0; i < book.pages.size(); ++i) {
    if (book.rules[i]) proposalsOfPattern(*book.pages[i], *book.rules[i], analysis, module, out);
    else proposalsOfCode(*book.pages[i], analysis, out);
  }
  return out;
}

bool applyAt(jit::Module& module, const Proposal& p, const graph::Replacement& replacement,
             const TracedValues& traced) {
  auto g = module.get_method("forward").graph();
  std::vector<Node*> roots(p.roots.size(), nullptr);
  graph::forEachNode(g->block(), [&](Node* n) {
    for (std::size_t i = 0; i < roots.size(); ++i)
      if (graph::nodeId(n) == p.roots[i] && n->kind() != jit::prim::Constant) roots[i] = n;
  });
  if (std::count(roots.begin(), roots.end(), nullptr)) return false;
  graph::NearMiss near;
  auto match = graph::matchAt(*p.pattern, roots, traced, near);
  if (!match) return false;
  auto aliases = graph::aliasesOf(g, &module);
  if (graph::whyUnsafe(*p.pattern, *match, *aliases, graph::memoryOfResults(replacement))) return false;
  return !graph::rewrite(*g, *p.pattern, replacement, *match, *aliases).refused;
}

// The module with these proposals applied, one after the other, as far as each still fits.
struct Composed {
  jit::Module module;
  std::string rules;
  bool nonFiniteMayChange = false;
};

// Programs run on the CPU, whose gelu makes NaN of infinity, whatever device a proposal is for.
bool makesGelu(const graph::Replacement& replacement) {
  bool found = false;
  graph::forEachNode(replacement.graph->block(), [&](Node* n) {
    found = found || n->kind() == jit::aten::gelu || n->kind() == jit::aten::gelu_;
  });
  return found;
}

Composed compose(const jit::Module& base, const std::vector<Proposal>& proposals, const TracedValues& traced,
                 std::size_t choice) {
  Composed out{base.clone(graph::kSharedTensors), "", false};
  for (auto& p : proposals) {
    auto& replacement = *p.replacements[choice % p.replacements.size()];
    if (!applyAt(out.module, p, replacement, traced)) continue;
    out.rules += (out.rules.empty() ? "" : ", ") + p.page->id;
    out.nonFiniteMayChange =
        out.nonFiniteMayChange || !replacement.info.domain.empty() || makesGelu(replacement);
  }
  if (out.rules.empty()) return out;
  graph::simplify(out.module.get_method("forward").graph());
  graph::foldWeights(out.module, graph::HandedTo::Caller);
  graph::finishFolding(out.module);
  return out;
}

void checkRewrites(const jit::Module& base, const std::vector<Proposal>& proposals,
                   const TracedValues& traced, Judge& judge, Random& random) {
  auto choice = random.below(2);
  auto all = compose(base, proposals, traced, choice);
  if (all.rules.empty() || !judge.why(all.module, all.nonFiniteMayChange)) return;
  for (auto& p : proposals) {
    auto one = compose(base, {p}, traced, choice);
    if (!one.rules.empty())
      judge.expectSame(one.module, "a rewrite changes the result: " + one.rules, one.nonFiniteMayChange);
  }
  judge.expectSame(all.module, "rewrites together change the result: " + all.rules, all.nonFiniteMayChange);
}

// Parts as small as one launch, so that there are many borders.
void checkCapture(const jit::Module& base, const TracedValues& traced, const RuleBook& book, Judge& judge) {
  auto module = base.clone(graph::kSharedTensors);
  auto g = module.get_method("forward").graph();
  std::vector<const RulePage*> pages;
  for (auto& page : book.pages)
    if (page->function == "graph-break") pages.push_back(page.get());
  graph::Target target{"cpu", 0};
  auto aliases = graph::aliasesOf(g, &module);
  graph::Analysis analysis{*g, &module, traced, target, *aliases};
  auto plan = graph::planCapture(analysis, graph::blockersOf(analysis, pages), /*fewestLaunches=*/1);
  if (plan.pieces.empty()) return;
  auto carved = graph::carve(module, plan, graph::test::kStandInClass);
  graph::addRunners(carved);
  for (auto& name : judge.state)  // the judge asks for what only the runners read
    if (!carved.module.hasattr(name)) carved.module.register_buffer(name, base.attr(name).toTensor());
  judge.expectSame(carved.module, "CUDA graphs change the result");
}

// Nothing where the graph has nodes that the traced run cannot do: tasks, dictionaries.
Trace tracedOrNothing(jit::Graph& g, const Values& arguments) {
  try {
    return tracedRun(g, arguments);
  } catch (const std::exception&) {
    return {};
  }
}

// A program, its original to judge by, and what its traced call settles.
struct Trial {
  Subject subject;
  Judge judge;
  std::optional<Judge> ofAnotherCall;
  TracedValues traced;
  bool isHuge = false;
};

// Nothing where there is no program, or none that runs.
std::optional<Trial> trialOf(const Program& program, Random& random) {
  try {
    Subject s = subjectOf(program, random);
    Values all = copiesOf(s.inputs);
    all.insert(all.begin(), s.module._ivalue());
    s.module.get_method("forward").function().getSchema().checkAndNormalizeInputs(all, {});
    auto judge = judgeOf(s.module.clone(), s.inputs);
    if (!judge) return std::nullopt;
    return Trial{std::move(s), std::move(*judge), std::nullopt, {}, false};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// The program in normal form, each node with an id.
void normalise(Trial& t) {
  auto g = t.subject.module.get_method("forward").graph();
  graph::normalise(g);
  t.judge.expectSame(t.subject.module, "the normal form changes the result");
  int id = 0;
  graph::forEachNode(g->block(), [&](Node* n) { graph::setNodeId(n, id++); });
}

void specialise(Trial& t, Random& random) {
  auto& module = t.subject.module;
  auto g = module.get_method("forward").graph();
  Values arguments = copiesOf(t.subject.inputs);
  arguments.insert(arguments.begin(), module.clone()._ivalue());
  auto [traced, huge] = tracedOrNothing(*g, arguments);
  t.traced = std::move(traced);
  t.isHuge = huge;
  graph::forgetReshaped(*g, t.traced);
  graph::specialise(g, t.traced);
  t.judge.expectSame(module, "what the call settles changes the result");
  t.ofAnotherCall = judgeOfAnotherCall(t.judge, random);
  if (t.ofAnotherCall) t.ofAnotherCall->expectSame(module, "what the call settles changes the result");
}

// In an order of chance; none that only advises.
std::vector<Proposal> shuffledProposals(const Trial& t, const RuleBook& book, Random& random) {
  graph::Target target = random.oneIn(2) ? graph::Target{"cuda", 90} : graph::Target{"cpu", 0};
  auto out = proposalsFor(t.subject.module, t.traced, book, target);
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random.below(i)]);
  std::erase_if(out, [](auto& p) { return p.replacements.empty(); });
  return out;
}

}  // namespace

RuleBook readRuleBook(const std::string& folder) {
  RuleBook book;
  for (auto& page : loadCatalogue({folder}).pages) {
    if (!page.readsModules()) continue;  // about sources
    book.pages.push_back(std::make_unique<RulePage>(page));
    auto& kept = *book.pages.back();
    book.rules.push_back(kept.function.empty() ? std::make_shared<graph::Rule>(graph::compileRule(kept))
                                               : nullptr);
  }
  return book;
}

Result tryProgram(const Program& program, const RuleBook& book, Random& random) {
  at::manual_seed(random.below(1 << 30));
  auto trial = trialOf(program, random);
  if (!trial) return Result::Skipped;
  Trial& t = *trial;
  auto& module = t.subject.module;
  normalise(t);
  specialise(t, random);
  checkCapture(module, t.traced, book, t.judge);
  if (t.ofAnotherCall) checkCapture(module, t.traced, book, *t.ofAnotherCall);

  auto proposals = shuffledProposals(t, book, random);
  if (proposals.empty() || t.isHuge) return Result::Refused;
  checkRewrites(module, proposals, t.traced, t.judge, random);
  if (t.ofAnotherCall) checkRewrites(module, proposals, t.traced, *t.ofAnotherCall, random);
  return Result::Passed;
}

}  // namespace kadvise::fuzz
