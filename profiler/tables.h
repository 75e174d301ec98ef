// The tables of a profile: the same time by kernel, by operator, by module and by line.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/profile.h"

namespace kadvise {

// One stretch of time with all that is known of it.
struct Spent {
  double us = 0;
  std::string op;
  Location where;                     // scope: the module's path
  bool isPlaced = false;              // the module's path is known
  const KernelRow* kernel = nullptr;  // name, sizes and resources of the launch; none on a CPU
};

// Fills kernels, operators, modules and lines, each by time, and of attribution what it reached where there
// is one.
void addTables(ProfileView&, const std::vector<Spent>&);

inline constexpr const char* kUnknown = "(not known)";

}  // namespace kadvise
