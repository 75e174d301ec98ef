// What kadvise-measure is opened with, and what is done where the user gave no inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/measure_session.h"

namespace kadvise {

// path: of the module, or of what it was converted to; "" for none.
Json openArguments(const Subject&, const std::string& path, std::int64_t seed);

// Whether it was refused for its inputs, and for nothing else.
bool areInputsMissing(const Reply& opened);

// Better a run on inputs that may be unusual, and that says so, than none. guessed: by kadvise-graph, empty
// where it could not; refused: what came of opening without inputs.
Reply openWithGuesses(MeasureSession&, const std::vector<std::string>& guessed, Reply refused,
                      const WaitHooks&, Report&);

}  // namespace kadvise
