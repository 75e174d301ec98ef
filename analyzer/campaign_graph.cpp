// The part of a campaign that asks whether the composed module should own CUDA graphs.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/finding_policy.h"
#include "analyzer/spending.h"
#include "reports/headline.h"
#include "reports/ranking.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOtherSetFile = "other_set.pt";
// Of what a comparison may take usually, for those of another set: few need one.
constexpr double kOtherSetShare = 0.5;
constexpr int kGraphLevel = 3;

CudaGraphUse notUsed(GraphStatus status, const std::string& reason) {
  CudaGraphUse out;
  out.status = status;
  out.reason = reason;
  return out;
}

double counter(const Measurement& m, const char* name) {
  auto it = m.counters.find(name);
  return it == m.counters.end() ? 0 : it->second;
}

std::string whyNotWorthIt(const Verdict& v) {
  if (v.outcome == Outcome::Slower) return "the module is slower with them";
  if (v.outcome == Outcome::Same) return "no faster with them";
  return v.reason.empty() ? "nothing shows that it is faster with them" : v.reason;
}

}  // namespace

// "" where it is worth a try.
std::string Campaign::whyNoCudaGraph() const {
  if (isInterrupted_) return "the run was interrupted";
  if (!options_.cudaGraph) return "switched off by --no-cuda-graph";
  if (options_.level < kGraphLevel)
    return fmt::format("they are of level {}, and --level allows {}", kGraphLevel, options_.level);
  if (report_.device.kind != "cuda") return "they need a GPU, and none is in use";
  if (setup_.installation.kernelLibrary.empty())
    return "they need libkadvise_kernels.so, which was not found";
  return measure_ && measure_->usable() ? "" : "kadvise-measure is not there any more";
}

double Campaign::graphShare() const {
  return whyNoCudaGraph().empty() ? kWholeShareBesideGraphs + kGraphShare : 0;
}

double Campaign::wholeShare() const {
  if (!whyNoCudaGraph().empty()) return kWholeShare;
  return judgesOnGpu_ ? kWholeShareForGraphs : kWholeShareBesideGraphs;
}

double Campaign::secondsInGraphs(double share, double sharesThatFollow) const {
  return secondsOfShare(share, sharesThatFollow, budgetLeft_, options_.budgetSeconds);
}

double Campaign::reservedShare() const { return wholeShare() + graphShare(); }

Json Campaign::graphPages() const {
  Json pages = Json::array();
  for (auto& page : book_.pages)
    if (page.function == "graph-break") pages.push_back(fs::absolute(page.path).string());
  return {{"pages", pages}};
}

// Interrupted here, the run ends with the set that has been proven, where there is one.
void Campaign::tryCudaGraph() {
  if (report_.candidates.empty()) budgetLeft_ = options_.budgetSeconds;  // nothing was spent on them
  bool isProven = !report_.composition.applied.empty() && outputsEqual(report_.whole);
  try {
    bool isOnWhole = isProven && (judgesOnGpu_ || report_.whole.outcome != Outcome::Slower);
    if (isOnWhole && whyNoCudaGraph().empty())
      if (auto other = fasterSetInGraphs()) tryGraphsOn(*other);
    if (whyNoCudaGraph().empty() && !ownsGraphs()) compareWithGraphs(isOnWhole);
    if (judgesOnGpu_ && !ownsGraphs() && measure_->usable() && reviveGraph()) chooseByTheWall();
  } catch (const Interrupted&) {
    if (!isProven) throw;
    endWithWhatIsProven();
    report_.cudaGraph.reset();
  }
  if (!report_.cudaGraph) report_.cudaGraph = notUsed(GraphStatus::NotTried, whyNoCudaGraph());
}

