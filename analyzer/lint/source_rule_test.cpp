#include "analyzer/lint/source_rule_test.h"

#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/lint/user_cache.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kProgram = "kadvise-source";

void takeReply(const RulePage& page, const Reply& reply, RuleTestRun& out) {
  if (!reply) {
    out.tests.push_back({page.id, "the page", false, reply.reason});
    return;
  }
  for (auto& e : reply.body.at("examples"))
    out.tests.push_back(
        {page.id, e.at("name").get<std::string>(), e.at("ok").get<bool>(), e.at("what").get<std::string>()});
}

}  // namespace

void testSourcePages(const Installation& place, const std::vector<const RulePage*>& pages,
                     const fs::path& workDir, EngineLimits limits, const WaitHooks& hooks, RuleTestRun& out) {
  std::error_code ec;
  std::vector<const RulePage*> wanted;
  for (auto* page : pages)
    if (page->readsSources()) wanted.push_back(page);
  if (wanted.empty()) return;
  if (!fs::exists(place.engines / kProgram, ec)) {
    out.notes.push_back(std::string(kProgram) + " is not there: the examples in C++ are not run");
    return;
  }
  std::unique_ptr<Engine> engine;
  for (auto* page : wanted) {
    // One page, one request: a page that ends the program fails alone.
    if (!engine || !engine->alive())
      engine = std::make_unique<Engine>(engineProgram(place.engines, kProgram),
                                        workDir / "kadvise-source.log", limits);
    Json arguments = {{"rules", {fs::absolute(page->path).string()}},
                      {"headers", place.headers.string()},
                      {"cache", preloadFolder().string()}};
    engine->send("check-sources", arguments, "checking " + page->id, nullptr);
    waitFor({engine.get()}, hooks);
    takeReply(*page, engine->take(), out);
  }
}

}  // namespace kadvise
