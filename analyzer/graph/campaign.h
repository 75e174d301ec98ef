// Everything that kadvise-graph knows between two requests: the subject, what matched, and how to apply it
// again.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "analyzer/core/channel.h"
#include "analyzer/core/rule_page.h"
#include "analyzer/graph/campaign_capture.h"
#include "analyzer/graph/compiled_pages.h"
#include "analyzer/graph/find.h"
#include "analyzer/graph/made_nodes.h"
#include "analyzer/graph/made_rewrite.h"
#include "analyzer/graph/readiness.h"
#include "analyzer/graph/region.h"
#include "analyzer/graph/region_pass.h"
#include "analyzer/graph/specialise.h"

namespace kadvise::graph {
namespace jit = torch::jit;

// A candidate as it can be applied to a fresh copy of the module: at the nodes with these ids.
struct Proposal {
  Candidate candidate;
  std::shared_ptr<const Pattern> pattern;
  std::shared_ptr<const Replacement> replacement;
  std::vector<std::vector<int>> sites;  // of each: the ids of its roots, see matchAt(); of a pass its nodes
  std::optional<Estimate> estimate;     // of one site
  std::optional<RegionPass> pass;       // in place of pattern and replacement
  std::vector<std::size_t> before;      // of a pass: the proposals that are applied first where the pass is
};

struct MatchOptions {
  int maxLevel = 5;
  bool allowApproximate = false;
  Target target;
  std::size_t mostNear = 0;  // places where a rule nearly matches, of each rule
};

// Adds the shapes of parameters, which are known without a run, and takes out what a write changes.
void completeTrace(jit::Graph&, const jit::Module&, TracedValues&);
// Of the nodes that a made rewrite replaces.
std::vector<int> rootIds(const MadeRewrite&);
// The module with a set of candidates applied but at the findings `without`. With weights, the file is
// complete by itself and carries the provenance; only such a file can own CUDA graphs, and it is not written
// where nothing can be captured.
struct ComposeRequest {
  std::vector<std::string> candidates;
  std::set<std::string> without;
  std::filesystem::path path;
  bool withWeights = false;
  Json provenance;
  std::optional<CaptureRequest> cudaGraph;
};

class Campaign {
 public:
  // bundled: the folder of kadvise's own rule pages; "" for none.
  Campaign(Subject subject, std::filesystem::path workDir, const std::string& bundled)
      : subject_(std::move(subject)),
        made_(subject_.nodes),
        workDir_(std::move(workDir)),
        compiled_(bundled) {}

  // Writes base.pt, its twin and graph.json; returns the body of `loaded`.
  Json writeBase();

  // Reads and compiles what match() will be asked for, which is then the sooner done.
  void compile(const std::vector<std::string>& pages) {
    compiled_.compile(pages, operatorsOf(*subject_.graph()));
  }

  // Searches for every rule; tells of findings and candidates as it goes; returns the body of `matched`.
  Json match(const std::vector<std::string>& pages, const TracedValues&, const MatchOptions&, const Replies&);

  // The next round of matching looks at the module with a set of candidates applied, but for passes, which
  // come after all rounds: writes that module for kadvise-measure to trace, and returns the body of
  // `composed`.
  Json advance(const std::vector<std::string>& candidates, const std::set<std::string>& without,
               const std::filesystem::path&);

  // Searches it for every rule of match(), as traced; tells of what was not found before and can be replaced.
  Json matchAgain(const TracedValues&, const Replies&);

  // Returns the body of `composed`.
  Json compose(const ComposeRequest&);

 private:
  struct Outcome {  // of one match request
    const Replies& replies;
    const jit::Module& module;
    const TracedValues& traced;
    const MatchOptions& options;
    const Aliases& aliases;
    int round = 1;
    std::vector<Refusal> refused;
    std::vector<NotApplicable> notApplicable;
    std::vector<NearPlace> near;
    std::map<std::string, std::size_t> bySignature;  // -> index into proposals_
    std::vector<Break> breaks;  // places that end a region, and the rules that looked for them
    std::vector<std::string> breakRules;
    // What a proposal of this round replaces. In later rounds everybody may propose what they like.
    std::unordered_set<const jit::Node*> taken;
    bool looksAgain = false;  // a rule has left places to others, see CodedResult
    Operators present = operatorsOf(graph());

