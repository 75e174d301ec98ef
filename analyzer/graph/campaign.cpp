#include "analyzer/graph/campaign.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <functional>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/hash.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/estimates.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/near_places.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/places_of_results.h"
#include "analyzer/graph/region.h"
#include "analyzer/graph/region_estimate.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/row_share.h"
#include "analyzer/graph/specialise.h"
#include "analyzer/graph/unpacked_pieces.h"
#include "analyzer/graph/untaken.h"

namespace kadvise::graph {
namespace {

constexpr const char* kConvertedFile = "original.pt";
constexpr const char* kSamplesFile = "samples.pt";

// A line that does the same thing nine times in one module is one place to change.
void joinSameLines(std::vector<CodedFinding>& findings,
                   const std::function<Location(const jit::Node*)>& where) {
  std::vector<CodedFinding> joined;
  std::map<std::string, std::size_t> known;
  for (auto& f : findings) {
    Location at = where(f.node);
    std::string key = at.file + "|" + std::to_string(at.line) + "|" + at.scope + "|" + f.message;
    auto [entry, fresh] = known.emplace(key, joined.size());
    if (fresh || at.line == 0 || f.rewrite) {
      joined.push_back(f);
      continue;
    }
    auto& related = joined[entry->second].related;
    related.push_back(f.node);
    related.insert(related.end(), f.related.begin(), f.related.end());
  }
  findings = std::move(joined);
}

// By its tag: what it finds is true of the whole of forward, at no operator of it.
bool isAboutModule(const RulePage& page) {
  return std::find(page.tags.begin(), page.tags.end(), "whole-module") != page.tags.end();
}

// All of forward: no line, and none of the module's parts.
Location ofWhole() {
  Location out;
  out.scope = "forward";
  return out;
}

}  // namespace

void completeTrace(jit::Graph& graph, const jit::Module& module, TracedValues& traced) {
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
  forgetReshaped(graph, traced);
}

// What an exported program is run as, and the arguments that it brought along; "" where there are none.
std::string Campaign::writeConverted() {
  if (!subject_.converted) return "";
  saveWhole(*subject_.converted, workDir_ / kConvertedFile);
  subject_.converted.reset();  // its weights are those of the subject
  return kConvertedFile;
}

std::string Campaign::writeSamples() const {
  if (subject_.samples.empty()) return "";
  auto bytes = jit::pickle_save(c10::ivalue::Tuple::create(subject_.samples));
  writeFile(workDir_ / kSamplesFile, std::string_view(bytes.data(), bytes.size()));
  return kSamplesFile;
}

Json Campaign::writeBase() {
  auto base = subject_.module.clone(kSharedTensors);
  dropWeights(base);
  nameResults(*base.get_method("forward").graph());
  saveWhole(base, workDir_ / "base.pt");
  // The truth for every comparison of the whole is the user's own graph: a wrong normal form must not be its
  // own witness.
  auto truth = subject_.original.clone(kSharedTensors);
  dropWeights(truth);
  promoteToFp64(truth);
  saveWhole(truth, workDir_ / "original.fp64.pt");

  Json nodes = Json::array();
  for (auto& n : subject_.nodes)
    nodes.push_back({{"id", n.id}, {"op", n.op}, {"scope", n.where.scope}, {"where", n.where}});
  writeFile(workDir_ / "graph.json", Json{{"nodes", nodes}}.dump());

  Json inputs = Json::array();
  auto graph = subject_.graph();
  for (std::size_t i = 1; i < graph->inputs().size(); ++i)
    inputs.push_back(
        {{"name", graph->inputs()[i]->debugName()}, {"type", graph->inputs()[i]->type()->str()}});
  return {{"format", subject_.format},
          {"nodes", subject_.nodes.size()},
          {"parameters", subject_.parameters},
          {"parameterBytes", subject_.parameterBytes},
          {"inputs", inputs},
          {"base", "base.pt"},
          {"baseFp64", "original.fp64.pt"},
          {"graph", "graph.json"},
          {"notes", subject_.notes},
          {"converted", writeConverted()},
          {"samples", writeSamples()},
          {"guessed", subject_.guessedInputs}};
}

Location Campaign::where(const jit::Node* n) const { return placeOf(n, subject_.nodes); }

// Where new tensors lie in the file that is written: with its own, but on the GPU of the run where it has
// none, or names that GPU.
std::string Campaign::homeOfTables() const {
  if (subject_.savedDevice != "cpu" || options_.target.device != "cuda") return subject_.savedDevice;
  auto graph = subject_.graph();
  const std::string named = namedGpu(*graph);
  for (auto* in : graph->inputs()) {
    auto* seen = traced_.find(in);
    if (!seen || !seen->device.starts_with("cuda")) continue;
    return !subject_.hasTensors || named == "cuda" || named == seen->device ? seen->device : "cpu";
  }
  return "cpu";
}

Json Campaign::match(const std::vector<std::string>& pages, const TracedValues& traced,
                     const MatchOptions& options, const Replies& replies) {
  proposals_.clear();
  options_ = options;
  traced_ = traced;
  auto graph = subject_.graph();
  subject_.savedDevice = homeOfTables();
  completeTrace(*graph, subject_.module, traced_);
  specialisation_ = specialise(graph, traced_);
  checkUnpackedPieces(subject_, traced_);
  auto aliases = aliasesOf(graph, &subject_.module);  // for all rules: matching adds constants at most
  Outcome out{replies, subject_.module, traced_, options, *aliases, 1, {}, {}, {}, {}, {}, {}, {}, false};
  std::multimap<std::size_t, const RulePage*> last;  // by turn; pages may share a function
  auto matching = [&](const std::string& path, const std::function<void()>& step) {
    try {
      step();
    } catch (const Error& e) {
      out.notApplicable.push_back({path, std::string("the page could not be used: ") + e.what()});
    } catch (const std::exception& e) {  // of LibTorch, for which one rule is to blame
      out.notApplicable.push_back({path, "the page could not be used: " + briefly(e)});
    }
  };
  for (auto& path : pages)
    matching(path, [&] {
      pages_.push_back(compiled_.page(path));
      auto turn = turnBehindOthers(*pages_.back());
      if (turn) last.emplace(*turn, pages_.back().get());
      else matchRule(*pages_.back(), out);
    });
  for (auto& [turn, page] : last) matching(page->path, [&] { matchRule(*page, out); });
  compiled_.forget();
  tellCandidates(out);
  Json body = {{"refused", out.refused}, {"notApplicable", out.notApplicable}, {"regions", "regions.json"}};
  if (out.looksAgain) body["looksAgain"] = true;
  if (options.mostNear) body["near"] = out.near;
  Readiness readiness = readinessOf(*subject_.graph(), subject_.nodes, out.breaks, weightsFrom(traced_));
  readiness.judgedBy = out.breakRules;
  body["readiness"] = readiness;
  addEstimates(body, subject_, traced_, *options.target.gpu);
  addGeneratedShare(body, *aliases);
  return body;
}

// Of the module as it is, on any device: what of it one-pass kernels could do.
void Campaign::addGeneratedShare(Json& body, const Aliases& aliases) const {
  bool isAsked =
      std::any_of(pages_.begin(), pages_.end(), [](auto& p) { return p->function == "separate-passes"; });
  if (!isAsked || traced_.empty()) return;
  auto graph = subject_.graph();
  body["generated"] = shareOf(*graph, findRowRegions(*graph, traced_, aliases), traced_);
}

void Campaign::matchRule(const RulePage& page, Outcome& out) {
  auto& device = out.options.target.device;
  if (!page.isAbout(device)) {
    out.notApplicable.push_back({page.id, "is about " + page.devices[0] + " devices, and this run is on " +
                                              device + " (--device " + page.devices[0] +
                                              " where there is one)"});
    return;
  }
  out.replies.progress("matching " + page.id);
  if (!page.function.empty()) return matchCoded(page, out);
  // Near places are asked of every pattern.
  rules_.push_back(compiled_.rule(page, out.options.mostNear ? nullptr : &out.present));
  matchPatterns(rules_.back(), out);
}

void Campaign::matchCoded(const RulePage& page, Outcome& out) {
  auto rule = codedRule(page.function);
  if (!rule) throw Error(page.path, "there is no coded rule \"" + page.function + "\"");
  auto result = rule(page, {out.graph(), &out.module, out.traced, out.options.target, out.aliases, out.taken,
                            captureCutsIn(out.breaks)});
  out.looksAgain = out.looksAgain || result.looksAgain;
  out.taken.insert(result.kept.begin(), result.kept.end());
  const UntakenArms untaken(out.graph(), out.traced);
  std::erase_if(result.findings, [&](auto& found) { return untaken.hold(found.node); });
  std::erase_if(result.refused, [&](auto& refused) { return untaken.hold(refused.node); });
  joinSameLines(result.findings, [this](const jit::Node* n) { return where(n); });
  for (auto& found : result.findings) {
    std::optional<Match> match;
    if (out.round > 1) {
      std::erase_if(found.passes, [](auto& pass) { return !standsOnMade(pass); });
      if (!found.rewrite && found.passes.empty()) continue;  // to be changed by hand, in the user's own code
    }
    if (found.rewrite) {
      NearMiss near;
      match = matchAt(*found.rewrite->pattern, found.rewrite->roots, out.traced, near);
      auto why = match ? whyUnsafe(*found.rewrite->pattern, *match, out.aliases,
                                   memoryOfResults(*found.rewrite->replacement))
                       : std::optional(near.mismatch);
      if (why) {
        out.refused.push_back({page.id, where(found.node), *why});
        continue;
      }
    }
    if (match && !isNew({page.id, *found.rewrite->pattern, rootIds(*found.rewrite)}, out)) continue;
    Finding f = newFinding(page, found.node, found.message, out.round);
    for (auto* n : found.related) f.related.push_back(where(n));
    if (isAboutModule(page)) f.where = ofWhole();
    f.estimate = found.estimate;
    for (auto& pass : found.passes) proposePass(pass, f, out);
    if (out.round > 1 && !found.rewrite && f.fixes.empty()) continue;
    if (match) proposeMade(*found.rewrite, *match, f, out);
    else out.replies.finding(f);
    out.breaks.push_back({found.node, page.id, f.id, found.breaks});
    for (auto* n : found.related) out.breaks.push_back({n, page.id, f.id, found.breaks});
  }
  if (endsPieces(page.nodes.breaks)) out.breakRules.push_back(page.id);
  for (auto& r : result.refused) out.refused.push_back({page.id, where(r.node), r.why});
  if (!result.whyNothing.empty()) out.notApplicable.push_back({page.id, result.whyNothing});
}

void Campaign::matchPatterns(const std::shared_ptr<Rule>& rule, Outcome& out) {
  auto search = findSites(*rule, out.graph(), out.aliases, subject_.nodes, out.traced, out.options.target,
                          out.options.mostNear);
  for (auto& r : search.refused) out.refused.push_back(r);
  out.near.insert(out.near.end(), search.near.begin(), search.near.end());
  if (!search.whyNothing.empty()) out.notApplicable.push_back({rule->page->id, search.whyNothing});
  for (auto& site : search.sites) {
    if (rule->page->isBehindOthers && out.taken.count(site.match.anchor)) {
      out.looksAgain = true;
      continue;
    }
    Place place{site.match, {nodeId(site.match.anchor)}, {rule, site.pattern}, {}, {}};
    if (!isNew({rule->page->id, *site.pattern, place.roots}, out)) continue;
    Finding f = newFinding(*rule->page, site.match.anchor, rule->page->title, out.round);
    // Of functions of torch no file keeps lines; what the user has written of the place says it as well.
    for (auto* n : site.match.nodes)
      if (f.where.file.empty() && f.where.scope.empty()) f.where = where(n);
    for (auto& r : site.group->replacements) place.replacements.emplace_back(rule, &r);
    report(place, f, out);
  }
}

}  // namespace kadvise::graph
