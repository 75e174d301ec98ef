// What several rules ask of one file, worked out once and only when a rule asks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/source/induction.h"
#include "analyzer/source/launch_sites.h"
#include "analyzer/source/unit.h"
#include "analyzer/source/warp_access.h"

namespace kadvise::source {

struct BlockRun;

class Analyses {
 public:
  explicit Analyses(const Unit& unit) : unit_(unit) {}
  const Unit& unit() const { return unit_; }
  const std::vector<LaunchSite>& launches();
  const Courses& coursesOf(const clang::FunctionDecl&);
  // Element accesses of a kernel whose lanes are known, whatever memory they go to.
  const std::vector<WarpAccess>& warpAccessesOf(const clang::FunctionDecl& kernel);
  const std::vector<BlockRun>& runsOf(const clang::FunctionDecl& kernel);

 private:
  const Unit& unit_;
  std::optional<std::vector<LaunchSite>> launches_;
  std::map<const clang::FunctionDecl*, Courses> courses_;
  std::map<const clang::FunctionDecl*, std::vector<WarpAccess>> accesses_;
  std::map<const clang::FunctionDecl*, std::shared_ptr<const std::vector<BlockRun>>> runs_;
};

}  // namespace kadvise::source