    jit::Graph& graph() const { return *module.get_method("forward").graph(); }
  };
  std::vector<std::size_t> inOrder(const std::vector<std::string>& candidates) const;
  void writeComplete(torch::jit::Module&, const ComposeRequest&, std::vector<std::string>& facts, Json& reply,
                     Json& notes);
  std::string writeConverted();
  std::string homeOfTables() const;
  std::string writeSamples() const;
  void addGeneratedShare(Json& matched, const Aliases&) const;
  void matchRule(const RulePage&, Outcome&);
  std::string matchRuleAgain(const RulePage&, Outcome&);
  void matchPatterns(const std::shared_ptr<Rule>&, Outcome&);
  void proposeMade(const MadeRewrite&, const Match&, Finding&, Outcome&);
  void proposePass(RegionPass, Finding&, Outcome&);
  RegionPair cutPass(const Proposal&, const Outcome&, std::vector<std::string>& did) const;
  void matchCoded(const RulePage&, Outcome&);
  // What may replace a place: the pattern that matched there, and the replacements that a page or a coded
  // rule has.
  struct Place {
    const Match& match;
    std::vector<int> roots;
    std::shared_ptr<const Pattern> pattern;
    std::vector<std::shared_ptr<const Replacement>> replacements;
    Makers makers;  // see MadeRewrite
  };
  void report(const Place&, Finding&, Outcome&);
  void propose(const Place&, Finding&, Outcome&);
  void addSite(const Place&, const std::shared_ptr<const Replacement>&, Finding&, Outcome&);
  struct Known {  // what makes two reports of a place one
    const std::string& rule;
    const Pattern& pattern;
    const std::vector<int>& roots;
  };
  bool isNew(const Known&, const Outcome&);
  void tellCandidates(const Outcome&) const;
  std::vector<std::string> enablersOf(const Place&) const;
  std::string whyNotAllowed(const ReplacementInfo&, const MatchOptions&) const;
  Proposal newProposal(const Place&, const std::shared_ptr<const Replacement>&, const RegionPair&,
                       const Finding&) const;
  // The next candidate: its id, its artefacts and what they read.
  void writePair(Candidate&, const std::string& title, const std::string& rule, const RegionPair&) const;
  Finding newFinding(const RulePage&, const torch::jit::Node*, const std::string& message, int round);
  std::string newFindingId(const std::string& rule, const torch::jit::Node*);
  Location where(const torch::jit::Node*) const;

  struct Composed {  // a set of candidates, applied in the order of their rounds, the passes of each on top
    jit::Module module;
    StandIns standIns = {};
    Json applied = Json::array(), dropped = Json::array();
    bool isChanged = false;
  };
  enum class Last { AsApplied, Settled };  // what is done with the module after the last round
  Composed apply(const std::vector<std::string>& candidates, const std::set<std::string>& without, Last);
  void applyProposal(Composed&, const Proposal&, const std::set<std::string>& without);
  std::string applySite(Composed&, const Proposal&, std::size_t site);
  void addFollowed(Proposal&, const Place&) const;
  const Proposal& proposal(const std::string& candidate) const;
  const TracedValues& tracedIn(int round) const {
    return round == 1 ? traced_ : laterRounds_[round - 2].traced;
  }

  Subject subject_;
  MadeNodes made_;
  std::filesystem::path workDir_;
  std::vector<std::unique_ptr<RulePage>> pages_;  // rules and proposals point into these
  std::vector<std::shared_ptr<Rule>> rules_;
  CompiledPages compiled_;  // until match
  std::vector<Proposal> proposals_;
  MatchOptions options_;
  std::map<std::string, int> idsSeen_;
  std::set<std::string> known_;  // places that were reported, by rule and roots
  TracedValues traced_;
  Specialisation specialisation_;
  struct Round {
    jit::Module module;
    TracedValues traced;
  };
  std::vector<Round> laterRounds_;  // from the second on
};

}  // namespace kadvise::graph
