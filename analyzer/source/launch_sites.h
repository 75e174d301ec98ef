// Launches of kernels in a file, with what their configuration says where it is constant.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/source/constants.h"

namespace kadvise::source {

// A launch: k<<<…>>>(…), cudaLaunchKernel or cudaLaunchKernelEx. One in a host function whose parameters the
// configuration holds is a site for each call of that function in the file.
struct LaunchSite {
  const clang::CallExpr* call = nullptr;
  const clang::FunctionDecl* kernel =
      nullptr;  // as it is written (a template, not its instance); null: unknown
  const clang::FunctionDecl* instance = nullptr;  // the kernel itself, or the instance of it
  const clang::FunctionDecl* caller = nullptr;
  const clang::CallExpr* through = nullptr;  // the call whose arguments gave constants; null: none did
  const clang::Expr *grid = nullptr, *block = nullptr;
  const clang::Expr *sharedBytes = nullptr, *stream = nullptr;  // null where the launch does not give them
  Extent gridExtent, blockExtent;
  bool hasOpenBytes = false;                        // something gives them, and nobody sees what
  std::optional<std::int64_t> constantSharedBytes;  // 0 where the launch gives none
};

std::vector<LaunchSite> launchSitesOf(const Unit&);

}  // namespace kadvise::source
