// Rule pages that are read and compiled before matching asks for them, while it waits for the module's trace.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/graph/rule.h"

namespace kadvise::graph {

class CompiledPages {
 public:
  // The operators of a module decide only of pages in the bundled folder what is compiled: a fault in the
  // user's own is to be told.
  explicit CompiledPages(std::string bundled) : bundled_(std::move(bundled)) {}

  // What cannot be read or compiled is left to those who ask, and hear why; so is what is about one kind of
  // device, which is not known yet.
  void compile(const std::vector<std::string>& paths, const Operators& present);

  // The page, once. Throws Error where it cannot be read.
  std::unique_ptr<RulePage> page(const std::string& path);

  // Its rule, of a module of these operators; nullptr for the whole rule. Throws what compileRule throws.
  std::shared_ptr<Rule> rule(const RulePage&, const Operators*) const;

  void forget() { byPath_.clear(); }

 private:
  struct Compiled {
    std::unique_ptr<RulePage> page;
    std::shared_ptr<Rule> rule;  // of the page; none where it is left, or coded
  };
  const Operators* deciding(const std::string& path, const Operators* present) const;

  std::string bundled_;
  std::map<std::string, Compiled> byPath_;
};

}  // namespace kadvise::graph
