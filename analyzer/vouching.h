// One rule proposes much the same at places of many sizes. Where the budget does not do for timing them all,
// those that were timed speak for the speed of the others, which are only compared; the whole module is timed
// with them.
#pragma once

#include <vector>

#include "analyzer/assistant.h"

namespace kadvise {

// What comparing the outputs of a candidate may take where others speak for it.
inline constexpr double kSecondsToCompare = 0.75, kLeastSecondsToCompare = 0.2;
inline constexpr const char* kVouchedFor =
    "not timed: the budget does not do for all, and others of its rule were faster";
// Where there is no time for that, either.
inline constexpr const char* kPartOfWhole =
    "a part of the whole module, with which alone it is compared: the budget does not do for all, and others "
    "of its rule were faster";

// Beside that its budget was spent.
inline constexpr const char* kPutOff =
    "; it was left to the end, since more of its rule were slower or differed than were faster";

// Whether the verdict is one of a part of the whole.
bool isPartOfWhole(const Verdict&);

// Whether of those of the same rule and title more were slower, wrong or failed than faster, and a few at
// least: it is measured after all others.
bool isSpokenAgainst(const Candidate&, const std::vector<Candidate>&, const std::vector<Verdict>&);

// Whether there are candidates of the same rule and title that were timed, nearly all of them are faster, and
// none is slower or wrong.
bool isVouchedFor(const Candidate&, const std::vector<Candidate>&, const std::vector<Verdict>&);

}  // namespace kadvise
