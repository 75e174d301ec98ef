// Hazards of control flow, random numbers, training mode, dtypes, devices and shapes.
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

using test::Hazard;
using test::HazardRule;
using test::OtherCall;

at::Tensor row() { return torch::randn({4}); }
at::Tensor whole() { return torch::arange(12).reshape({3, 4}); }
at::Tensor doubles() { return torch::randn({3, 4}, at::kDouble); }
at::Tensor halves() { return torch::randn({3, 4}).to(at::kHalf); }
at::Tensor normal() { return torch::randn({3, 4}); }
std::vector<at::Tensor> moreRows() { return {torch::randn({5, 4}), torch::randn({5, 4})}; }
std::vector<at::Tensor> oneRow() { return {torch::randn({3, 4}), torch::randn({1, 4})}; }
std::vector<at::Tensor> oneRowAndDoubles() { return {torch::randn({1, 4}), doubles()}; }
std::vector<at::Tensor> ofRankThree() { return {torch::randn({2, 3, 4}), torch::randn({2, 1, 4})}; }
std::vector<at::Tensor> wider() { return {torch::randn({3, 6}), torch::randn({3, 6})}; }
std::vector<at::Tensor> narrower() { return {torch::randn({3, 1}), torch::randn({3, 1})}; }
constexpr bool kElsewhere = true;
constexpr bool kHere = false;

