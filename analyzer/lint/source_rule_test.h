// The examples in C++ of rule pages, run through kadvise-source.
#pragma once

#include <filesystem>
#include <vector>

#include "analyzer/engine.h"
#include "analyzer/installation.h"
#include "analyzer/rule_proof.h"

namespace kadvise {

// Of the pages that have any. Without the program there are no tests, and a note says so.
void testSourcePages(const Installation&, const std::vector<const RulePage*>&,
                     const std::filesystem::path& workDir, EngineLimits, const WaitHooks&, RuleTestRun&);

}  // namespace kadvise
