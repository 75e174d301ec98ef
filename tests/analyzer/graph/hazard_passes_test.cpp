// Hazards of fusing neighbouring operators into one kernel: writes, views, order, and calls unlike the run.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

struct PassHazard {
  const char* name;
  const char* body;  // of forward(self, x, y); x and y of 3 x 4; buffers: mean, variance, of 4 numbers
  int rewritten;
  std::vector<at::Tensor> (*makeOther)() = nullptr;
};

std::vector<at::Tensor> moreRows() { return {torch::randn({5, 4}), torch::randn({5, 4})}; }
std::vector<at::Tensor> oneRow() { return {torch::randn({3, 4}), torch::randn({1, 4})}; }
std::vector<at::Tensor> oneColumn() { return {torch::randn({3, 1}), torch::randn({3, 4})}; }
std::vector<at::Tensor> narrow() { return {torch::randn({3, 2}), torch::randn({3, 2})}; }
std::vector<at::Tensor> wideRows() { return {torch::randn({3, 6}), torch::randn({3, 4})}; }

const PassHazard kHazards[] = {
    {"nothing_in_the_way", "return torch.relu(x + y) * 2", 1},
    {"write_between", "s = x + y\n  s.add_(1)\n  return torch.relu(s) * 2", 1},
    {"write_to_a_view_between", "s = x + y\n  s[0].fill_(3.0)\n  return torch.relu(s) * torch.sigmoid(s)", 1},
    {"an_input_is_written_later", "s = torch.relu(x + y)\n  x.mul_(2)\n  return s * 2", 1},
    {"an_input_was_written_before", "x.mul_(2)\n  return torch.relu(x + y) * 2", 1},
    {"a_result_is_written_later", "s = torch.relu(x + y) * 2\n  t = s.sum()\n  s.zero_()\n  return s, t", 1},
    {"a_view_of_a_result_is_returned", "s = torch.relu(x + y) * 2\n  return s[0], s", 1},
    {"a_view_of_a_result_is_written", "s = torch.relu(x + y) * 2\n  s[0].zero_()\n  return s", 1},
    {"a_buffer_is_written", "s = torch.relu(x + self.mean)\n  self.mean.add_(1)\n  return s * 2", 1},
    {"read_in_a_branch",
     "s = x + y\n  t = torch.relu(s) * 2\n  if bool(x.sum() > 0):\n    t = t + s\n  return t", 2},
    {"across_a_branch",
     "s = torch.sigmoid(x + y)\n  if bool(x.sum() > -100):\n    s = torch.relu(s) * 2\n  return s", 2},
    {"carried_by_a_loop", "s = x\n  for i in range(3):\n    s = torch.relu(s + y) * 0.5\n  return s", 0},
    {"random_between",
     "s = torch.relu(x + y)\n  s = torch.dropout(s, 0.5, True)\n  return torch.sigmoid(s) * 2", 2},
    {"size_from_data", "s = torch.relu(x + y)\n  t = s[s > 0]\n  return torch.relu(t * 2) + 1", 1},
    {"a_product_between",
     "s = torch.relu(x + y)\n  t = torch.matmul(s.t(), s)\n  return torch.softmax(t, -1) * t[0] + s[0]", 2},
    {"through_others_and_back",
     "s = torch.sigmoid(x + y)\n  t = torch.matmul(s, torch.ones(4, 4))\n  return (s + t) * 2", 2},
    {"an_input_comes_late", "s = x + y\n  z = torch.cumsum(s, 0)\n  return torch.relu(s) * z", 1},
    {"one_value_twice_in_two_layouts", "z = torch.matmul(x, y.t())\n  return torch.relu(z + z.t()) * 2", 1},
    {"reduced_and_whole", "return torch.softmax(x + y, -1) * torch.sum(x + y, 0, True)", 1},
    {"sizes_equal_by_chance", "return torch.mean(x * 2, 1, True) + y * 3", 2, wideRows},
    {"a_row_that_is_broadcast", "return torch.relu(x + y) * torch.mean(x + y, -1, True)", 1, oneRow},
    {"a_column_that_is_broadcast", "s = torch.sum(x + 1, -1, True)\n  return torch.relu(s * 2)", 1,
     oneColumn},
    {"other_sizes", "return torch.softmax(torch.relu(x + y), 0) - 1", 1, moreRows},
    {"other_widths",
     "return torch.layer_norm(torch.relu(x + y), [2], None, None, 1e-5, True) if x.size(1) == 2 else "
     "torch.relu(x + y)",
     -1, narrow},
    {"the_input_itself_is_returned", "s = x.float()\n  return s, torch.relu(s + y) * 2", 1},
    {"two_results_of_one_value", "s = torch.relu(x + y)\n  return s, s.contiguous() * 1.5, s.clone()", 1},
    {"rounded_for_a_comparison", "s = (x + y).half()\n  return torch.where(s > 0.1, x, y)", 1},
    {"a_dimension_that_no_input_has", "r = x[0]\n  return (torch.sqrt(r * r) + (r * 2).unsqueeze(0)) * 3", 1},
    {"a_cast_there_and_back", "return (x + y).half().float() * 2", 1},
    {"a_cast_that_is_stored", "s = (x * y).half()\n  return s, s.float() * 2", 1},
    {"whole_numbers_divided", "i = (x * 10).long()\n  return i / 4 + torch.relu(x)", 1},
    {"bools_multiplied", "a = (x > 0) & (y > 0)\n  return (a * (x > y)).float() * x", 1},
    {"strides_are_asked_for",
     "s = torch.relu(x.t() + y.t()) * 2\n  return torch.as_strided(s, [2, 2], [1, 2])", 0},
    {"a_view_that_depends_on_strides", "s = torch.relu(x.t() + y.t()) * 2\n  return s.contiguous().view(-1)",
     1},
};

