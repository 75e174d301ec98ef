#include "analyzer/graph/campaign.h"

#include <functional>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/hash.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/region.h"

namespace kadvise::graph {
namespace {

constexpr std::size_t kPageLimitBytes = 1 << 20;

std::vector<const jit::Value*> inputsOf(const RegionPair& pair, jit::Graph& graph) {
  std::map<std::string, const jit::Value*> byId;
  for (auto* in : graph.inputs()) byId[valueId(in)] = in;
  forEachNode(graph.block(), [&](jit::Node* n) {
    for (auto* out : n->outputs()) byId[valueId(out)] = out;
  });
  std::vector<const jit::Value*> out;
  for (auto& id : pair.inputs) out.push_back(byId.at(id));
  return out;
}

// Shapes of parameters are known without a run.
void addParameters(TracedValues& traced, jit::Graph& graph, const jit::Module& module) {
  forEachNode(graph.block(), [&](jit::Node* n) {
    auto path = n->kind() == jit::prim::GetAttr ? attributePath(n->output()) : std::nullopt;
    if (!path || !attributeAt(module, *path).isTensor()) return;
    auto tensor = attributeAt(module, *path).toTensor();
    TracedValue v;
    v.kind = "tensor";
    v.dtype = tensor.scalar_type();
    v.shape = tensor.sizes().vec();
    v.strides = tensor.strides().vec();
    traced.put(valueId(n->output()), v);
  });
}

// A line that does the same thing nine times in one module is one place to change.
void joinSameLines(std::vector<CodedFinding>& findings, const std::function<Location(const jit::Node*)>& where) {
  std::vector<CodedFinding> joined;
  std::map<std::string, std::size_t> known;
  for (auto& f : findings) {
    Location at = where(f.node);
    std::string key = at.file + "|" + std::to_string(at.line) + "|" + at.scope + "|" + f.message;
    auto [entry, fresh] = known.emplace(key, joined.size());
    if (fresh || at.line == 0) {
      joined.push_back(f);
      continue;
    }
    auto& related = joined[entry->second].related;
    related.push_back(f.node);
    related.insert(related.end(), f.related.begin(), f.related.end());
  }
  findings = std::move(joined);
}

}  // namespace

Json Campaign::writeBase() {
  auto base = subject_.module.clone(kSharedTensors);
  dropWeights(base);
  saveWhole(base, workDir_ / "base.pt");
  // The truth for every comparison of the whole is the user's own graph: a wrong normal form must not be its own witness.
  auto truth = subject_.original.clone(kSharedTensors);
  dropWeights(truth);
  promoteToFp64(truth);
  saveWhole(truth, workDir_ / "original.fp64.pt");

  Json nodes = Json::array();
  for (auto& n : subject_.nodes) nodes.push_back({{"id", n.id}, {"op", n.op}, {"scope", n.where.scope}, {"where", n.where}});
  writeFile(workDir_ / "graph.json", Json{{"nodes", nodes}}.dump());

  Json inputs = Json::array();
  auto graph = subject_.graph();
  for (std::size_t i = 1; i < graph->inputs().size(); ++i)
    inputs.push_back({{"name", graph->inputs()[i]->debugName()}, {"type", graph->inputs()[i]->type()->str()}});
  return {{"format", subject_.format}, {"nodes", subject_.nodes.size()}, {"parameters", subject_.parameters},
          {"parameterBytes", subject_.parameterBytes}, {"inputs", inputs}, {"base", "base.pt"}, {"baseFp64", "original.fp64.pt"},
          {"graph", "graph.json"}, {"notes", subject_.notes}};
}

Location Campaign::where(const jit::Node* n) const {
  int id = nodeId(n);
  return id < 0 ? Location{} : subject_.nodes[static_cast<std::size_t>(id)].where;
}

// The same place keeps its id when lines move: rule, module path and operator, with a count where that is not enough.
std::string Campaign::newFindingId(const std::string& rule, const jit::Node* n, Outcome& out) const {
  std::string key = rule + "|" + where(n).scope + "|" + n->kind().toQualString();
  int seen = out.idsSeen[key]++;
  return stableHash(seen == 0 ? key : key + "|" + std::to_string(seen));
}

Json Campaign::match(const std::vector<std::string>& pages, const TracedValues& traced, const MatchOptions& options,
                     const Replies& replies) {
  proposals_.clear();
  traced_ = traced;
  addParameters(traced_, *subject_.graph(), subject_.module);
  Outcome out{replies, traced_, options, {}, {}, {}, {}, {}, {}};
  for (auto& path : pages) {
    try {
      pages_.push_back(std::make_unique<RulePage>(parseRulePage(path, readFile(path, kPageLimitBytes))));
      replies.progress("matching " + pages_.back()->id);
      matchRule(*pages_.back(), out);
    } catch (const Error& e) {
      out.notApplicable.push_back({path, std::string("the page could not be used: ") + e.what()});
    }
  }
  Json regions = Json::array();
  for (auto& p : proposals_) {
    Json body = p.candidate;
    regions.push_back({{"candidate", p.candidate.id}, {"rule", p.candidate.rule}, {"anchors", p.anchors}});
    body["kind"] = "candidate";
    replies.artefact(body);
  }
  writeFile(workDir_ / "regions.json", Json{{"regions", regions}}.dump());
  Readiness readiness = readinessOf(*subject_.graph(), subject_.nodes, out.breaks, weightsFrom(traced_));
  readiness.judgedBy = out.breakRules;
  return {{"refused", out.refused}, {"notApplicable", out.notApplicable}, {"regions", "regions.json"}, {"readiness", readiness}};
}

void Campaign::matchRule(const RulePage& page, Outcome& out) {
  if (!page.function.empty()) return matchCoded(page, out);
  rules_.push_back(std::make_unique<Rule>(compileRule(page)));
  matchPatterns(*rules_.back(), out);
}

void Campaign::matchCoded(const RulePage& page, Outcome& out) {
  auto rule = codedRule(page.function);
  if (!rule) throw Error(page.path, "there is no coded rule \"" + page.function + "\"");
  auto result = rule(page, {*subject_.graph(), &subject_.module, out.traced, out.options.target});
  joinSameLines(result.findings, [this](const jit::Node* n) { return where(n); });
  for (auto& found : result.findings) {
    Finding f;
    f.id = newFindingId(page.id, found.node, out);
    f.rule = page.id;
    f.severity = page.severity;
    f.where = where(found.node);
    f.message = found.message;
    for (auto* n : found.related) f.related.push_back(where(n));
    f.estimate = found.estimate;
    out.replies.finding(f);
    out.breaks.push_back({found.node, page.id, f.id, found.breaks});
    for (auto* n : found.related) out.breaks.push_back({n, page.id, f.id, found.breaks});
  }
  if (endsPieces(page.nodes.breaks)) out.breakRules.push_back(page.id);
  if (!result.whyNothing.empty()) out.notApplicable.push_back({page.id, result.whyNothing});
}

void Campaign::matchPatterns(const Rule& rule, Outcome& out) {
  auto search = findSites(rule, *subject_.graph(), subject_.nodes, out.traced, out.options.target);
  for (auto& r : search.refused) out.refused.push_back(r);
  if (!search.whyNothing.empty()) out.notApplicable.push_back({rule.page->id, search.whyNothing});
  for (auto& site : search.sites) propose(rule, site, out);
}

void Campaign::propose(const Rule& rule, const Site& site, Outcome& out) {
  Finding f;
  f.id = newFindingId(rule.page->id, site.match.anchor, out);
  f.rule = rule.page->id;
  f.severity = rule.page->severity;
  f.where = where(site.match.anchor);
  f.message = rule.page->title;
  int order = 0;
  for (auto& replacement : site.group->replacements) {
    ++order;
    auto skip = [&](const std::string& why) { out.refused.push_back({rule.page->id, f.where, {replacement.info.title, why}}); };
    if (replacement.info.level > out.options.maxLevel) {
      skip("is of level " + std::to_string(replacement.info.level) + ", and --level allows " + std::to_string(out.options.maxLevel));
      continue;
    }
    if (replacement.info.exactness == Exactness::Approximates && !out.options.allowApproximate) {
      skip("changes results beyond rounding; --allow-approximate allows it");
      continue;
    }
    RegionPair pair = cutRegion(*site.pattern, replacement, site.match, subject_.module);
    std::string signature = rule.page->id + "|" + std::to_string(site.pattern->line) + "|" + std::to_string(order) + "|" +
                            signatureOf(pair, inputsOf(pair, *subject_.graph()), out.traced);
    auto [entry, fresh] = out.bySignature.emplace(signature, proposals_.size());
    if (fresh) {
      Proposal p;
      p.pattern = site.pattern;
      p.replacement = &replacement;
      Candidate& c = p.candidate;
      c.id = "C" + std::to_string(proposals_.size() + 1);
      c.rule = rule.page->id;
      c.title = replacement.info.title;
      c.level = replacement.info.level;
      c.exactness = replacement.info.exactness;
      c.domain = replacement.info.domain;
      c.before = c.id + ".before.pt";
      c.after = c.id + ".after.pt";
      c.beforeFp64 = saveWithTwin(pair.before, workDir_ / c.before);
      c.afterFp64 = saveWithTwin(pair.after, workDir_ / c.after);
      c.names = pair.names;
      c.inputs = pair.inputs;
      proposals_.push_back(std::move(p));
    }
    Proposal& p = proposals_[entry->second];
    p.anchors.push_back(nodeId(site.match.anchor));
    p.candidate.findings.push_back(f.id);
    Rewrite change{p.candidate.id, pair.beforeText, pair.afterText, replacement.info.level, replacement.info.exactness,
                   replacement.info.domain};
    f.fixes.push_back({replacement.info.title, Safety::Safe, change});
  }
  out.replies.finding(f);
}

}  // namespace kadvise::graph
