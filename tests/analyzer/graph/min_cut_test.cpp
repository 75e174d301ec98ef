// The cheapest way to part a graph.
#include "analyzer/graph/min_cut.h"

#include <gtest/gtest.h>

namespace kadvise::graph {
namespace {

TEST(MinCut, PaysTheCheapestWay) {
  MinCut cut;
  auto a = cut.addNode(), b = cut.addNode();
  cut.addEdge(MinCut::kSource, a, 5);
  cut.addEdge(a, b, 2);
  cut.addEdge(b, MinCut::kSink, 4);
  auto side = cut.sourceSide();
  EXPECT_TRUE(side[a]);
  EXPECT_FALSE(side[b]);
}

TEST(MinCut, OfEqualWaysTakesTheOneThatChangesLess) {
  MinCut cut;
  auto a = cut.addNode();
  cut.addEdge(MinCut::kSource, a, 3);
  cut.addEdge(a, MinCut::kSink, 3);
  EXPECT_FALSE(cut.sourceSide()[a]);
}

TEST(MinCut, KeepsTogetherWhatMayNotBeParted) {
  MinCut cut;
  auto a = cut.addNode(), b = cut.addNode();
  cut.addEdge(MinCut::kSource, a, 5);
  cut.addEdge(a, b, MinCut::kNever);
  cut.addEdge(b, MinCut::kSink, 4);
  auto side = cut.sourceSide();
  EXPECT_TRUE(side[a] && side[b]);
}

}  // namespace
}  // namespace kadvise::graph
