// Hazards of memory: writes between nodes, views, reuse, aliases of inputs and outputs, buffers.
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

using test::Hazard;
using test::HazardRule;

const Hazard kHazards[] = {
    {"simple", "return torch.relu(x + y)", 1},
    {"sum_used_after", "s = x + y\n  return torch.relu(s) * s", 1},
    {"sum_used_between", "s = x + y\n  t = s * 3\n  return torch.relu(s) + t", 1},
    {"two_sites", "return torch.relu(torch.relu(x + y) + x)", 2},
    {"operand_written_between",
     "z = x * 1\n  v = z.view(-1)\n  s = z + y\n  v.add_(1)\n  return torch.relu(s) + z", 0,
     "is written to in place"},
    {"input_written_before", "x.add_(1)\n  return torch.relu(x + y)", 1},
    {"input_written_between", "s = x + y\n  x.mul_(2)\n  return torch.relu(s) + x", 0,
     "is written to in place"},
    {"input_written_after", "r = torch.relu(x + y)\n  x.mul_(2)\n  return r + x", 0,
     "is written to in place"},
    {"sum_written_through_view", "s = x + y\n  v = s[0]\n  v.add_(5)\n  return torch.relu(s) + s", 0,
     "is written to in place"},
    {"result_written_through_view", "r = torch.relu(x + y)\n  v = r[0]\n  v.add_(5)\n  return r", 1},
    {"slice_assigned", "s = x + y\n  r = torch.relu(s)\n  s[0] = r[1]\n  return r + s", 1},
    {"factor", "return torch.relu(torch.add(x, y, alpha=2))", 0, "`alpha` of aten::add is 2"},
    {"number", "return torch.relu(x + 1)", 0, "aten::add with a number"},
    {"same_operand", "return torch.relu(x + x)", 1},
    {"both_returned", "s = x + y\n  return torch.relu(s), s", 1},
    {"viewed", "return torch.relu(x + y).view(-1)", 1},
    {"viewed_through_transpose", "return torch.relu(x + y).transpose(0, 1).transpose(0, 1).view(-1)", 1},
    {"view_written_to", "v = torch.relu(x + y).view(-1)\n  v.add_(1)\n  return v", 0,
     "has strides that are observed by aten::view"},
    {"strides_looked_at", "return torch.as_strided(torch.relu(x + y), [2, 2], [1, 2])", 0,
     "has strides that are observed by aten::as_strided"},
    {"strides_looked_at_through_a_slice", "return torch.as_strided(torch.relu(x + y)[1:], [2, 2], [1, 2])", 0,
     "has strides that are observed by aten::as_strided"},
    {"a_write_elsewhere", "z = torch.zeros_like(x)\n  z[0] = x[1]\n  return torch.relu(x + y) + z", 1},
    {"in_a_dictionary",
     "d: Dict[str, Tensor] = {}\n  r = torch.relu(x + y)\n  d['a'] = r\n  return d['a'] * 2", 1},
    {"in_a_dictionary_and_written",
     "d: Dict[str, Tensor] = {}\n  r = torch.relu(x + y)\n  d['a'] = r\n  d['a'].mul_(2)\n  return r", 1},
    {"returned_dictionary",
     "d: Dict[str, Tensor] = {}\n  d['a'] = torch.relu(x + y)\n  return d['a'], d['a']", 1},
    {"reshaped", "return torch.relu(x + y).reshape(-1)", 1},
    {"in_place_relu", "s = x + y\n  s.relu_()\n  return s", 1},

    // aliases of inputs and outputs
    {"input_is_returned_too", "return torch.relu(x + y), x", 1},
    {"input_is_written_through_a_view", "s = x + y\n  x.t().add_(1)\n  return torch.relu(s)", 0,
     "is written to in place"},
    {"result_is_two_outputs", "r = torch.relu(x + y)\n  return r, r.t(), r", 1},
    {"result_is_two_outputs_of_which_one_may_be_a_copy", "r = torch.relu(x + y)\n  return r, r.view(-1), r",
     0, "makes a view or a copy"},
    {"a_buffer_is_written_that_may_be_the_input", "r = torch.relu(x + y)\n  self.mean.mul_(2)\n  return r", 0,
     "may be the same memory as the parameter mean, which is written to in place"},
    {"result_is_written_into_an_input", "r = torch.relu(x + y)\n  x.copy_(r)\n  return r", 0,
     "is written to in place"},
    {"operand_is_an_alias_that_is_written",
     "v = x.view(3, 4)\n  s = v + y\n  x.zero_()\n  return torch.relu(s)", 0, "is written to in place"},
    {"an_output_is_written_by_out", "r = torch.relu(x + y)\n  torch.mul(r, 2, out=r)\n  return r", 1},
    {"sum_in_a_list_that_is_written",
     "s = x + y\n  parts = [s, x]\n  parts[0].add_(1)\n  return torch.relu(s)", 0, "is written to in place"},
    {"expanded_operand", "return torch.relu(x[:1].expand(3, 4) + y)", 1},
    {"detached_sum", "s = x + y\n  return torch.relu(s.detach()), s", 1},
    // reuse
    {"sum_used_before_its_relu_and_after",
     "s = x + y\n  a = s.sum()\n  r = torch.relu(s)\n  return r * a + s.mean()", 1},
    {"sum_returned_through_its_own_use", "s = x + y\n  t = torch.tanh(s)\n  return torch.relu(s + t) + s", 1},
    {"one_sum_two_relus", "s = x + y\n  return torch.relu(s) + torch.relu(s * 1.5)", 1},
    {"sum_used_elsewhere", "s = x + y\n  return torch.relu(s) * s", 0, "is also used by aten::mul",
     HazardRule::EqualShapes},
    {"view_used_elsewhere", "v = x[:, 2:]\n  return torch.cat([v, x[:, :2]], -1) * y + v.sum()", 1, "",
     HazardRule::Halves},
    {"view_used_before_and_after",
     "v = x[:, 2:]\n  t = torch.tanh(v)\n  r = torch.cat([v, x[:, :2]], -1) * y\n  return r * t.sum() + "
     "v.mean()",
     1, "", HazardRule::Halves},
    {"view_that_is_written_elsewhere",
     "v = x[:, 2:]\n  r = torch.cat([v, x[:, :2]], -1) * y\n  v.add_(1)\n  return r + x", 0,
     "is written to in place", HazardRule::Halves},
    // buffers
    {"buffer_is_an_operand", "return torch.relu(x + self.mean) + y", 1},
    {"buffer_is_written_before", "self.mean.add_(1)\n  return torch.relu(x + self.mean) + y", 0,
     "is written to in place"},
    {"buffer_is_written_after", "r = torch.relu(x + self.mean)\n  self.mean.mul_(2)\n  return r + y", 0,
     "is written to in place"},
    {"another_buffer_is_stored", "self.mean = self.mean.add_(1)\n  return torch.relu(x + self.variance) + y",
     0, "may be the same memory as the parameter mean, which is written to in place"},
    {"buffer_takes_the_result", "r = torch.relu(x + y)\n  self.mean.copy_(r[0])\n  return r", 0,
     "is written to in place"},
    {"statistics_are_written",
     "self.mean.add_(1)\n  return torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, "
     "1e-5, False) + y",
     0, "is written to in place", HazardRule::Norm},
};

class MemoryHazard : public testing::TestWithParam<Hazard> {};

TEST_P(MemoryHazard, KeepsTheMeaning) { test::keepsTheMeaning(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Graphs, MemoryHazard, testing::ValuesIn(kHazards),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kadvise::graph
