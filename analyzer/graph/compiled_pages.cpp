#include "analyzer/graph/compiled_pages.h"

#include <exception>

namespace kadvise::graph {
namespace {

std::unique_ptr<RulePage> readPage(const std::string& path) {
  return std::make_unique<RulePage>(readRulePage(path));
}

}  // namespace

CompiledPages::CompiledPages(const std::vector<std::string>& paths) {
  for (auto& path : paths) {
    try {
      Compiled compiled{readPage(path), nullptr};
      bool isForAny = compiled.page->devices.empty();
      if (isForAny && compiled.page->function.empty())
        compiled.rule = std::make_shared<Rule>(compileRule(*compiled.page));
      byPath_.emplace(path, std::move(compiled));
    } catch (const std::exception&) {
    }
  }
}

std::unique_ptr<RulePage> CompiledPages::page(const std::string& path) {
  auto known = byPath_.find(path);
  return known != byPath_.end() && known->second.page ? std::move(known->second.page) : readPage(path);
}

std::shared_ptr<Rule> CompiledPages::rule(const RulePage& page) const {
  auto known = byPath_.find(page.path);
  bool isOfPage = known != byPath_.end() && known->second.rule && known->second.rule->page == &page;
  return isOfPage ? known->second.rule : std::make_shared<Rule>(compileRule(page));
}

}  // namespace kadvise::graph
