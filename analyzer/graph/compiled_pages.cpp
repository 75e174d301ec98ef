#include "analyzer/graph/compiled_pages.h"

#include <exception>

namespace kadvise::graph {
namespace {

std::unique_ptr<RulePage> readPage(const std::string& path) {
  return std::make_unique<RulePage>(readRulePage(path));
}

}  // namespace

const Operators* CompiledPages::deciding(const std::string& path, const Operators* present) const {
  return !bundled_.empty() && path.starts_with(bundled_ + "/") ? present : nullptr;
}

void CompiledPages::compile(const std::vector<std::string>& paths, const Operators& present) {
  for (auto& path : paths) {
    try {
      Compiled compiled{readPage(path), nullptr};
      bool isForAny = compiled.page->devices.empty();
      if (isForAny && compiled.page->function.empty())
        compiled.rule = std::make_shared<Rule>(compileRule(*compiled.page, deciding(path, &present)));
      byPath_.emplace(path, std::move(compiled));
    } catch (const std::exception&) {
    }
  }
}

std::unique_ptr<RulePage> CompiledPages::page(const std::string& path) {
  auto known = byPath_.find(path);
  return known != byPath_.end() && known->second.page ? std::move(known->second.page) : readPage(path);
}

std::shared_ptr<Rule> CompiledPages::rule(const RulePage& page, const Operators* present) const {
  present = deciding(page.path, present);
  auto known = byPath_.find(page.path);
  auto rule = known != byPath_.end() ? known->second.rule : nullptr;
  bool holds = rule && rule->page == &page && (present ? rule->holdsFor(*present) : rule->lacking.empty());
  return holds ? rule : std::make_shared<Rule>(compileRule(page, present));
}

}  // namespace kadvise::graph
