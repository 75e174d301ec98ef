// Campaign::proposePass: the candidate that changes a whole region on top of other candidates.
#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/apply.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/campaign.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/region.h"
#include "analyzer/graph/row_rewrite.h"

namespace kadvise::graph {
namespace {

using Ids = std::vector<int>;

bool holds(const Ids& ids, const Ids& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](int id) { return std::binary_search(ids.begin(), ids.end(), id); });
}

// In the order in which the pass names the rules.
std::vector<std::size_t> proposalsBefore(const RegionPass& pass, const Ids& ids,
                                         const std::vector<Proposal>& proposals) {
  std::vector<std::size_t> out;
  for (auto& rule : pass.rulesBefore)
    for (std::size_t i = 0; i < proposals.size(); ++i) {
      auto& p = proposals[i];
      bool inside = std::any_of(p.sites.begin(), p.sites.end(), [&](auto& s) { return holds(ids, s); });
      if (p.candidate.rule == rule && !p.pass && inside) out.push_back(i);
    }
  return out;
}

// In the region alone its inputs have the names that those of the whole module have in the module.
TracedValues tracedInside(const TracedValues& traced, const std::vector<const jit::Value*>& inputs) {
  TracedValues out = traced;
  TracedValue unknown;
  unknown.varies = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto* seen = traced.find(inputs[i]);
    out.put("in." + std::to_string(i), seen ? *seen : unknown);
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (auto& line : lines) out += line + "\n";
  return out;
}

// Whether the change put calls of generated kernels there.
bool callsKernels(const jit::Module& after) {
  auto isNew = [](const jit::Node* n) { return (isRowProgram(n) || isGeneratedCopy(n)) && nodeId(n) < 0; };
  return !nodesWhere(after.get_method("forward").graph()->block(), isNew).empty();
}

}  // namespace

void Campaign::proposePass(RegionPass pass, Finding& f, Outcome& out) {
  bool mayGenerate = pass.changeByKernels && out.options.maxLevel >= kLevelOfGenerated;
  if (mayGenerate) pass.change = pass.changeByKernels;
  Ids ids;
  for (auto* n : pass.nodes) ids.push_back(nodeId(n));
  std::sort(ids.begin(), ids.end());
  std::string place = f.rule + " " + pass.title;
  for (int id : ids) place += " " + std::to_string(id);
  if (!known_.insert(place).second) return;  // an earlier round has proposed it
  Proposal p;
  p.pass = pass;
  p.sites = {ids};
  p.before = proposalsBefore(pass, ids, proposals_);
  if (p.before.empty() && !pass.rulesBefore.empty()) return;  // there is nothing that it could stand on
  Candidate& c = p.candidate;
  c.round = out.round;
  c.level = pass.level;
  c.exactness = pass.exactness;
  c.ofRegion = true;
  for (auto i : p.before) {
    c.level = std::max(c.level, proposals_[i].candidate.level);
    c.exactness = std::max(c.exactness, proposals_[i].candidate.exactness);
    auto& sites = proposals_[i].sites;
    if (std::all_of(sites.begin(), sites.end(), [&](auto& s) { return holds(ids, s); }))
      c.parts.push_back(proposals_[i].candidate.id);
  }
  if (auto why = whyNotAllowed({c.level, c.exactness, "", pass.title}, out.options); !why.empty()) {
    out.refused.push_back({f.rule, f.where, {pass.title, why}});
    return;
  }
  auto refuse = [&](const std::string& why) {
    out.refused.push_back({f.rule, f.where, {"", pass.title + ": " + why}});
  };
  std::vector<std::string> did;
  std::optional<RegionPair> pair;
  try {
    pair = cutPass(p, out, did);
  } catch (const Error& e) {  // of one region: the page may have others
    return refuse(e.reason);
  }
  if (did.empty()) return refuse("nothing is left to do after the other changes");
  if (mayGenerate && callsKernels(pair->after)) c.level = std::max(c.level, kLevelOfGenerated);
  writePair(c, pass.title, f.rule, *pair);
  c.findings = {f.id};
  // What generated kernels may do inside looks otherwise once the region is changed.
  out.taken.insert(pass.nodes.begin(), pass.nodes.end());
  std::string before = std::to_string(pass.nodes.size()) + " operators, see " + c.before + "\n";
  f.fixes.push_back(
      {pass.title, Safety::Safe, Rewrite{c.id, before, joined(did), c.level, c.exactness, c.domain}});
  proposals_.push_back(std::move(p));
}

// did: what the pass did, a line each.
RegionPair Campaign::cutPass(const Proposal& p, const Outcome& out, std::vector<std::string>& did) const {
  auto& ids = p.sites.at(0);
  return cutRegion(p.pass->nodes, out.module, [&](jit::Module& after, auto& inputs) {
    auto traced = tracedInside(out.traced, inputs);
    StandIns made;
    for (auto i : p.before) {
      auto& other = proposals_[i];
      for (auto& site : other.sites)
        if (holds(ids, site)) applyAt(after, *other.pattern, *other.replacement, site, traced, made);
    }
    did = applyPass(after, *p.pass, ids, traced, made);
  });
}

void Campaign::writePair(Candidate& c, const std::string& title, const std::string& rule,
                         const RegionPair& pair) const {
  c.id = "C" + std::to_string(proposals_.size() + 1);
  c.rule = rule;
  c.title = title;
  c.before = c.id + ".before.pt";
  c.after = c.id + ".after.pt";
  c.beforeFp64 = saveWithTwin(pair.before, workDir_ / c.before);
  c.afterFp64 = saveWithTwin(pair.after, workDir_ / c.after);
  c.names = pair.names;
  c.inputs = pair.inputs;
}

}  // namespace kadvise::graph
