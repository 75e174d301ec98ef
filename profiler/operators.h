// Which operator of the module, and which line of the user's code, the host is in: a RecordFunction observer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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

class OperatorSites {
 public:
  OperatorSites() = default;
  explicit OperatorSites(const std::vector<Place>& places) : places_(&places) {}

  // Observes this thread for the life of what is answered; the object must outlive it.
  std::shared_ptr<void> watch(SiteHooks hooks = {});

  struct Site {
    std::string op, scope;
    Location where;
    bool isPlaced = false;          // scope is the module's path, where "" is the module itself
    double startUs = 0, endUs = 0;  // since watch()
  };
  const std::vector<Site>& seen() const { return sites_; }
  const Site* find(std::uint64_t site) const;  // none for 0, which is outside of every operator

  // Every call, inner ones too (linear -> addmm), in the order in which they ended.
  struct Call {
    std::uint32_t site;
    std::string op;
    double startUs, endUs, selfUs;
  };
  const std::vector<Call>& calls() const { return calls_; }
  std::uint32_t current() const { return depth_ > 0 ? static_cast<std::uint32_t>(sites_.size()) : 0; }

  // Fills op, scope and where.
  void describe(std::uint64_t site, KernelRecord&) const;

 private:
  friend struct SiteObserver;
  struct Open {
    double startUs, innerUs;
  };
  void enter(const char* op);
  void leave(const char* op);
  Site siteOf(const char* op) const;

  const std::vector<Place>* places_ = nullptr;
  SiteHooks hooks_;
  std::vector<Site> sites_;
  std::vector<Call> calls_;
  std::vector<Open> open_;
  std::size_t depth_ = 0;
  double originUs_ = 0;
};

// "TOP(Model)::forward.encoder(Encoder)::forward.0(Block)::forward" -> "encoder.0"
std::string scopeFromHierarchy(const std::vector<std::string>& hierarchy);

}  // namespace kadvise
