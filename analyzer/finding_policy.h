// What a project's kadvise.toml makes of the findings of a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/core/configuration.h"
#include "reports/report.h"

namespace kadvise {

// After matching: gives findings their severities, notes which are suppressed (by path, by id, by place), and
// takes these out of the candidates; a candidate without a finding is gone. first: of the findings that are
// new since the last time.
void applyPolicy(Report&, const Configuration&, std::size_t first = 0);

// Once all is found: a suppression or a path that meets nothing becomes a note.
void noteUnusedPolicy(Report&, const Configuration&);

// Ids of the suppressed findings, which are to stay as they are in the composed module.
std::vector<std::string> suppressedIds(const Report&);

}  // namespace kadvise