// Another set that is clearly faster than the proven one, both in graphs.
std::optional<std::vector<std::string>> Campaign::fasterSetInGraphs() {
  auto ids = appliedIds().get<std::vector<std::string>>();
  auto trial = trialInGraphs({ids, {}}, {report_.candidates, report_.verdicts, options_.keep, 0});
  if (!trial) return std::nullopt;
  double seconds =
      secondsInGraphs(kGraphShare * kOtherSetShare, wholeShare() * kOtherSetShare + graphShare());
  if (seconds < kLeastTrialSeconds) {
    noteStep(trial->tried, {trial->set, "", {}}, ids, {}, "not tried: the budget was spent (--budget)");
    return std::nullopt;
  }
  phase("cuda graph");
  auto proven = composeWithGraphs(ids);
  auto other = proven ? composeWithGraphs(trial->set) : std::nullopt;
  if (!other) return std::nullopt;
  Json arguments = wholeArguments(other->file, report_.composition, seconds);
  arguments["before"] = moduleAt(proven->file);
  arguments["profile"] = false;
  Verdict v;
  {
    Spending spent(budgetLeft_);
    v = compare("set", "trying a set " + trial->tried, arguments);
  }
  report_.cudaGraph.reset();
  noteStep(trial->tried, {trial->set, "", {}}, ids, v, decisionOn(v));
  return v.outcome == Outcome::Faster ? std::optional(trial->set) : std::nullopt;
}

// Where graphs do not pay in the end, the set that was proven without them stands. Of no replacements at all
// there is nothing to prove.
void Campaign::tryGraphsOn(const std::vector<std::string>& set) {
  const Report before = report_;
  const std::string file = wholeFile_;
  auto backTo = [&] {
    auto timing = report_.timing;
    report_ = before;
    report_.timing = timing;
    report_.search.back().decision = "not taken: as a whole it did not hold, or did not pay";
    wholeFile_ = file;
  };
  try {
    composeAndTryGraphs(set);
  } catch (const Interrupted&) {
    backTo();
    throw;
  }
  // Both against the file as it was loaded.
  bool pays = ownsGraphs() && report_.whole.speedup.mid >= before.whole.speedup.mid;
  if (!pays) backTo();
}

void Campaign::composeAndTryGraphs(const std::vector<std::string>& set) {
  if (set.empty()) return compareWithGraphs(false);
  Reply refused;
  auto composed = compose(set, kOtherSetFile, refused);
  if (!composed) return void(reviveGraph());
  compareWhole(*composed, secondsInGraphs(wholeShare() * kOtherSetShare, graphShare()));
  if (!outputsEqual(report_.whole)) return;
  replaceSet(*composed, appliedIds().get<std::vector<std::string>>(),
             "the module in CUDA graphs is faster without it");
  compareWithGraphs(true);
}

// The module without replacements may own them, too.
void Campaign::compareWithGraphs(bool isOnWhole) {
  phase("cuda graph");
  auto composed = composeWithGraphs(isOnWhole ? appliedIds() : Json::array());
  if (!composed) return;
  Json arguments = wholeArguments(composed->file, report_.composition,
                                  secondsInGraphs(kGraphShare, isOnWhole ? kWholeShareBesideGraphs : 0));
  if (isOnWhole) arguments["before"] = moduleAt(wholeFile_);
  else arguments["domain"] = "", arguments["exactness"] = word(Exactness::Exact);
  // What is composed of more is confirmed as a whole.
  const char* doing = "comparing with CUDA graphs";
  Verdict gain;
  {
    Spending spent(budgetLeft_);
    gain = isOnWhole ? compare(kCudaGraphVerdict, doing, arguments)
                     : compareAndConfirm(kCudaGraphVerdict, doing, arguments);
  }
  report_.verdicts.push_back(gain);
  auto& use = *report_.cudaGraph;
  use.poolBytes = counter(gain.after, "graphPoolBytes");
  if (gain.outcome != Outcome::Faster) {
    use.status = outputsEqual(gain) ? GraphStatus::NotWorthIt : GraphStatus::Failed;
    use.reason = outputsEqual(gain) ? whyNotWorthIt(gain) : gain.reason;
    return;
  }
  takeGraphs(isOnWhole, gain, *composed);
}

