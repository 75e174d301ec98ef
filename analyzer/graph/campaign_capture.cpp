#include "analyzer/graph/campaign_capture.h"

#include <algorithm>

#include "analyzer/graph/given_optionals.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/numbers_on_device.h"

namespace kadvise::graph {
namespace {

// A layer that occurs twelve times says it once for each place.
Json blockerWords(const std::vector<Blocker>& blockers, const std::vector<NodeInfo>& nodes) {
  Json out = Json::array();
  for (auto& b : blockers) {
    Json said = {{"rule", b.rule}, {"where", locate(b.node, nodes)}, {"reason", b.reason}};
    if (std::find(out.begin(), out.end(), said) == out.end()) out.push_back(said);
  }
  return out;
}

}  // namespace

CaptureResult captureIn(jit::Module& module, const std::vector<NodeInfo>& nodes, const TracedValues& traced,
                        const CaptureRequest& request) {
  CaptureResult out;
  auto graph = module.get_method("forward").graph();
  out.facts = settleGivenOptionals(*graph, traced);
  numbersOnDevice(module, traced, request.target);
  std::vector<RulePage> pages;
  std::vector<const RulePage*> words;
  for (auto& path : request.pages) pages.push_back(readRulePage(path));
  for (auto& page : pages) words.push_back(&page);
  auto aliases = aliasesOf(graph, &module);
  Analysis analysis{*graph, &module, traced, request.target, *aliases};
  auto blockers = blockersOf(analysis, words);
  auto plan = planCapture(analysis, blockers);
  if (plan.pieces.empty() && plan.blockers.empty()) {
    auto small = planCapture(analysis, blockers, /*fewestLaunches=*/1);
    if (small.isWhole()) plan = std::move(small);
  }
  std::size_t captured = 0;
  for (auto& piece : plan.pieces) captured += piece.launches;
  out.said = {{"parts", plan.pieces.size()},
              {"launches", captured},
              {"allLaunches", plan.launches},
              {"blockers", blockerWords(plan.blockers, nodes)}};
  if (!plan.pieces.empty()) out.carved = carve(module, plan);
  return out;
}

}  // namespace kadvise::graph
