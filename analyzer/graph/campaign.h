// Everything that kadvise-graph knows between two requests: the subject, what matched, and how to apply it again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analyzer/core/channel.h"
#include "analyzer/core/rule_page.h"
#include "analyzer/graph/find.h"

namespace kadvise::graph {

// A candidate as it can be applied to a fresh copy of the module: at the nodes with these ids.
struct Proposal {
  Candidate candidate;
  const Pattern* pattern = nullptr;
  const Replacement* replacement = nullptr;
  std::vector<int> anchors;
  std::optional<Estimate> estimate;  // of one site
};

struct MatchOptions {
  int maxLevel = 5;
  bool allowApproximate = false;
  Target target;
};

class Campaign {
 public:
  Campaign(Subject subject, std::filesystem::path workDir) : subject_(std::move(subject)), workDir_(std::move(workDir)) {}

  // Writes base.pt, its twin and graph.json; returns the body of `loaded`.
  Json writeBase();

  // Searches for every rule; tells of findings and candidates as it goes; returns the body of `matched`.
  Json match(const std::vector<std::string>& pages, const TracedValues&, const MatchOptions&, const Replies&);

  // Writes the module with a set of candidates applied; returns the body of `composed`. With weights, the file is
  // complete by itself and carries the provenance.
  Json compose(const std::vector<std::string>& candidates, const std::filesystem::path&, bool withWeights, const Json& provenance);

 private:
  struct Outcome {  // of one match request
    const Replies& replies;
    const TracedValues& traced;
    const MatchOptions& options;
    std::vector<Refusal> refused;
    std::vector<NotApplicable> notApplicable;
    std::map<std::string, std::size_t> bySignature;  // -> index into proposals_
    std::map<std::string, int> idsSeen;
  };
  void matchRule(const RulePage&, Outcome&);
  void matchPatterns(const Rule&, Outcome&);
  void matchCoded(const RulePage&, Outcome&);
  void propose(const Rule&, const Site&, Outcome&);
  std::string newFindingId(const std::string& rule, const torch::jit::Node*, Outcome&) const;
  Location where(const torch::jit::Node*) const;

  Subject subject_;
  std::filesystem::path workDir_;
  std::vector<std::unique_ptr<RulePage>> pages_;  // rules and proposals point into these
  std::vector<std::unique_ptr<Rule>> rules_;
  std::vector<Proposal> proposals_;
  TracedValues traced_;
};

}  // namespace kadvise::graph
