// Which operator of the module, and which line of the user's code, launches what: a RecordFunction observer
// that tells CUPTI where the host is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

class OperatorSites {
 public:
  // Observes this thread for the life of what is answered; the object must outlive it.
  std::shared_ptr<void> watch();

  // Fills op, scope and where. Site 0 is outside of every operator.
  void describe(std::uint64_t site, KernelRecord&) const;

  struct Site {
    std::string op, scope;
    Location where;
  };
  const std::vector<Site>& seen() const { return sites_; }

 private:
  friend struct SiteObserver;
  std::vector<Site> sites_;
};

// "TOP(Model)::forward.encoder(Encoder)::forward.0(Block)::forward" -> "encoder.0"
std::string scopeFromHierarchy(const std::vector<std::string>& hierarchy);

}  // namespace kadvise
