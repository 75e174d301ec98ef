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
  static void end(const at::RecordFunction&, at::ObserverContext*) {
    if (t_sites) t_sites->leave();
  }
};

SiteHooks cuptiHooks() {
  return {[](std::uint32_t site) { pushSite(site); }, [](std::uint32_t) { popSite(); }};
}

std::shared_ptr<void> OperatorSites::watch(SiteHooks hooks) {
  hooks_ = std::move(hooks);
  originUs_ = steadyUs();
  depth_ = 0;
  fusedSeen_.clear();
  t_sites = this;
  auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(&SiteObserver::begin, &SiteObserver::end)
                                     .scopes({at::RecordScope::FUNCTION}));
  return {nullptr, [handle](void*) {
            at::removeCallback(handle);
            t_sites = nullptr;
          }};
}

const Place* OperatorSites::keep(const std::string& key, Place place) {
  auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, &places_.emplace_back(std::move(place))).first->second;
}

// Groups of one name run in the order of the graph, again in each turn of a loop.
const Place* OperatorSites::fusedPlaceOf(const char* op) {
  if (!marks_) return nullptr;
  auto groups = marks_->fused.find(op);
  if (groups == marks_->fused.end()) return nullptr;
  const Place& place = groups->second[fusedSeen_[op]++ % groups->second.size()];
  return place.isKnown ? &place : nullptr;
}

// By the mark, or else by what LibTorch knows of its own stack.
const Place* OperatorSites::placeOf(const char* op) {
  auto mark = marks_ ? currentMark() : std::nullopt;
  if (mark && *mark < marks_->places.size() && marks_->places[*mark].isKnown) {
    auto [known, isNew] = knownMarks_.emplace(std::pair{*mark, std::string(op)}, nullptr);
    if (isNew) known->second = &places_.emplace_back(Place{op, marks_->places[*mark].where, true});
    return known->second;
  }
  if (auto* fused = fusedPlaceOf(op)) return fused;
  auto hierarchy = torch::jit::currentModuleHierarchy();
  Place place{op, userLine(), !hierarchy.empty() && !marks_};
  place.where.scope = scopeFromHierarchy(hierarchy);
  std::string key = place.op + "|" + place.where.scope + "|" + place.where.file + ":" +
                    std::to_string(place.where.line) + (place.isKnown ? "|known" : "");
  return keep(key, std::move(place));
}

void OperatorSites::enter(const char* op) {
  if (depth_++ > 0) return;
  sites_.push_back({placeOf(op), 0, 0});
  if (hooks_.enter) hooks_.enter(static_cast<std::uint32_t>(sites_.size()));
  sites_.back().startUs = steadyUs() - originUs_;
}

void OperatorSites::leave() {
  if (depth_ == 0 || --depth_ > 0) return;  // one may have begun before we watched
  sites_.back().endUs = steadyUs() - originUs_;
  if (hooks_.leave) hooks_.leave(static_cast<std::uint32_t>(sites_.size()));
}

const Place* OperatorSites::find(std::uint64_t site) const {
  return site == 0 || site > sites_.size() ? nullptr : sites_[site - 1].place;
}

void OperatorSites::describe(std::uint64_t site, KernelRecord& kernel) const {
  const Place* place = find(site);
  if (!place) return;
  kernel.op = place->op;
  kernel.scope = place->where.scope;
  kernel.where = place->where;
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
