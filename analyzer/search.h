// Which sets of candidates are worth a measurement of the whole module, once each has been measured alone.
// Candidates interact: what gains nothing in its own region may pay beside another, and the other way about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/assistant.h"

namespace kadvise {

// A smaller budget is spent on regions and the first set alone.
inline constexpr double kLeastBudgetToSearchSeconds = 30;
// Shares of the budget: for what later rounds of matching find, and for trials of sets, which get less where
// the comparisons of whole modules would leave less than that for the regions.
inline constexpr double kRoundsShare = 0.05, kSearchShare = 0.2, kLeastRegionsShare = 0.3;
// What timing a candidate in its region takes at least, usually: trials take nothing that leaves less.
inline constexpr double kLeastRegionSeconds = 1.5;
// Where the GPU alone decides, and the wall is timed as briefly as an interval allows.
inline constexpr double kLeastRegionSecondsOnGpu = 0.8;
inline constexpr double kProofShare = 0.1;  // of the budget, too: kept of the trials' share for their winner
inline constexpr double kLeastTrialSeconds = 3;

struct Measured {
  const std::vector<Candidate>& candidates;
  const std::vector<Verdict>& verdicts;
  Keep keep;
  double wholeUs;  // of one call of the original; 0: not known
};

struct Trial {
  std::string tried;             // what the set is, in words
  std::vector<std::string> set;  // of candidate ids
};

struct CurrentSet {
  std::vector<std::string> ids;         // in the order in which they are applied
  std::vector<std::string> crowdedOut;  // those of them that found places taken by others before them
};

// What may beat the current set, in the order in which to try it: groups first, then one candidate at a time,
// the one with the largest region first. The same measurements give the same trials.
std::vector<Trial> trialsAgainst(const CurrentSet&, const Measured&);

// The current set without what is slower on the GPU alone, whatever it gains by fewer launches: in a CUDA
// graph they cost next to nothing. nullopt where nothing of it is.
std::optional<Trial> trialInGraphs(const CurrentSet&, const Measured&);

// What one trial may take, of what is left of a budget; 0 when that is too little for one and the proof of
// what it may bring.
double secondsForTrial(double leftSeconds, double budgetSeconds);

// A share of the budget for one comparison; less where what is left does not do for it and those that may
// follow.
double secondsOfShare(double share, double sharesThatFollow, double leftSeconds, double budgetSeconds);

// "taken: …", "not taken: …"
std::string decisionOn(const Verdict&);

}  // namespace kadvise
