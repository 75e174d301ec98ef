// Launches of kernels in a file, with what their configuration says where it is constant.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

struct LaunchSite {
  const clang::CUDAKernelCallExpr* call = nullptr;
  const clang::FunctionDecl* kernel =
      nullptr;  // as it is written (a template, not its instance); null: unknown
  const clang::FunctionDecl* caller = nullptr;
  const clang::Expr *grid = nullptr, *block = nullptr;
  const clang::Expr *sharedBytes = nullptr, *stream = nullptr;  // null where the launch does not give them
  Extent gridExtent, blockExtent;
  std::optional<std::int64_t> constantSharedBytes;  // 0 where the launch gives none
};

std::vector<LaunchSite> launchSitesOf(const Unit&);

// The value of an integer expression: constants, and local variables that are set once to one.
std::optional<std::int64_t> constantOf(const Unit&, const clang::Expr*);

}  // namespace kadvise::source
