#include "profiler/operators.h"

#include <ATen/record_function.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "profiler/cupti.h"
#include "profiler/source_place.h"
#include "profiler/timing.h"

namespace kadvise {
namespace {

// The observer is a plain function; one recording at a time on one thread.
thread_local OperatorSites* t_sites = nullptr;

// The first frame from the leaf up that is the user's.
Location userLine() {
  for (const auto& frame : torch::jit::currentCallstack())
    if (auto place = placeOf(frame.range); place && isUsersFile(place->file)) return *place;
  return {};
}

}  // namespace

struct SiteObserver : at::ObserverContext {
  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    if (t_sites) t_sites->enter(function.name());
    return nullptr;
  }
  static void end(const at::RecordFunction& function, at::ObserverContext*) {
    if (t_sites) t_sites->leave(function.name());
  }
};

SiteHooks cuptiHooks() {
  return {[](std::uint32_t site) { pushSite(site); }, [](std::uint32_t) { popSite(); }};
}

std::shared_ptr<void> OperatorSites::watch(SiteHooks hooks) {
  hooks_ = std::move(hooks);
  originUs_ = steadyUs();
  open_.clear();
  depth_ = 0;
  t_sites = this;
  auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(&SiteObserver::begin, &SiteObserver::end)
                                     .scopes({at::RecordScope::FUNCTION}));
  return {nullptr, [handle](void*) {
            at::removeCallback(handle);
            t_sites = nullptr;
          }};
}

OperatorSites::Site OperatorSites::siteOf(const char* op) const {
  Site site{op, "", {}};
  auto mark = places_ ? currentMark() : std::nullopt;
  if (mark && *mark < places_->size() && (*places_)[*mark].isKnown) {
    site.where = (*places_)[*mark].where;
    site.scope = site.where.scope;
    site.isPlaced = true;
    return site;
  }
  auto hierarchy = torch::jit::currentModuleHierarchy();
  site.scope = scopeFromHierarchy(hierarchy);
  site.where = userLine();
  site.where.scope = site.scope;
  site.isPlaced = !hierarchy.empty() && !places_;
  return site;
}

// Inner calls belong to the operator that the module names.
void OperatorSites::enter(const char* op) {
  if (depth_++ == 0) {
    sites_.push_back(siteOf(op));
    if (hooks_.enter) hooks_.enter(static_cast<std::uint32_t>(sites_.size()));
    sites_.back().startUs = steadyUs() - originUs_;
  }
  open_.push_back({steadyUs() - originUs_, 0});
}

void OperatorSites::leave(const char* op) {
  if (depth_ == 0 || open_.empty()) return;  // it began before we watched
  double now = steadyUs() - originUs_;
  Open own = open_.back();
  open_.pop_back();
  double us = now - own.startUs;
  if (!open_.empty()) open_.back().innerUs += us;
  auto site = static_cast<std::uint32_t>(sites_.size());
  calls_.push_back({site, op, own.startUs, now, us - own.innerUs});
  if (--depth_ > 0) return;
  sites_.back().endUs = now;
  if (hooks_.leave) hooks_.leave(site);
}

const OperatorSites::Site* OperatorSites::find(std::uint64_t site) const {
  return site == 0 || site > sites_.size() ? nullptr : &sites_[site - 1];
}

void OperatorSites::describe(std::uint64_t site, KernelRecord& kernel) const {
  const Site* s = find(site);
  if (!s) return;
  kernel.op = s->op;
  kernel.scope = s->scope;
  kernel.where = s->where;
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
