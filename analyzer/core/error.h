// The one exception type: it ends one input (a page, a model, a file) and becomes one diagnostic.
#pragma once

#include <stdexcept>
#include <string>

namespace kadvise {

struct Error : std::runtime_error {
  // where: "file.md:12", a path, or a verb; what: the reason and the remedy, one sentence.
  Error(std::string where_, const std::string& what_)
      : std::runtime_error(where_.empty() ? what_ : where_ + ": " + what_),
        where(std::move(where_)),
        reason(what_) {}
  std::string where, reason;
};

}  // namespace kadvise
