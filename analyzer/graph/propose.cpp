// The part of a campaign that makes findings and candidates of the places where rules match.
#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/hash.h"
#include "analyzer/graph/campaign.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/region_estimate.h"

namespace kadvise::graph {
namespace {

void addOnce(std::vector<std::string>& list, const std::string& word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

// What the region reads can be handed to it only where the run has seen it.
bool isTraced(const RegionPair& pair, const TracedValues& traced) {
  return std::all_of(pair.values.begin(), pair.values.end(),
                     [&](auto* v) { return traced.find(v) != nullptr; });
}

}  // namespace

std::vector<int> rootIds(const MadeRewrite& made) {
  std::vector<int> out;
  for (auto* n : made.roots) out.push_back(nodeId(n));
  return out;
}

// The same place keeps its id when lines move: rule, module path and operator, with a count where that is not
// enough.
std::string Campaign::newFindingId(const std::string& rule, const jit::Node* n) {
  std::string key = rule + "|" + where(n).scope + "|" + n->kind().toQualString();
  int seen = idsSeen_[key]++;
  return stableHash(seen == 0 ? key : key + "|" + std::to_string(seen));
}

Finding Campaign::newFinding(const RulePage& page, const jit::Node* n, const std::string& message,
                             int round) {
  Finding f;
  f.id = newFindingId(page.id, n);
  f.rule = page.id;
  f.severity = page.severity;
  f.where = where(n);
  f.message = message;
  f.round = round;
  return f;
}

// A place is reported in the round that first finds it. A later round must be able to find it again in every
// module that is composed, so its roots have ids.
bool Campaign::isNew(const Known& place, const Outcome& out) {
  std::string key =
      place.rule + "|" + std::to_string(place.pattern.line) + "|" + std::to_string(place.pattern.variant);
  for (int id : place.roots) key += "|" + std::to_string(id);
  bool isFresh = known_.insert(key).second;
  if (out.round == 1) return true;
  return isFresh && std::all_of(place.roots.begin(), place.roots.end(), [](int id) { return id >= 0; });
}

void Campaign::proposeMade(const MadeRewrite& made, const Match& match, Finding& f, Outcome& out) {
  report({match, rootIds(made), made.pattern, {made.replacement}, made.makers}, f, out);
}

// Only what can be replaced is worth a word in a later round, and the reader is told what it follows.
void Campaign::report(const Place& place, Finding& f, Outcome& out) {
  propose(place, f, out);
  if (out.round > 1) {
    if (f.fixes.empty()) return;
    std::vector<std::string> rules;
    for (auto& id : enablersOf(place)) addOnce(rules, proposal(id).candidate.rule);
    std::string words;
    for (auto& rule : rules) words += (words.empty() ? "" : " and ") + rule;
    f.message += " (after " + (words.empty() ? "the other replacements" : words) + ")";
  }
  out.replies.finding(f);
}

// The candidates whose replacements made nodes of the place.
std::vector<std::string> Campaign::enablersOf(const Place& place) const {
  std::vector<std::string> out;
  for (auto* nodes : {&place.makers.nodes, &place.match.nodes})
    for (auto* n : *nodes)
      if (auto maker = made_.makerOf(n); !maker.empty()) addOnce(out, maker);
  return out;
}

// A pass brings along what it stands on.
void Campaign::addFollowed(Proposal& p, const Place& place) const {
  auto& follows = p.candidate.follows;
  for (auto& enabler : enablersOf(place)) addOnce(follows, enabler);
  auto isFollowed = [&](std::size_t i) {
    return std::find(follows.begin(), follows.end(), proposals_[i].candidate.id) != follows.end();
  };
  for (auto& other : proposals_)
    if (std::any_of(other.before.begin(), other.before.end(), isFollowed))
      addOnce(follows, other.candidate.id);
}

std::string Campaign::whyNotAllowed(const ReplacementInfo& info, const MatchOptions& options) const {
  if (info.level > options.maxLevel)
    return "is of level " + std::to_string(info.level) + ", and --level allows " +
           std::to_string(options.maxLevel);
  if (info.exactness == Exactness::Approximates && !options.allowApproximate)
    return "changes results beyond rounding; --allow-approximate allows it";
  return "";
}

void Campaign::propose(const Place& place, Finding& f, Outcome& out) {
  for (auto& replacement : place.replacements) {
    auto& info = replacement->info;
    if (auto why = whyNotAllowed(info, out.options); !why.empty()) {
      out.refused.push_back({f.rule, f.where, {info.title, why}});
      continue;
    }
    try {
      addSite(place, replacement, f, out);
    } catch (const Error& e) {  // of one place: the rule has others
      if (out.round == 1) out.refused.push_back({f.rule, f.where, {info.title, e.reason}});
    }
  }
}

void Campaign::addSite(const Place& place, const std::shared_ptr<const Replacement>& replacement, Finding& f,
                       Outcome& out) {
  RegionPair pair = cutRegion(*place.pattern, *replacement, place.match, place.makers, out.module);
  if (out.round > 1 && !isTraced(pair, out.traced)) return;
  std::string signature = f.rule + "|" + std::to_string(place.pattern->line) + "|" +
                          std::to_string(replacement->line) + "|" + signatureOf(pair, out.traced);
  auto [entry, fresh] = out.bySignature.emplace(signature, proposals_.size());
  if (fresh) {
    proposals_.push_back(newProposal(place, replacement, pair, f));
    proposals_.back().estimate = estimateOf(pair, out.traced, *out.options.target.gpu);
  }
  Proposal& p = proposals_[entry->second];
  p.sites.push_back(place.roots);
  if (out.round == 1) out.taken.insert(place.match.nodes.begin(), place.match.nodes.end());
  p.candidate.findings.push_back(f.id);
  addFollowed(p, place);
  if (p.estimate && (!f.estimate || p.estimate->savedUs > f.estimate->savedUs)) f.estimate = p.estimate;
  auto& info = replacement->info;
  f.fixes.push_back(
      {info.title, Safety::Safe,
       Rewrite{p.candidate.id, pair.beforeText, pair.afterText, info.level, info.exactness, info.domain}});
}

Proposal Campaign::newProposal(const Place& place, const std::shared_ptr<const Replacement>& replacement,
                               const RegionPair& pair, const Finding& f) const {
  Proposal p;
  p.pattern = place.pattern;
  p.replacement = replacement;
  p.candidate.level = replacement->info.level;
  p.candidate.exactness = replacement->info.exactness;
  p.candidate.domain = replacement->info.domain;
  p.candidate.round = f.round;
  writePair(p.candidate, replacement->info.title, f.rule, pair);
  return p;
}

// Those of this round; regions.json holds all.
void Campaign::tellCandidates(const Outcome& out) const {
  Json regions = Json::array();
  for (auto& p : proposals_) {
    regions.push_back({{"candidate", p.candidate.id}, {"rule", p.candidate.rule}, {"sites", p.sites}});
    if (p.candidate.round != out.round) continue;
    Json body = p.candidate;
    body["kind"] = "candidate";
    out.replies.artefact(body);
  }
  writeFile(workDir_ / "regions.json", Json{{"regions", regions}}.dump());
}

}  // namespace kadvise::graph
