// What the page's examples cannot show: the remedy depends on what other rules found.
#include "analyzer/graph/launch_bound.h"

#include "analyzer/graph/readiness.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

Shaped smallSteps() {
  std::string body = "def forward(self, x):\n";
  for (int i = 0; i < 20; ++i) body += "    x = torch.tanh(x)\n";
  return Shaped(body + "    return x", {meta({4, 64})});
}

std::string messageWith(std::size_t captureCuts) {
  auto s = smallSteps();
  RulePage page;
  auto aliases = aliasesOf(s.graph);
  Target target{"cuda", 90};
  Analysis analysis{*s.graph, &s.module, s.traced, target, *aliases};
  analysis.captureCuts = captureCuts;
  auto result = findLaunchBound(page, analysis);
  return result.findings.empty() ? result.whyNothing : result.findings[0].message;
}

TEST(LaunchBound, SaysWhatHasToGoBeforeAGraphCanHoldTheCall) {
  EXPECT_TRUE(messageWith(0).ends_with(": a CUDA graph launches all at once")) << messageWith(0);
  EXPECT_TRUE(messageWith(1).ends_with("once the place that ends a capture is gone (Readiness)"))
      << messageWith(1);
  EXPECT_TRUE(messageWith(3).ends_with("once the 3 places that end a capture are gone (Readiness)"))
      << messageWith(3);
}

TEST(LaunchBound, CountsEachPlaceThatEndsACaptureOnceAndNoOthers) {
  auto s = smallSteps();
  auto* first = *s.graph->nodes().begin();
  auto* second = first->next();
  EXPECT_EQ(captureCutsIn({}), 0u);
  EXPECT_EQ(captureCutsIn({{first, "a", "F0", {"sync"}},
                           {first, "b", "F1", {"capture"}},
                           {second, "c", "F2", {"cost"}},
                           {second, "d", "F3", {"compile", "export"}}}),
            1u);
}

}  // namespace
}  // namespace kadvise::graph
