// The one sentence about the whole module.
#pragma once

#include <string>

#include "reports/layout.h"
#include "reports/report.h"

namespace kadvise {

struct Headline {
  std::string text;
  Ink ink = Ink::Plain;
};
Headline headline(const Report&);
// The same of any command that comes to one: of `verify` what it says of the pair or the component, of a
// comparison what it counts; "" where there is none, as of a profile.
Headline headlineOfRun(const Report&);
// Whether the run is of a command that optimises no module: its `whole` says nothing.
bool ofAnotherCommand(const Report&);
Headline pairHeadline(const PairCheck&, const Verdict&);
Headline componentHeadline(const ComponentCheck&);

// "1.42x (1.39–1.45, 95%)"; "" when nothing was timed.
std::string speedupWords(const Interval&);
// Whether a figure may be shown at all: far above what a replacement gains it is a fault of the measurement.
bool isCredible(const Report&, const Interval&);
// Said in the place of a figure that is not.
inline constexpr const char* kIncredibleWords =
    "above 20x on a CPU, so calls of the original have likely stalled or the machine was busy: nothing can "
    "be said of its speed";
// "3 of 9 proposals could not be measured within the budget of 5 s: raise --budget (about 80 s are needed)";
// "" when all were.
std::string budgetWords(const Report&);
// "outputs equal (at-least-as-accurate)"
std::string equalityWords(const Verdict&);
// ", kernels 5 → 1"; "" where they were not recorded.
std::string kernelWords(const Verdict&);
// "NVIDIA H200", "the CPU (2 threads)"
std::string deviceWords(const Report&);
// Said wherever a time is: "" with a GPU, else that nothing was timed on one.
std::string deviceCaveat(const Report&);

}  // namespace kadvise
