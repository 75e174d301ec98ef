#include "analyzer/rule_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/engine_setup.h"
#include "analyzer/lint/source_pool.h"
#include "analyzer/lint/source_rule_test.h"
#include "analyzer/work_dir.h"
#include "reports/ranking.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

struct Proof {
  Candidate candidate;
  std::vector<std::string> specs;
};

class Prover {
 public:
  Prover(const AssistantOptions& options, const Subject& subject)
      : options_(options),
        work_(options.workDir),
        setup_(setUpEngines(options, subject.opLibraries, work_.path())),
        measure_(setup_.measure({{"path", ""},
                                 {"device", subject.device},
                                 {"inputs", Json::array()},
                                 {"inputsFile", ""},
                                 {"seed", options.seed}})) {}

  RuleTestRun run(const std::vector<const RulePage*>& pages) {
    progress_.phase = "starting kadvise-measure";
    measure_->begin();
    Reply opened = measure_->finishOpening(hooks());
    if (!opened) {
      out_.error = opened.reason;
      return out_;
    }
    opened.body.at("device").get_to(out_.device);
    for (auto* page : pages) {
      if (page->readsModules()) test(*page);
      if (!out_.error.empty()) break;
    }
    return out_;
  }

 private:
  void test(const RulePage& page) {
    std::vector<Proof> proofs;
    if (!check(page, proofs)) return;
    for (auto& p : proofs) {
      prove(page, p, "float64");
      for (auto& dtype : page.dtypesFor(out_.device.kind))
        if (dtype != "float64") prove(page, p, dtype);
      if (!out_.error.empty()) return;
    }
  }

  // A page on its own: a death of the engine is then that page's failure.
  bool check(const RulePage& page, std::vector<Proof>& proofs) {
    if (!graph_ || !graph_->alive()) graph_ = setup_.startGraph();
    progress_.phase = "checking " + page.id;
    Json arguments = {{"rules", {fs::absolute(page.path).string()}},
                      {"workDir", work_.path().string()},
                      {"opLibraries", setup_.opLibraries},
                      {"device", out_.device.kind}};
    graph_->send("check", arguments, progress_.phase, [&](const std::string& type, const Json& body) {
      if (type == "artefact")
        proofs.push_back({body.get<Candidate>(), body.value("specs", std::vector<std::string>{})});
    });
    waitFor({graph_.get()}, hooks());
    Reply checked = graph_->take();
    if (!checked) {
      out_.tests.push_back(
          {page.id, "the page", false, (checked.where.empty() ? "" : checked.where + ": ") + checked.reason});
      return false;
    }
    for (auto& e : checked.body.at("examples"))
      out_.tests.push_back({page.id, e.at("name").get<std::string>(), e.at("ok").get<bool>(),
                            e.at("what").get<std::string>()});
    return true;
  }

  // In fp64 the replacement stands against the pattern itself; in every other dtype both stand against fp64.
  void prove(const RulePage& page, const Proof& proof, const std::string& dtype) {
    const Candidate& c = proof.candidate;
    bool fp64 = dtype == "float64";
    auto module = [&](const std::string& path) { return Json{{"path", path}, {"names", c.names}}; };
    Verdict verdict;
    progress_.phase = fmt::format("proving {} in {}", c.id, dtype);
    Reply reply = measure_->request(
        "compare",
        {{"candidate", c.id},
         {"before", module(fp64 ? c.beforeFp64 : c.before)},
         {"after", module(fp64 ? c.afterFp64 : c.after)},
         {"reference", fp64 ? Json{{"path", "none"}} : module(c.beforeFp64)},
         {"inputs", ""},
         {"specs", proof.specs},
         {"dtype", dtype},
         {"timing", false},
         {"domain", c.domain},
         {"exactness", word(c.exactness)}},
        progress_.phase,
        [&](const std::string& type, const Json& body) {
          if (type == "verdict") verdict = body.get<Verdict>();
        },
        hooks());
    bool equal = reply && outputsEqual(verdict);
    std::string what = !reply ? reply.reason : equal ? verdict.accuracy.grade : verdict.reason;
    if (what.empty()) what = equal ? "equal" : "no verdict";
    std::string name = c.id + (c.title.empty() ? "" : " (" + c.title + ")") + " in " + dtype;
    out_.tests.push_back({page.id, name, equal, what, RuleTest::Kind::Proof});
    if (!measure_->usable()) out_.error = measure_->whyUnusable();
  }

  WaitHooks hooks() {
    auto since = std::chrono::steady_clock::now();
    return {[this, since] {
              progress_.seconds =
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
              if (options_.progress) options_.progress(progress_);
            },
            options_.interrupted};
  }

  const AssistantOptions& options_;
  WorkDir work_;
  EngineSetup setup_;
  std::unique_ptr<MeasureSession> measure_;
  std::unique_ptr<Engine> graph_;
  Progress progress_;
  RuleTestRun out_;
};

// Apart from the prover, which needs LibTorch's programs.
RuleTestRun testSources(const AssistantOptions& options, const std::vector<const RulePage*>& pages) {
  RuleTestRun out;
  if (std::none_of(pages.begin(), pages.end(), [](auto* p) { return p->readsSources(); })) return out;
  WorkDir work(options.workDir);
  WaitHooks hooks{[&] {
                    if (options.progress) options.progress({"checking examples of sources", "", 0, 0, 0});
                  },
                  options.interrupted};
  testSourcePages(findInstallation(ownFolder(), options.engines), pages, work.path(),
                  limitsOfSources(options), hooks, out);
  return out;
}

}  // namespace

RuleTestRun testRulePages(const AssistantOptions& options, const Subject& subject,
                          const std::vector<const RulePage*>& pages) {
  RuleTestRun sources = testSources(options, pages);
  if (std::none_of(pages.begin(), pages.end(), [](auto* p) { return p->readsModules(); })) return sources;
  RuleTestRun out = Prover(options, subject).run(pages);
  out.tests.insert(out.tests.end(), sources.tests.begin(), sources.tests.end());
  out.notes = sources.notes;
  return out;
}

}  // namespace kadvise
