// One run over one module: load, trace, match, compare, choose, compose, compare the whole, write.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/case_error_log.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/engine_setup.h"
#include "analyzer/largest_equal_set.h"
#include "analyzer/search.h"
#include "analyzer/work_dir.h"
#include "reports/baseline.h"

namespace kadvise {

inline constexpr double kWholeShare = 0.3;  // of the budget, for the figure in the headline
inline constexpr double kGraphShare =
    0.15;  // of the budget, for the whole with CUDA graphs against it without
// With and without them: the figure is taken twice then; without them, where they are to be expected.
inline constexpr double kWholeShareBesideGraphs = 0.18, kWholeShareForGraphs = 0.08;
inline constexpr double kUsualBudgetSeconds = 60;
inline constexpr double kLeastSeconds = 0.5;  // a comparison with less says nothing
inline constexpr int kConfirmation = 2;       // the attempt
inline constexpr const char* kWholeFile = "whole.pt";

// A set of candidates that kadvise-graph has put together.
struct Composed {
  std::vector<std::string> set;  // as it was asked for; composition has what could be applied
  std::string file;              // in the work folder
  Composition composition;
};

// How kadvise-measure is told of a module; "" is the one that was opened.
inline Json moduleAt(const std::string& path) { return {{"path", path}}; }

class Campaign {
 public:
  // Throws Error for what is wrong before an engine starts.
  Campaign(const AssistantOptions&, const Subject&);

  Report advise(const std::filesystem::path& output);  // "": write nothing
  Verdict compareWith(const std::filesystem::path& optimised);
  Report verify(const Opponent&);  // throws Error where a tool is wanted that is not installed
  Report ownLevels();              // as loaded, frozen, and as a CUDA graph: Report::levels

 private:
  // A set that was composed with CUDA graphs, and what kadvise-graph said of it.
  struct InGraphs {
    std::string file;
    Json said;
  };

  // The steps. Each returns whether the next can follow; what went wrong is in the report.
  enum class Behind { Match, Measure };  // what comes behind: rule pages are compiled for a match
  bool open(Behind);
  Json pagesOfRun() const;
  void compilePages();
  Reply pagesCompiled();
  Reply openMeasure(const Json& loaded);
  bool goOnWithoutInputs(const std::string& where, const std::string& why);
  bool forwardFailed(const Reply& traced);
  bool trace();
  bool match();
  void chooseBudget();
  bool decide();
  Reply saveInputs(const std::string& base, std::size_t firstCandidate);
  bool checkNormalForm();
  void compareCandidates(std::size_t first, double reservedSeconds);
  void followRounds();
  bool matchAgain(int round, const std::vector<std::string>& kept);
  bool takeRound(const std::string& base, std::vector<Finding>, std::vector<Candidate>);
  bool giveUpRounds(const Reply&);
  std::optional<Composed> chooseAndProve();
  void chooseByTheWall();
  std::optional<Composed> proveWhole(const std::vector<std::string>& kept);
  std::optional<Composed> proveLargest(const LargestSet& found, std::string why);
  LargestSet largestWithin(const std::vector<std::string>& set, const std::string& why);
  bool measureInTheirPlace(const LargestSet&);
  LargestSet withOthers(const LargestSet& found);
  std::string whyBeyond(const std::vector<std::string>& set);
  bool hasTimeToTrySets(bool isAnythingFound) const;
  void applyNothing(const std::vector<Dropped>& dropped, const std::string& why);
  std::optional<Composed> composeToProve(const std::vector<std::string>& set,
                                         const std::vector<Dropped>& dropped);
  std::optional<Composed> compose(const std::vector<std::string>& set, const std::string& file,
                                  Reply& refused);
  void compareWhole(const Composed&, double budgetSeconds);
  void searchFrom(const Composed& start);
  Composed tryTrials(const Composed& start);
  void tryTrial(const Trial&, Composed& current, double budgetSeconds);
  void noteStep(const std::string& tried, const Composed&, const std::vector<std::string>& against,
                const Verdict&, const std::string& decision);
  void endWithWhatIsProven();
  void proveChosen(const Composed& chosen, const Composed& start);
  void replaceSet(const Composed& chosen, const std::vector<std::string>& before, const std::string& why);
  bool searches() const;
  double roundsShare() const;
  double mostSearchShare() const;  // of the budget, for trials
  double searchShare() const;      // the same, as far as the candidates leave it
  void tryCudaGraph();
  void compareWithGraphs(bool isOnWhole);
  std::optional<std::vector<std::string>> fasterSetInGraphs();
  void tryGraphsOn(const std::vector<std::string>& set);
  void composeAndTryGraphs(const std::vector<std::string>& set);
  const InGraphs* inGraphs(const Json& ids);
  std::optional<InGraphs> composeWithGraphs(const Json& ids);
  void takeGraphs(bool isOnWhole, const Verdict& gain, const InGraphs&);
  double secondsInGraphs(double share, double sharesThatFollow) const;
  std::string whyNoCudaGraph() const;
  bool ownsGraphs() const;
  double wholeShare() const;
  double graphShare() const;     // of the budget, for what follows the choice of a set
  double reservedShare() const;  // of the budget, for all comparisons of whole modules but those of trials
  Json graphPages() const;
  void write(const std::filesystem::path& output);