const Hazard kHazards[] = {
    {"across_if", "s = x + y\n  if bool(y.sum() > 0):\n    s = torch.relu(s)\n  return s", 0,
     "crosses an if or a loop"},
    {"inside_if", "if bool(y.sum() > -100):\n    x = torch.relu(x + y)\n  return x", 1},
    {"inside_loop", "for i in range(3):\n    x = torch.relu(x + y)\n  return x", 1},
    {"random_between", "s = x + y\n  t = torch.zeros_like(s)\n  return torch.relu(s) + t", 1},

    // control flow
    {"sum_from_outside_a_loop", "s = x + y\n  for i in range(2):\n    x = x + torch.relu(s)\n  return x", 0,
     "crosses an if or a loop"},
    {"carried_by_a_loop", "s = x + y\n  for i in range(2):\n    r = torch.relu(s)\n    s = r + y\n  return s",
     0},
    {"in_both_branches",
     "if bool(y.sum() > 0):\n    r = torch.relu(x + y)\n  else:\n    r = torch.relu(y + x) * 2\n  return r",
     2},
    {"written_in_a_branch", "s = x + y\n  if bool(y.sum() > -100):\n    s.add_(1)\n  return torch.relu(s)", 0,
     "is written to in place"},
    {"early_return", "r = torch.relu(x + y)\n  if bool(r.sum() < 0):\n    return r\n  return r * 2", 1},
    // random numbers
    {"an_operand_is_random", "return torch.relu(x + torch.rand_like(y))", 1},
    {"random_numbers_in_order",
     "s = x + torch.rand_like(x)\n  t = torch.rand_like(x)\n  return torch.relu(s) + t", 1},
    {"dropout_is_no_pure_operator", "return torch.dropout(x + y, 0.5, True)", 0, "differs from run to run",
     HazardRule::Dropout},
    {"bernoulli_in_place_between", "s = x + y\n  s.bernoulli_(0.5)\n  return torch.relu(s)", 0,
     "is made by aten::bernoulli"},
    // training mode
    {"norm_by_running_statistics",
     "return torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, 1e-5, False) + y", 1, "",
     HazardRule::Norm},
    {"norm_that_updates_them",
     "return torch.batch_norm(x, None, None, self.mean, self.variance, True, 0.1, 1e-5, False) + y", 0, "",
     HazardRule::Norm},
    {"norm_behind_one_that_updates_them",
     "z = torch.batch_norm(y, None, None, self.mean, self.variance, True, 0.1, 1e-5, False)\n"
     "  return torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, 1e-5, False) + z",
     0, "is written to in place", HazardRule::Norm},
    {"norm_around_one_that_updates_them",
     "s = torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, 1e-5, False)\n"
     "  z = torch.batch_norm(y, None, None, self.mean, self.variance, True, 0.1, 1e-5, False)\n"
     "  return torch.relu(s) + z",
     0, "is written to in place", HazardRule::NormAndRelu},
    {"norm_and_relu",
     "return torch.relu(torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, 1e-5, False)) "
     "+ y",
     1, "", HazardRule::NormAndRelu},

    // mixed dtypes
    {"whole_numbers_are_promoted", "return torch.relu(x + y)", 1, "", HazardRule::SumAndRelu, whole},
    {"doubles_are_promoted", "return torch.relu(x + y)", 1, "", HazardRule::SumAndRelu, doubles},
    {"a_dtype_that_is_not_proven", "return torch.relu(x + y)", 0,
     "is float64, for which the page is not proven", HazardRule::EqualShapes, doubles},
    {"whole_numbers_alone", "return torch.relu(y + y * 2)", 0, "is int64, for which the page is not proven",
     HazardRule::EqualShapes, whole},
    {"half_and_float", "return torch.relu(x + y)", 1, "", HazardRule::EqualShapes, halves},
    {"a_cast_between", "return torch.relu((x + y).double())", 0, "aten::to", HazardRule::EqualShapes},
    // mixed devices: x has no data, as though it were on another device
    {"two_devices_in_one_module", "return torch.relu(y + y), x + 1", 1, "", HazardRule::EqualShapes, normal,
     kElsewhere},
    {"moved_before_the_sum", "return torch.relu(x.to(y.device) + x.to(y.device)), torch.relu(y + y * 2)", 2,
     "", HazardRule::SumAndRelu, normal},
    {"a_result_moved_between_devices", "return torch.relu(y + y.to(y.device)), x", 1, "",
     HazardRule::SumAndRelu, normal, kElsewhere},
    // shape-dependent legality
    {"equal_shapes", "return torch.relu(x + y)", 1, "", HazardRule::EqualShapes},
    {"a_row_is_broadcast", "return torch.relu(x + y)", 0, "the operands differ in shape",
     HazardRule::EqualShapes, row},
    {"a_row_is_broadcast_where_that_is_right", "return torch.relu(x + y)", 1, "", HazardRule::SumAndRelu,
     row},
    {"a_shape_that_no_run_showed",
     "r = x\n  if bool(y.sum() > -100):\n    r = torch.relu(torch.tanh(x) + y)\n  return r", 0,
     "shape that is not known", HazardRule::EqualShapes},
    {"an_expanded_operand", "return torch.relu(x[0].expand(3, 4) + y)", 1, "", HazardRule::EqualShapes},
    {"an_empty_slice", "return torch.relu(x[:0] + y[:0])", 1, "", HazardRule::EqualShapes},
    // a second call, unlike the run
    {"other_batch", "return torch.relu(x + y)", 1, "", HazardRule::SumAndRelu, normal, kHere, moreRows},
    {"other_rank", "return torch.relu(x + y)", 1, "", HazardRule::SumAndRelu, normal, kHere, ofRankThree},
    {"other_dtype_and_broadcast", "return torch.relu(x + y)", 1, "", HazardRule::SumAndRelu, normal, kHere,
     oneRowAndDoubles},
    {"equal_shapes_that_broadcast_later", "return torch.relu(x + y)", 1, "", HazardRule::EqualShapes, normal,
     kHere, oneRow, OtherCall::Raises},
    {"a_half_by_its_number_at_another_width", "return torch.cat([x[:, 2:], x[:, :2]], -1) * y", 1, "",
     HazardRule::Halves, normal, kHere, wider},
    {"a_half_by_its_number_at_one_column", "return torch.cat([x[:, 2:], x[:, :2]], -1) * y", 1, "",
     HazardRule::Halves, normal, kHere, narrower},
};

class FlowHazard : public testing::TestWithParam<Hazard> {};

TEST_P(FlowHazard, KeepsTheMeaning) { test::keepsTheMeaning(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Graphs, FlowHazard, testing::ValuesIn(kHazards),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kadvise::graph
