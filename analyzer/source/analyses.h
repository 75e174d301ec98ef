// What several rules ask of one file, worked out once and only when a rule asks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/source/induction.h"
#include "analyzer/source/launch_sites.h"
#include "analyzer/source/tensor_values.h"
#include "analyzer/source/unit.h"
#include "analyzer/source/warp_access.h"

namespace kadvise::source {

struct BlockRun;

// A launch of a kernel, in this file or in another one.
struct KnownLaunch {
  const LaunchSite* site = nullptr;  // null: in another file
  Extent grid, block;
  std::array<bool, 3> isRoundedUp{};  // of the grid
  std::optional<std::int64_t> sharedBytes;
  Location where;
};

class Analyses {
 public:
  explicit Analyses(const Unit& unit) : unit_(unit) {}
  const Unit& unit() const { return unit_; }
  const std::vector<LaunchSite>& launches();
  // Of a kernel that is defined here.
  const std::vector<KnownLaunch>& launchesOf(const clang::FunctionDecl& kernel);
  const Courses& coursesOf(const clang::FunctionDecl&);
  // Element accesses of a kernel, and of the functions that it calls, whose lanes are known, whatever memory
  // they go to.
  const std::vector<WarpAccess>& warpAccessesOf(const clang::FunctionDecl& kernel);
  const std::vector<BlockRun>& runsOf(const clang::FunctionDecl& kernel);
  const std::vector<const clang::FunctionDecl*>& hostFunctions();
  const TensorValues& tensorValuesOf(const clang::FunctionDecl&);  // of one with a body on the host

 private:
  std::vector<KnownLaunch> findLaunchesOf(const clang::FunctionDecl& written);

  const Unit& unit_;
  std::optional<std::vector<LaunchSite>> launches_;
  std::map<const clang::FunctionDecl*, std::vector<KnownLaunch>> launchesOf_;  // as kernels are written
  std::map<const clang::FunctionDecl*, Courses> courses_;
  std::map<const clang::FunctionDecl*, std::vector<WarpAccess>> accesses_;
  std::map<const clang::FunctionDecl*, std::shared_ptr<const std::vector<BlockRun>>> runs_;
  std::optional<std::vector<const clang::FunctionDecl*>> hostFunctions_;
  std::map<const clang::FunctionDecl*, TensorValues> tensorValues_;
};

}  // namespace kadvise::source