  Verdict frozenLevel();
  Verdict graphLevel();
  bool steps();
  void start();
  void describeSubject(const Json& loaded);
  void describeRun(const Json& opened);
  void prove();
  void tellUnusablePages();
  void judgeByBaseline();
  void keepBaseline();
  void receiveMatch(const std::string& type, const Json& body);
  Verdict compare(const std::string& id, const std::string& doing, Json arguments);
  Verdict compareCandidate(const Candidate&, double budgetSeconds, const std::string& doing, int attempt = 1,
                           bool isTimed = true);
  void takeUnmeasured(const Candidate&, const std::string& why);
  void confirmCandidates(const std::vector<const Candidate*>& order, double reservedSeconds);
  Verdict compareSanitized(const Opponent&, const std::filesystem::path& sanitizer);
  Verdict compareOpponent(const Opponent&);
  Verdict compareAndConfirm(const std::string& id, const std::string& doing, Json arguments);
  Verdict compareInOvertime(const std::string& id, const std::string& doing, Json arguments, double share);
  bool regionsFirst() const;
  std::vector<const Candidate*> inMeasuringOrder(std::size_t first) const;
  std::size_t putOffHopeless(std::vector<const Candidate*>& order, std::size_t at, std::size_t end) const;
  const Candidate* chosenAround(const Candidate& part) const;
  double shareOf(const std::vector<const Candidate*>& order, std::size_t at, std::size_t end,
                 double reservedSeconds) const;
  Json wholeArguments(const std::string& after, const Composition&, double budgetSeconds) const;
  std::string nothingKept() const;
  std::string whyNotWritten() const;
  bool needsLibrary() const;
  Json appliedIds() const;
  void writeTo(const std::filesystem::path& output);
  void describeRules();
  Json provenance() const;

  Reply askGraph(const std::string& verb, const Json& arguments, const std::string& doing,
                 MessageHandler handler = nullptr);
  Reply askMeasure(const std::string& verb, const Json& arguments, const std::string& doing,
                   MessageHandler handler = nullptr);
  bool reviveGraph();       // after its death: a new one that knows what the old one did
  bool stop(const Reply&);  // records why the run ends here; false
  bool stop(const std::string& where, const std::string& what);
  void noteLastLine(const Reply& death);
  MessageHandler reporting(MessageHandler);
  WaitHooks hooks();
  void phase(const std::string& name);

  AssistantOptions options_;
  bool choosesBudget_ = false;  // the user named none
  Subject subject_;
  WorkDir work_;  // before the engines: they end first
  EngineSetup setup_;
  Catalogue book_;
  std::vector<const RulePage*> rules_;
  std::vector<BaselineEntry> baseline_;
  Report report_;
  CaseErrorLog caseErrors_;
  std::unique_ptr<Engine> graph_;
  std::unique_ptr<MeasureSession> measure_;
  std::vector<std::pair<std::string, Json>> graphHistory_;  // verbs and arguments that reviveGraph() repeats
  int revivals_ = 0;
  bool judgesOnGpu_ = false;                  // the module will run in CUDA graphs, as far as can be told
  std::map<std::string, Verdict> onTheWall_;  // of candidates that are judged by the GPU alone
  bool looksAgain_ = false;                   // a rule waits for a second round, whatever the first one keeps

  std::string base_, baseFp64_, values_;  // artefacts, relative to the work folder
  Progress progress_;
  std::string phase_;
  std::chrono::steady_clock::time_point phaseStart_, start_;
  double budgetLeft_ = 0;
  double overtimeSpent_ = 0;      // by all comparisons of the whole
  double wholeCheckSeconds_ = 0;  // what a comparison of the whole module took, untimed
  double tryingSeconds_ = 0;      // the same of the last part of the replacements
  bool hasInputs_ = true;
  std::map<std::string, InGraphs> inGraphs_;  // by the ids of a set
  std::string wholeFile_;       // the composed module that report_.composition and report_.whole speak of
  bool isInterrupted_ = false;  // after a set was proven, which the report then speaks of
};

}  // namespace kadvise
