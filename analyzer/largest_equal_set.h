// Replacements that are each within their bounds where they stand, and together are not: their errors add up.
// The most of them that the whole module bears, found with few comparisons of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/assistant.h"

namespace kadvise {

// Those that add least to the error of the whole for the time that they save come first: what is no less
// exact than the original before what is, and what saves nothing last.
std::vector<std::string> leastCostFirst(std::vector<std::string> set, const std::vector<Candidate>&,
                                        const std::vector<Verdict>&);

struct SetTrial {
  // Compares the whole module with that set: "" where it is within its bounds, else why not.
  std::function<std::string(const std::vector<std::string>&)> whyBeyond;
  // Whether there is time for one more; more is spent as long as nothing was found.
  std::function<bool(bool isAnythingFound)> hasTime;
};

// How the reasons begin of what is tried and stays out.
inline constexpr const char* kBeyondAlone = "in the whole module it leaves its bounds";
inline constexpr const char* kBeyondTogether = "together with the others the module leaves its bounds";
// And of what there was no time for.
inline constexpr const char* kUntriedWithFewer =
    "not tried with fewer others within the budget: all together leave the bounds";

struct LargestSet {
  std::vector<std::string> set;  // in the order of the set that was given; empty: none is within the bounds
  std::vector<Dropped> left;     // the others, with the reason
};

// set is known not to be within the bounds, for the reason given. Each half is tried beside what was found so
// far, then the halves of those that do not fit.
LargestSet largestEqualSet(const std::vector<std::string>& set, const std::string& whyBeyond,
                           const std::vector<Candidate>&, const std::vector<Verdict>&, const SetTrial&);

// What to hold one after the other against a longer comparison, which may refute what was found: all of it,
// always without the dearest of what is left, then each alone that has not been tried alone.
std::vector<std::vector<std::string>> setsToProve(const LargestSet& found, const std::vector<Candidate>&,
                                                  const std::vector<Verdict>&);

}  // namespace kadvise
