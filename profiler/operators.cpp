#include "profiler/operators.h"

#include <ATen/record_function.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "profiler/cupti.h"

namespace kadvise {
namespace {

// The observer is a plain function; one recording at a time on one thread.
thread_local OperatorSites* t_sites = nullptr;
thread_local int t_depth = 0;

bool isUsers(const std::string& file) {
  return !file.empty() && file != "<string>" && file.rfind("torch/", 0) != 0 &&
         file.find("/torch/nn/") == std::string::npos &&
         file.find("/torch/functional") == std::string::npos && file.find("/torch/_") == std::string::npos;
}

// The first frame from the leaf up that is the user's.
Location userLine() {
  Location where;
  for (const auto& frame : torch::jit::currentCallstack()) {
    auto range = frame.range;
    if (!range.source()) continue;
    if (auto generated = range.findSourceRangeThatGenerated()) range = *generated;
    auto place = range.file_line_col();
    if (!place) continue;
    auto [file, line, column] = *place;
    if (line == 0 || !isUsers(file)) continue;
    where.file = file;
    where.line = static_cast<int>(line);
    where.column = static_cast<int>(column) + 1;
    return where;
  }
  return where;
}

}  // namespace

struct SiteObserver : at::ObserverContext {
  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    // Inner calls (linear -> addmm) belong to the operator that the module names.
    if (t_sites && t_depth++ == 0) {
      t_sites->sites_.push_back(
          {function.name(), scopeFromHierarchy(torch::jit::currentModuleHierarchy()), userLine()});
      pushSite(t_sites->sites_.size());
    }
    return nullptr;
  }
  static void end(const at::RecordFunction&, at::ObserverContext*) {
    if (t_sites && --t_depth == 0) popSite();
  }
};

std::shared_ptr<void> OperatorSites::watch() {
  t_sites = this;
  t_depth = 0;
  auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(&SiteObserver::begin, &SiteObserver::end)
                                     .scopes({at::RecordScope::FUNCTION}));
  return {nullptr, [handle](void*) {
            at::removeCallback(handle);
            t_sites = nullptr;
          }};
}

void OperatorSites::describe(std::uint64_t site, KernelRecord& kernel) const {
  if (site == 0 || site > sites_.size()) return;
  const Site& s = sites_[site - 1];
  kernel.op = s.op;
  kernel.scope = s.scope;
  kernel.where = s.where;
}

std::string scopeFromHierarchy(const std::vector<std::string>& hierarchy) {
  std::string out;
  for (const std::string& entry : hierarchy) {
    std::string name = entry.substr(0, entry.find('('));
    if (name.empty() || name == "TOP" || name == "SELF" || name == "UNKNOWN_INSTANCE") continue;
    out += (out.empty() ? "" : ".") + name;
  }
  return out;
}

}  // namespace kadvise
