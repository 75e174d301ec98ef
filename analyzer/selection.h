// Which measured candidates are applied together.
#pragma once

#include <string>
#include <vector>

#include "analyzer/assistant.h"

namespace kadvise {

struct Selection {
  std::vector<std::string> kept;  // candidate ids, the most time saved first
  std::vector<Dropped> dropped;   // every other candidate that has a verdict, and why
};

// "" when the verdict passes, else the reason.
std::string whyNotKept(const Verdict&, Keep);

// Of several replacements for one finding the best measured one is kept. One whose places others make is kept
// with at least one of them.
Selection select(const std::vector<Candidate>&, const std::vector<Verdict>&, Keep);

inline constexpr const char* kOrphanWords = "the replacement that makes its place is not kept";
// Of a set of candidates, in its order, those whose places are there: they follow none, or one of the set.
std::vector<std::string> withoutOrphans(const std::vector<Candidate>&, std::vector<std::string> set);

}  // namespace kadvise
