// Which operator of the module, and which line of the user's code, the host is in: a RecordFunction observer.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/core/types.h"
#include "profiler/marked_module.h"

namespace kadvise {

// What to do when the host enters and leaves an operator of the module; site: 1 for the first, and so on.
struct SiteHooks {
  std::function<void(std::uint32_t site)> enter, leave;
};

// Tells CUPTI where the host is, see cupti.h.
SiteHooks cuptiHooks();

// The calls of operators of one run. A place is kept once however often it is called.
class OperatorSites {
 public:
  OperatorSites() = default;
  explicit OperatorSites(const Marks& marks) : marks_(marks.places.empty() ? nullptr : &marks) {}
  OperatorSites(OperatorSites&&) = default;  // not copied: sites look into the places
  OperatorSites& operator=(OperatorSites&&) = default;

  // Observes this thread for the life of what is answered; the object must outlive it. Inner calls (linear ->
  // addmm) belong to the operator that the module names.
  std::shared_ptr<void> watch(SiteHooks hooks = {});

  struct Site {
    const Place* place = nullptr;
    double startUs = 0, endUs = 0;  // since watch()
  };
  const std::vector<Site>& seen() const { return sites_; }
  const Place* find(std::uint64_t site) const;  // none for 0, which is outside of every operator
  // The site that the host is in; 0 outside.
  std::uint32_t current() const { return depth_ > 0 ? static_cast<std::uint32_t>(sites_.size()) : 0; }

  // Fills op, scope and where.
  void describe(std::uint64_t site, KernelRecord&) const;

 private:
  friend struct SiteObserver;
  void enter(const char* op);
  void leave();
  const Place* placeOf(const char* op);
  const Place* fusedPlaceOf(const char* op);
  const Place* keep(const std::string& key, Place);

  const Marks* marks_ = nullptr;
  std::map<std::string, std::size_t> fusedSeen_;
  SiteHooks hooks_;
  std::deque<Place> places_;  // never move
  std::map<std::string, const Place*> known_;
  std::map<std::pair<std::size_t, std::string>, const Place*> knownMarks_;
  std::vector<Site> sites_;
  std::size_t depth_ = 0;
  double originUs_ = 0;
};

// "TOP(Model)::forward.encoder(Encoder)::forward.0(Block)::forward" -> "encoder.0"
std::string scopeFromHierarchy(const std::vector<std::string>& hierarchy);

}  // namespace kadvise
