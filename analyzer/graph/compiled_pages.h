// Rule pages that are read and compiled before matching asks for them, while it waits for the module's trace.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/graph/rule.h"

namespace kadvise::graph {

bool isBundled(const std::string& page, const std::string& folder);

class CompiledPages {
 public:
  CompiledPages() = default;

  // For a module of these operators, which decide only of pages in the bundled folder what is compiled: a
  // fault in the user's own is to be told. What cannot be read or compiled is left to those who ask, and hear
  // why; so is what is about one kind of device, which is not known yet.
  CompiledPages(const std::vector<std::string>& paths, const std::string& bundled, const Operators&);

  // The page, once. Throws Error where it cannot be read.
  std::unique_ptr<RulePage> page(const std::string& path);

  // Its rule, of a module of these operators; nullptr for the whole rule. Throws what compileRule throws.
  std::shared_ptr<Rule> rule(const RulePage&, const Operators*) const;

 private:
  struct Compiled {
    std::unique_ptr<RulePage> page;
    std::shared_ptr<Rule> rule;  // of the page; none where it is left, or coded
  };
  std::map<std::string, Compiled> byPath_;
};

}  // namespace kadvise::graph
