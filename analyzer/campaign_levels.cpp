// The levels that need no replacement of ours: the file as loaded, frozen, and as a CUDA graph.
#include "analyzer/campaign.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFrozenFile = "frozen.pt";
constexpr double kShare = 0.3;  // of the budget, for each comparison

Verdict notRun(const std::string& why) {
  Verdict v;
  v.reason = why;
  return v;
}

}  // namespace

Verdict Campaign::frozenLevel() {
  Reply frozen = askMeasure("freeze", {{"path", kFrozenFile}}, "level 2: freezing the module");
  if (!frozen) return notRun(frozen.reason);
  return compare("frozen", "level 2: comparing the frozen module",
                 {{"before", moduleAt("")},
                  {"after", moduleAt(fs::absolute(work_.path() / kFrozenFile).string())},
                  {"reference", moduleAt(baseFp64_)},
                  {"inputs", ""},
                  {"timing", true},
                  {"budgetSeconds", options_.budgetSeconds * kShare},
                  {"exactness", word(Exactness::Reassociates)}});
}

Verdict Campaign::graphLevel() {
  if (report_.device.kind != "cuda") return notRun("a CUDA graph needs a GPU; no CUDA device is in use");
  Verdict out = notRun("kadvise-measure gave no verdict");
  Reply reply = askMeasure(
      "graph", {{"reference", moduleAt(baseFp64_)}, {"budgetSeconds", options_.budgetSeconds * kShare}},
      "level 3: comparing the replay of a CUDA graph", [&](const std::string& type, const Json& body) {
        if (type == "verdict") out = body.get<Verdict>();
      });
  return reply ? out : notRun(reply.reason);
}

Report Campaign::ownLevels() {
  report_.levels.emplace();
  report_.whole.reason = "not compared: levels were measured";
  if (!open(Behind::Measure) || !hasInputs_) return std::move(report_);
  phase("levels");
  auto& rows = *report_.levels;
  rows.push_back({0, "as loaded", notRun("the measure of the others"), {}});
  try {
    rows.push_back({2, "frozen TorchScript", frozenLevel(), {}});
    rows.push_back({3, "CUDA graph of the module as loaded", graphLevel(), {}});
  } catch (const Interrupted&) {
    if (rows.size() == 1) throw;  // nothing is measured that could be shown
  }
  phase("");
  return std::move(report_);
}

}  // namespace kadvise
