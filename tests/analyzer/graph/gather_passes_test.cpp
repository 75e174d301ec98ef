// Generated kernels that pick along rows, take computed numbers, or stand for operators that only read the
// same tensor.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

struct Gathering {
  const char* name;
  const char* body;                               // of forward(self, x, y, i)
  std::vector<std::vector<std::int64_t>> shapes;  // of x, y and i
  int found = 1;
  std::vector<std::vector<std::int64_t>> other = {};  // shapes of another call
};

const Gathering kGatherings[] = {
    {"along_a_row", "return torch.gather(x, -1, i) * 2 + y", {{3, 4, 7}, {3, 4, 5}, {3, 4, 5}}},
    {"of_each_key_turned",
     "t = torch.gather(y, 2, i).transpose(1, 2) / 3\n  return torch.softmax(torch.gather(x, -1, i) + t, -1)",
     {{2, 5, 7}, {2, 5, 7}, {2, 5, 5}},
     1,
     {{3, 4, 9}, {3, 4, 9}, {3, 4, 4}}},
    {"fewer_indices_than_lists",
     "return torch.gather(x, -1, i) * 2 + y",
     {{3, 4, 7}, {3, 4, 5}, {3, 4, 5}},
     1,
     {{3, 6, 7}, {2, 1, 5}, {2, 1, 5}}},
    {"one_index_that_is_broadcast",
     "return torch.gather(x, -1, i) * 2 + y",
     {{3, 4, 7}, {3, 4, 5}, {3, 4, 5}},
     1,
     {{3, 4, 7}, {3, 4, 5}, {1, 1, 5}}},
    {"one_tensor_twice",
     "return torch.gather(x, -1, i) + torch.gather(x, -1, i + 1)",
     {{3, 4, 9}, {1}, {3, 4, 5}}},
    {"rows_of_a_table",
     "return torch.embedding(x, (i - 3).clamp(0, 4) + 1)",
     {{7, 5}, {1}, {3, 4}},
     1,
     {{9, 6}, {1}, {5, 2}}},
    {"rows_of_a_table_by_two_positions",
     "return torch.embedding(x, (i - i.transpose(0, 1)).clamp(-2, 4) + 2)",
     {{7, 5}, {1}, {1, 6}},
     1,
     {{8, 3}, {1}, {1, 9}}},
    {"rows_of_a_table_added_up",
     "return torch.embedding(x, i.clamp(0, 4)).sum(-1, True) * 2",
     {{7, 5}, {1}, {3, 4}},
     1,
     {{9, 6}, {1}, {5, 4}}},
    {"along_a_column", "return torch.gather(x, 0, i) * 2", {{7, 4}, {1}, {3, 4}}, 0},
    {"expanded_as_another",
     "n = torch.linalg_vector_norm(x, 2, [-1], True)\n  return x / n.clamp_min(1e-6).expand_as(x) * y",
     {{3, 4, 7}, {4, 7}, {1}},
     1,
     {{2, 1, 3}, {5, 3}, {1}}},
    {"expanded_as_what_readers_do_not_read",
     "return (x + 1).expand_as(y) * 2",
     {{6, 8}, {6, 8}, {1}},
     0,
     {{1, 8}, {6, 8}, {1}}},
    {"expanded_to_sizes",
     "return torch.relu((x + 1).expand([6, 8]) * 2)",
     {{6, 8}, {1}, {1}},
     1,
     {{1, 8}, {1}, {1}}},
    {"expanded_as_what_is_not_read", "return torch.exp(x).expand_as(y) * 2", {{4, 1}, {3, 4, 7}, {1}}, 0},
    {"computed_scale",
     "return x * (float(x.size(-1)) ** -0.5) + y",
     {{3, 4, 7}, {4, 7}, {1}},
     1,
     {{2, 3}, {2, 3}, {1}}},
    {"siblings", "a = x @ y\n  return a + 1, a * y[0]", {{4, 6}, {6, 6}, {1}}},
    {"siblings_that_wait_for_each_other",
     "a = torch.relu(x @ y + 1)\n  return x * 2 + (a @ y)",
     {{6, 6}, {6, 6}, {1}},
     2},
    {"rows_beside_each_other", "return torch.exp(x), x.transpose(0, 1) + 1", {{4, 6}, {1}, {1}}, 0},
};

class Gatherings : public testing::TestWithParam<Gathering> {};

std::vector<at::Tensor> tensorsOf(const std::vector<std::vector<std::int64_t>>& shapes) {
  return {torch::randn(shapes[0]), torch::randn(shapes[1]), torch::randint(0, 7, shapes[2], at::kLong)};
}

TEST_P(Gatherings, ComputeTheSame) {
  test::loadKernels();
  torch::manual_seed(4);
  auto& g = GetParam();
  auto text = std::string("def forward(self, x, y, i):\n  ") + g.body;
  auto plain = test::moduleOf(text), changed = test::moduleOf(text);
  auto inputs = tensorsOf(g.shapes);
  auto passes = test::rewritePasses(changed, inputs);
  EXPECT_EQ(passes.found, g.found) << passes.text << passes.reasons;
  EXPECT_EQ(passes.rewritten, g.found) << passes.text << passes.reasons;
  for (auto& shapes : {g.shapes, g.other}) {
    if (shapes.empty()) continue;
    inputs = tensorsOf(shapes);
    auto have = test::resultsOf(changed, inputs), want = test::resultsOf(plain, inputs);
    ASSERT_EQ(have.size(), want.size());
    for (std::size_t i = 0; i < have.size(); ++i) {
      ASSERT_EQ(have[i].sizes(), want[i].sizes());
      EXPECT_TRUE(at::allclose(have[i], want[i], 1e-5, 1e-6)) << passes.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, Gatherings, testing::ValuesIn(kGatherings),
                         [](auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace kadvise::graph
