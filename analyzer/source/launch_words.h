// What rules about launches say and ask of their parts.
#pragma once

#include <string>

#include "analyzer/source/findings.h"
#include "analyzer/source/launch_sites.h"

namespace kadvise::source {

constexpr std::int64_t kMostThreadsOfBlock = 1024;

std::optional<std::int64_t> product(const Extent&);
std::string words(const Extent&);  // "16 × 16 × 1"
std::string kernelNameOf(const LaunchSite&, const char* unknown = "the kernel");
inline constexpr const char* kAxes[] = {"x", "y", "z"};

// At the block of the launch.
Site siteAtBlock(const Unit&, const LaunchSite&, std::string message);
// At the grid of the launch.
Site siteAtGrid(const Unit&, const LaunchSite&, std::string message);

// One axis of a grid or block, behind casts, constructors of dim3 and variables that are set once; null where
// the axis is not given.
const clang::Expr* axisOf(const Unit&, const clang::Expr*, int axis);

// "(n + 255) / 256", "(n - 1) / 256 + 1", ceil_div(n, 256): what is left over has a block of its own.
bool isRoundedUp(const Unit&, const clang::Expr* ofAxis);

}  // namespace kadvise::source
