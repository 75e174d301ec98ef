// Hazards of strides: a replacement's result may be laid out in another way than the module's own, in the run
// or in another call, and strides decide whether reshape and the like return a view or a copy.
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

using test::Hazard;
using test::HazardRule;

constexpr const char* kShows = "makes a view or a copy, which writes or results of forward show";

// In the second call x and y are transposed: what the module makes of them is, too.
std::vector<at::Tensor> transposed() { return {torch::randn({4, 3}).t(), torch::randn({4, 3}).t()}; }

Hazard inBothLayouts(const char* name, const char* body, int rewritten, const char* because = "") {
  Hazard h{name, body, rewritten, because, HazardRule::EqualShapes};
  h.makeOther = transposed;
  return h;
}

const Hazard kHazards[] = {
    // asked for, behind operators that hand on the layout
    inBothLayouts("asked_behind_a_pointwise_operator",
                  "r = torch.relu(x + y)\n  if (r + 1).is_contiguous():\n    r = r * 3\n  return r", 0,
                  "has strides that are observed by aten::is_contiguous"),
    inBothLayouts("asked_behind_a_copy", "return torch.relu(x + y) * 2, torch.relu(x + y).clone().stride(0)",
                  0, "has strides that are observed by aten::stride"),
    inBothLayouts("asked_of_zeros_alike", "return torch.zeros_like(torch.relu(x + y)).stride(0)", 0,
                  "has strides that are observed by aten::stride"),
    inBothLayouts("asked_in_a_list", "parts = [torch.relu(x + y)]\n  return torch.tanh(parts[0]).stride(0)",
                  0, "has strides that are observed by aten::stride"),
    inBothLayouts("asked_in_a_branch",
                  "r = torch.relu(x + y)\n  if x.size(0) > 2:\n    s = r * 2\n  else:\n    s = r\n  return "
                  "s.stride(0)",
                  0, "has strides that are observed by aten::stride"),
    inBothLayouts("asked_behind_a_linear_layer",
                  "return torch.linear(torch.relu(x + y), torch.ones([2, 4])).stride(0)", 1),
    inBothLayouts("viewed_in_a_written_product",
                  "r = torch.relu(x + y) * 2\n  v = r.contiguous().view(-1)\n  v.mul_(2)\n  return v", 1),
    {"a_product_is_viewed_and_written", "r = torch.relu(x + y) * 2\n  r.view(-1).mul_(2)\n  return r", 0,
     "has strides that are observed by aten::view", HazardRule::EqualShapes},
    // written through what may be a copy
    inBothLayouts("reshaped_and_written", "r = torch.relu(x + y)\n  r.reshape(-1).mul_(2)\n  return r", 0,
                  kShows),
    inBothLayouts("flattened_and_written", "r = torch.relu(x + y)\n  r.flatten().mul_(2)\n  return r", 0,
                  kShows),
    inBothLayouts("raveled_and_written", "r = torch.relu(x + y)\n  r.ravel().mul_(2)\n  return r", 0, kShows),
    inBothLayouts("made_contiguous_and_written",
                  "r = torch.relu(x + y)\n  r.contiguous().mul_(2)\n  return r", 0, kShows),
    inBothLayouts("reshaped_like_another_and_written",
                  "r = torch.relu(x + y)\n  r.reshape_as(torch.zeros([2, 6])).mul_(2)\n  return r", 0,
                  kShows),
    inBothLayouts("cast_to_a_layout_and_written",
                  "r = torch.relu(x + y)\n  r.to(dtype=6, memory_format=0).mul_(2)\n "
                  " return r",
                  0, kShows),
    inBothLayouts("a_product_is_written", "r = torch.relu(x + y) * 2\n  r.reshape(-1).mul_(2)\n  return r", 0,
                  kShows),
    inBothLayouts("written_through_a_view_of_it",
                  "r = torch.relu(x + y)\n  r.reshape(-1)[1:].mul_(2)\n  return r", 0, kShows),
    inBothLayouts("written_in_a_list",
                  "r = torch.relu(x + y)\n  parts = [r.reshape(-1), x]\n  parts[0].mul_(2)\n  return r", 0,
                  kShows),
    inBothLayouts("written_in_a_loop",
                  "r = torch.relu(x + y)\n  v = r.reshape(-1)\n  s = r.sum()\n  for i in range(3):\n    s = "
                  "s + r.sum()\n  "
                  "  v.mul_(2)\n  return s",
                  0, kShows),
    inBothLayouts("written_behind_a_branch",
                  "r = torch.relu(x + y)\n  if x.size(0) > 2:\n    s = r\n  else:\n    s = r * 2\n  "
                  "s.reshape(-1).mul_(2)\n  return r",
                  0, kShows),
    inBothLayouts("the_base_is_written",
                  "r = torch.relu(x + y)\n  v = r.reshape(-1)\n  r.mul_(2)\n  return v", 0, kShows),
    inBothLayouts("both_leave_forward", "r = torch.relu(x + y)\n  return r, r.reshape(-1)", 0, kShows),
    inBothLayouts("both_leave_forward_in_a_list", "r = torch.relu(x + y)\n  return [r, r.reshape(-1)]", 0,
                  kShows),
    inBothLayouts("both_leave_forward_through_a_view", "r = torch.relu(x + y)\n  return r[0], r.reshape(-1)",
                  0, kShows),
    // nobody can tell
    inBothLayouts("the_base_is_dead", "r = torch.relu(x + y).reshape(-1)\n  r.mul_(2)\n  return r", 1),
    inBothLayouts("the_base_is_read_before",
                  "r = torch.relu(x + y)\n  s = r.sum()\n  v = r.reshape(-1)\n  v.mul_(2)\n  return v, s", 1),
    inBothLayouts("only_the_size_of_the_base_is_read",
                  "r = torch.relu(x + y)\n  v = r.reshape(-1)\n  v.mul_(2)\n  return v * r.size(0)", 1),
    inBothLayouts("the_base_is_written_before",
                  "r = torch.relu(x + y)\n  r.mul_(2)\n  v = r.reshape(-1)\n  return v, r.sum()", 1),
    inBothLayouts("one_leaves_and_both_are_read",
                  "r = torch.relu(x + y)\n  return r.reshape(-1), r * 2, r.sum()", 1),
    inBothLayouts("a_cast_that_is_written", "r = torch.relu(x + y)\n  r.to(dtype=6).mul_(2)\n  return r", 1),
};

class LayoutHazard : public testing::TestWithParam<Hazard> {};

TEST_P(LayoutHazard, KeepsTheMeaning) { test::keepsTheMeaning(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Graphs, LayoutHazard, testing::ValuesIn(kHazards),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kadvise::graph
