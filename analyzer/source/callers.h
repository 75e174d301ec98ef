// Who in a file calls a function of the host.
#pragma once

#include <map>
#include <vector>

#include "analyzer/source/analyses.h"

namespace kadvise::source {

class Callers {
 public:
  explicit Callers(Analyses&);

  // Functions of the file from which this one is called, directly or through others; not itself.
  std::vector<const clang::FunctionDecl*> of(const clang::FunctionDecl&) const;

 private:
  std::map<const clang::FunctionDecl*, std::vector<const clang::FunctionDecl*>> direct_;
};

}  // namespace kadvise::source