class SeparatePassesHazard : public testing::TestWithParam<PassHazard> {};

TEST_P(SeparatePassesHazard, KeepsTheMeaning) {
  test::loadKernels();
  auto& hazard = GetParam();
  std::string forward = std::string("def forward(self, x, y):\n  ") + hazard.body;
  std::vector<std::pair<std::string, at::Tensor>> buffers = {{"mean", torch::arange(4.0)},
                                                             {"variance", torch::arange(1.0, 5.0)}};
  torch::jit::Module plain("__torch__.Plain");
  for (auto& [name, tensor] : buffers) plain.register_buffer(name, tensor.clone());
  plain.define(forward + "\n");
  for (auto& b : buffers) b.second = b.second.clone();
  auto changed = test::moduleOf(forward, buffers);
  torch::manual_seed(1);
  std::vector<at::Tensor> inputs = {torch::randn({3, 4}), torch::randn({3, 4})};
  auto result = test::rewritePasses(changed, inputs);
  if (hazard.rewritten >= 0)
    EXPECT_EQ(result.rewritten, hazard.rewritten) << result.reasons << result.text << *test::graphOf(changed);
  test::expectSame(plain, changed, inputs);
  if (hazard.makeOther) test::expectSame(plain, changed, hazard.makeOther());
}

INSTANTIATE_TEST_SUITE_P(Graphs, SeparatePassesHazard, testing::ValuesIn(kHazards),
                         [](auto& p) { return std::string(p.param.name); });

TEST(SeparatePasses, AConstantThatIsCastIsNoOperand) {
  test::loadKernels();
  auto module = test::moduleOf("def forward(self, x, c):\n  return torch.relu(x + c.to(6)) * 2", {});
  auto graph = test::graphOf(module);
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() != torch::jit::aten::to) return;
    torch::jit::WithInsertPoint here(n);
    n->replaceInput(0, graph->insertConstant(at::ones({4})));
  });
  auto result = test::rewritePasses(module, {torch::randn({3, 4}), torch::randn({4})});
  EXPECT_EQ(result.rewritten, 1) << result.reasons << *graph;
}

}  // namespace
}  // namespace kadvise::graph
