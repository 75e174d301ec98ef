// The part of a campaign that matches again what the kept replacements made of the module: one may bring
// about the place of another.
#include <algorithm>

#include "analyzer/campaign.h"
#include "analyzer/finding_policy.h"
#include "analyzer/selection.h"

namespace kadvise {
namespace {

constexpr int kMostRounds = 4;
constexpr int kMostRevivals = 2;
// Of the budget, for a round that a rule waits for, though what comes later then takes longer than the
// budget: behind one slow comparison nothing but that would be proposed.
constexpr double kWaitedForShare = 0.2;

}  // namespace

// Each round looks at the module with all that is kept so far. Nothing is lost when it fails: the run goes on
// with what is known. Rounds come before trials: where comparisons took longer than their share, rounds take
// that of the trials. A small budget does for the one that a rule waits for.
void Campaign::followRounds() {
  std::vector<std::string> last;
  for (int round = 2; round <= kMostRounds; ++round) {
    auto kept = select(report_.candidates, report_.verdicts, options_.keep).kept;
    double reserved = options_.budgetSeconds * (reservedShare() + searchShare());
    if (budgetLeft_ - reserved < options_.budgetSeconds * kRoundsShare)
      reserved = options_.budgetSeconds * reservedShare();
    if (round > 2 && !searches()) return;
    bool isWaitedFor = round == 2 && looksAgain_;  // by a rule that left places to what was not kept, either
    if (isWaitedFor) reserved = std::min(reserved, budgetLeft_ - options_.budgetSeconds * kWaitedForShare);
    bool isSpent = budgetLeft_ - reserved < kLeastSeconds;
    if (((kept.empty() || kept == last) && !isWaitedFor) || isSpent || !measure_->usable()) return;
    std::size_t known = report_.candidates.size();
    if (!matchAgain(round, kept) || report_.candidates.size() == known) return;
    compareCandidates(known, reserved);
    last = kept;
  }
}

bool Campaign::matchAgain(int round, const std::vector<std::string>& kept) {
  phase("match again");
  std::string number = std::to_string(round), base = "round" + number + ".pt";
  Json advance = {
      {"candidates", kept}, {"without", suppressedIds(report_)}, {"path", (work_.path() / base).string()}};
  if (Reply r = askGraph("advance", advance, "composing for round " + number); !r) return giveUpRounds(r);
  Reply traced = askMeasure(
      "trace", {{"base", moduleAt(base)}, {"out", "values" + number + ".json"}, {"save", Json::array()}},
      "tracing what was composed");
  if (!traced) return giveUpRounds(traced);
  Json values = {{"values", (work_.path() / traced.body.at("values").get<std::string>()).string()}};
  std::vector<Finding> findings;
  std::vector<Candidate> candidates;
  auto receive = [&](const std::string& type, const Json& body) {
    if (type == "finding") findings.push_back(body.get<Finding>());
    if (type == "artefact") candidates.push_back(body.get<Candidate>());
  };
  Reply matched = askGraph("match-again", values, "matching again, round " + number, receive);
  if (!matched) return giveUpRounds(matched);
  for (auto& stopped : matched.body.at("notApplicable").get<std::vector<NotApplicable>>())
    report_.notes.push_back(stopped.rule +
                            " did not look at what the replacements make possible: " + stopped.reason);
  graphHistory_.emplace_back("advance", advance);
  graphHistory_.emplace_back("match-again", values);
  return takeRound(base, std::move(findings), std::move(candidates));
}

// Where its candidates cannot be run it is as if the round had not been.
bool Campaign::takeRound(const std::string& base, std::vector<Finding> findings,
                         std::vector<Candidate> candidates) {
  std::size_t found = report_.findings.size(), known = report_.candidates.size(),
              suppressed = report_.suppressed.size();
  auto notApplicable = report_.notApplicable;
  for (auto& f : findings) {
    std::erase_if(report_.notApplicable, [&](auto& n) { return n.rule == f.rule; });
    report_.findings.push_back(std::move(f));
  }
  for (auto& c : candidates) report_.candidates.push_back(std::move(c));
  applyPolicy(report_, options_.configuration, found);
  if (report_.candidates.size() == known) return true;
  Reply saved = saveInputs(base, known);
  if (saved) return true;
  report_.findings.resize(found), report_.candidates.resize(known), report_.suppressed.resize(suppressed);
  report_.notApplicable = std::move(notApplicable);
  return giveUpRounds(saved);
}

bool Campaign::giveUpRounds(const Reply& reply) {
  report_.notes.push_back("what the replacements make possible was not looked for to the end: " +
                          reply.reason);
  if (reply.kind == Reply::Kind::Died) noteLastLine(reply);
  reviveGraph();
  return false;
}

// It has no state but what it was asked for, and the same requests give the same answers.
bool Campaign::reviveGraph() {
  if (graph_ && graph_->alive() && !graph_->busy()) return true;
  if (revivals_ >= kMostRevivals) return false;
  ++revivals_;
  graph_ = setup_.startGraph();
  for (auto& [verb, arguments] : graphHistory_) {
    if (askGraph(verb, arguments, "reading the module again")) continue;
    graph_->end(0);  // what has half of it would be taken for one that knows the module
    return false;
  }
  return true;
}

}  // namespace kadvise
