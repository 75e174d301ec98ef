// Mutated rule pages through reading and compiling: each is a rule, or one kadvise::Error.
#include "analyzer/core/catalogue.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/graph/rule.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/page_text.h"

namespace kadvise::fuzz {
namespace {

std::string makeCase(const std::vector<std::string>& pages, Random& random) {
  std::string text = random.of(pages);
  for (auto mutations = 1 + random.below(4); mutations > 0; --mutations) text = mutatePage(text, random);
  return text;
}

Result tryPage(const std::string& text) {
  try {
    RulePage page = parseRulePage("page.md", text);
    if (page.function.empty()) graph::compileRule(page);
    for (auto& fence : page.fences)
      if (fence.language == "python" && (fence.role == "fires" || fence.role == "silent"))
        graph::compileFence(page, fence);
    return Result::Passed;
  } catch (const Error& e) {
    if (e.where.rfind("page.md", 0) != 0) throw Finding{"an error that does not name the page", e.what()};
    return Result::Refused;
  }
}

}  // namespace
}  // namespace kadvise::fuzz

int main(int argc, char** argv) {
  using namespace kadvise::fuzz;
  prepareLibTorch();
  std::vector<std::string> pages;
  for (auto& page : kadvise::loadCatalogue({KADVISE_SOURCE_DIR "/rules"}).pages)
    pages.push_back(kadvise::readFile(page.path));
  return runFuzzer(argc, argv,
                   {[&](Random& random) { return makeCase(pages, random); },
                    [](const std::string& text, Random&) { return tryPage(text); }});
}
