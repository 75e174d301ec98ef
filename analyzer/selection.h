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

// Of several replacements for one finding the best measured one is kept.
Selection select(const std::vector<Candidate>&, const std::vector<Verdict>&, Keep);

}  // namespace kadvise
