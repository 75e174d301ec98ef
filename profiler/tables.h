// The tables of a profile: the same time by kernel, by operator, by module and by line.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/profile.h"
#include "profiler/place.h"

namespace kadvise {

// One stretch of time with all that is known of it.
struct Spent {
  double us = 0;
  const Place* place = nullptr;       // none outside of every operator
  const KernelRow* kernel = nullptr;  // name, sizes and resources of the launch; none on a CPU
};

// Fills kernels, operators, modules and lines, each by time, and of attribution what it reached where there
// is one.
void addTables(ProfileView&, const std::vector<Spent>&);

}  // namespace kadvise
