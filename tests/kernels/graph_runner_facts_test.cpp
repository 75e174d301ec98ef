// Which modules the runner never captures, and in which words; each beside its nearest harmless neighbour.
#include "tests/kernels/graph_runner.h"

namespace kadvise::test {
namespace {

struct Case {
  const char* name;
  const char* body;
  const char* reason;  // a part of it; empty: may be captured
};

constexpr const char* kState = "changes its own state";
constexpr const char* kInputs = "writes to its inputs";
constexpr const char* kRandom = "draws random numbers";
constexpr const char* kUnknown = "whose origin is not known";

const Case kCases[] = {
    {"pure", "  return [inputs[0] @ self.weight]\n", ""},
    {"in_place_on_a_new_tensor", "  return [torch.relu_(inputs[0] + 1)]\n", ""},
    {"in_place_on_a_view_of_a_new_tensor", "  y = inputs[0] * 2\n  y[0].add_(1)\n  return [y]\n", ""},
    {"in_place_on_an_input", "  return [torch.relu_(inputs[0])]\n", kInputs},
    {"in_place_on_a_view_of_an_input", "  inputs[0].view(-1)[1:].zero_()\n  return [inputs[0]]\n", kInputs},
    {"in_place_on_what_may_be_an_input", "  return [inputs[0].contiguous().mul_(2)]\n", kInputs},
    {"in_place_on_a_clone", "  return [inputs[0].clone().mul_(2)]\n", ""},
    {"the_list_of_inputs_grows", "  inputs.append(self.weight)\n  return inputs\n", kInputs},
    {"a_list_of_its_own_grows", "  out: List[Tensor] = []\n  out.append(inputs[0] + 1)\n  return out\n", ""},
    {"in_place_on_a_buffer", "  self.counter.add_(1)\n  return [inputs[0] + self.counter]\n", kState},
    {"in_place_on_a_view_of_a_buffer", "  self.weight.t()[0].add_(1)\n  return [inputs[0]]\n", kState},
    {"an_attribute_is_set", "  self.counter = self.counter + 1\n  return [inputs[0]]\n", kState},
    {"out_argument_of_a_buffer", "  return [torch.add(inputs[0], 1, out=self.weight)]\n", kState},
    {"out_argument_of_its_own",
     "  y = torch.empty_like(inputs[0])\n  return [torch.add(inputs[0], 1, out=y)]\n", ""},
    {"in_place_on_one_of_two",
     "  y = inputs[0] + 1\n  if inputs[0].size(0) > 2:\n    y = self.weight\n  return [y.mul_(2)]\n", kState},
    {"in_place_on_either_of_two_new_ones",
     "  y = inputs[0] + 1\n  if inputs[0].size(0) > 2:\n    y = inputs[0] + 2\n  return [y.mul_(2)]\n", ""},
    {"in_place_in_a_loop_on_its_own",
     "  y = inputs[0] + 1\n  for i in range(3):\n    y = y.mul_(2)\n  return [y]\n", ""},
    {"in_place_in_a_loop_that_began_with_state",
     "  y = self.weight\n  for i in range(3):\n    y = y.mul_(2)\n  return [y]\n", kState},
    {"in_place_on_a_chunk_of_its_own", "  a, b = (inputs[0] + 1).chunk(2, 0)\n  return [a.mul_(2), b]\n", ""},
    {"in_place_on_a_chunk_of_an_input", "  a, b = inputs[0].chunk(2, 0)\n  return [a.mul_(2), b]\n", kInputs},
    {"in_place_on_an_element_of_a_mixed_list",
     "  both = [inputs[0] + 1, self.weight]\n  return [both[inputs[0].size(0) % 2].mul_(2)]\n", kState},
    {"in_place_on_an_element_of_a_list_that_grew",
     "  both = [inputs[0] + 1]\n  both.append(self.weight)\n  return [both[0].mul_(2)]\n", kUnknown},
    {"in_place_on_an_element_of_a_list_that_grew_under_another_name",
     "  one = [inputs[0] + 1]\n  two = one\n  if inputs[0].size(0) > 2:\n    two = [inputs[0] + 2]\n"
     "  two.append(self.weight)\n  return [one[-1].mul_(2)]\n",
     kUnknown},
    {"dropout_that_is_on", "  return [torch.dropout(inputs[0], 0.5, True)]\n", kRandom},
    {"dropout_that_is_off", "  return [torch.dropout(inputs[0], 0.5, False)]\n", ""},
    {"dropout_that_an_attribute_switches_off", "  return [torch.dropout(inputs[0], 0.5, self.flag)]\n", ""},
    {"dropout_that_an_input_decides", "  return [torch.dropout(inputs[0], 0.5, inputs[0].size(0) > 1)]\n",
     kRandom},
    {"random_tensor", "  return [inputs[0] + torch.rand([4])]\n", kRandom},
    {"random_permutation", "  return [inputs[0][torch.randperm(inputs[0].size(0))]]\n", kRandom},
    {"random_in_a_branch",
     "  y = inputs[0]\n  if y.size(0) > 100:\n    y = torch.bernoulli(y)\n  return [y]\n", kRandom},
    {"attention_without_dropout",
     "  q = inputs[0].unsqueeze(0)\n  return [torch.scaled_dot_product_attention(q, q, q)]\n", ""},
    {"attention_with_dropout",
     "  q = inputs[0].unsqueeze(0)\n  return [torch.scaled_dot_product_attention(q, q, q, dropout_p=0.1)]\n",
     kRandom},
    {"batch_norm_that_trains",
     "  return [torch.batch_norm(inputs[0], None, None, self.weight[0], self.weight[1], True, 0.1, 1e-5, "
     "False)]\n",
     "running statistics"},
    {"batch_norm_that_evaluates",
     "  return [torch.batch_norm(inputs[0], None, None, self.weight[0], self.weight[1], False, 0.1, 1e-5, "
     "False)]\n",
     ""},
    {"batch_norm_without_statistics",
     "  return [torch.batch_norm(inputs[0], None, None, None, None, True, 0.1, 1e-5, False)]\n", ""},
    {"asks_for_gradients", "  x = inputs[0]\n  if x.requires_grad:\n    x = x * 2\n  return [x + 1]\n", ""},
    {"asks_for_its_place_in_a_storage", "  return [inputs[0] * float(inputs[0].storage_offset())]\n",
     "a copy of a tensor"},
    {"overlapping_rows_of_an_input", "  return [torch.as_strided(inputs[0], [2, 3], [1, 1])]\n",
     "a copy of a tensor"},
    {"overlapping_rows_of_a_view_of_an_input",
     "  return [torch.as_strided(inputs[0].reshape([-1]), [2, 3], [1, 1])]\n", "a copy of a tensor"},
    {"overlapping_rows_of_what_may_be_an_input",
     "  return [torch.as_strided(inputs[0].type_as(self.weight), [2, 3], [1, 1], 0)]\n",
     "a copy of a tensor"},
    {"overlapping_rows_of_what_may_be_one_of_its_inputs",
     "  a, b = torch.broadcast_tensors([inputs[0], self.weight])\n"
     "  return [torch.as_strided(a, [2, 3], [1, 1], 0), b]\n",
     "a copy of a tensor"},
    {"place_of_what_dropout_left_as_it_is",
     "  y = torch.dropout(inputs[0], 0.5, False)\n  return [inputs[0] * float(y.storage_offset())]\n",
     "a copy of a tensor"},
    {"overlapping_rows_of_an_input_or_state",
     "  y = inputs[0]\n  if y.size(0) > 2:\n    y = self.weight\n  return [torch.as_strided(y, [2, 3], [1, "
     "1])]\n",
     "a copy of a tensor"},
    {"in_place_on_a_cast_that_changed_nothing", "  return [inputs[0].type_as(self.weight[0]).add_(1)]\n",
     kInputs},
    {"in_place_on_a_product_of_two",
     "  x = inputs[0]\n  return [torch.einsum(\"ij,kj->ik\", [x, x]).add_(1)]\n", ""},
    {"in_place_on_a_turned_input", "  return [torch.einsum(\"ij->ji\", [inputs[0]]).add_(1)]\n", kInputs},
    {"overlapping_rows_of_its_own",
     "  y = inputs[0] * 2.0\n  return [torch.as_strided(y.view([-1]), [2, 3], [1, 1]) + 1.0]\n", ""},
    {"prints", "  print(inputs[0].size(0))\n  return [inputs[0]]\n", "it prints"},
    {"asserts", "  assert inputs[0].size(0) > 1, \"few\"\n  return [inputs[0]]\n", ""},
};

struct GraphRunnerFacts : testing::TestWithParam<Case> {};

TEST_P(GraphRunnerFacts, say_what_forbids_a_capture) {
  const Runner runner(moduleOf(GetParam().body));
  const std::string reason = runner.state()["neverCaptured"];
  const std::string expected = GetParam().reason;
  if (expected.empty()) {
    EXPECT_EQ(reason, "");
  } else {
    EXPECT_NE(reason.find(expected), std::string::npos) << '"' << reason << '"';
  }
}

INSTANTIATE_TEST_SUITE_P(Modules, GraphRunnerFacts, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kadvise::test