// What a set was composed to stands in its file for the whole run. nullopt where it could not be composed;
// the report says why.
const Campaign::InGraphs* Campaign::inGraphs(const Json& ids) {
  auto known = inGraphs_.find(ids.dump());
  if (known != inGraphs_.end()) return &known->second;
  if (!reviveGraph()) {
    report_.cudaGraph = notUsed(GraphStatus::Failed, "kadvise-graph could not be started again");
    return nullptr;
  }
  std::string file = (work_.path() / ("graph" + std::to_string(inGraphs_.size()) + ".pt")).string();
  Reply composed = askGraph("compose",
                            {{"candidates", ids},
                             {"without", suppressedIds(report_)},
                             {"path", file},
                             {"weights", true},
                             {"cudaGraph", graphPages()}},
                            "capturing the module in CUDA graphs");
  if (composed) return &inGraphs_.emplace(ids.dump(), InGraphs{file, composed.body}).first->second;
  if (composed.kind == Reply::Kind::Died) noteLastLine(composed);
  report_.cudaGraph = notUsed(GraphStatus::Failed, composed.reason);
  return nullptr;
}

// nullopt where there is nothing to compare; the report says why.
std::optional<Campaign::InGraphs> Campaign::composeWithGraphs(const Json& ids) {
  auto* composed = inGraphs(ids);
  if (!composed) return std::nullopt;
  const Json& said = composed->said.at("cudaGraph");
  CudaGraphUse use;
  said.at("parts").get_to(use.parts);
  said.at("launches").get_to(use.launches);
  said.at("allLaunches").get_to(use.allLaunches);
  use.blockers = said.at("blockers").get<std::vector<CaptureBlocker>>();
  report_.cudaGraph = use;
  if (use.parts > 0) return *composed;
  report_.cudaGraph->status = GraphStatus::NotCapturable;
  report_.cudaGraph->reason = use.blockers.empty()
                                  ? "forward launches nothing that a graph could hold"
                                  : "no part of forward that can be captured is large enough";
  return std::nullopt;
}

// Faster than without; now the whole against the file as loaded, for the headline.
void Campaign::takeGraphs(bool isOnWhole, const Verdict& gain, const InGraphs& composed) {
  Verdict without = report_.whole;
  without.candidate = kWithoutGraphsVerdict;
  auto& use = *report_.cudaGraph;
  Verdict whole = gain;  // without replacements it is the same comparison
  whole.candidate = kWholeVerdict;
  if (isOnWhole)
    whole = compareAndConfirm(
        kWholeVerdict, "checking the whole module with CUDA graphs",
        wholeArguments(composed.file, report_.composition, secondsInGraphs(kWholeShareBesideGraphs, 0)));
  if (!outputsEqual(whole) || whole.outcome == Outcome::Slower) {
    use.status = outputsEqual(whole) ? GraphStatus::NotWorthIt : GraphStatus::Failed;
    use.reason = "against the file as loaded: " + whyNotWorthIt(whole);
    return;
  }
  if (isOnWhole && outputsEqual(without)) report_.verdicts.push_back(without);
  auto& c = report_.composition;
  if (!isOnWhole) {
    for (auto& a : c.applied) c.dropped.push_back({a.candidate, "the module is better off without it"});
    c.applied.clear();
  }
  composed.said.at("notes").get_to(c.notes);
  c.notes.push_back(
      "weights of captured parts belong to the runner: state_dict() does not hold them and .to() does not "
      "move them; give torch.jit.load a map_location");
  use.status = GraphStatus::Applied;
  report_.whole = whole;
}

bool Campaign::ownsGraphs() const {
  return report_.cudaGraph && report_.cudaGraph->status == GraphStatus::Applied;
}

}  // namespace kadvise
