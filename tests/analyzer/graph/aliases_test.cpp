#include "analyzer/graph/aliases.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// Whether the argument of aten::sigmoid is written to anywhere.
bool isWritten(const std::string& body) {
  torch::jit::Module m("__torch__.Test");
  m.register_buffer("state", at::zeros({4}));
  m.register_buffer("other", at::ones({4}));
  m.register_buffer("same", m.attr("state").toTensor().slice(0, 1));
  m.define("def forward(self, x, y, flag: bool):\n  " + body + "\n");
  auto graph = test::graphOf(m);
  auto aliases = aliasesOf(graph, &m);
  std::optional<bool> written;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::sigmoid) written = aliases->hasWriters(n->input());
  });
  return written.value();
}

struct Case {
  const char* name;
  const char* body;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
constexpr auto byName = [](const auto& info) { return std::string(info.param.name); };

class NotWritten : public testing::TestWithParam<Case> {};
TEST_P(NotWritten, EvenThoughSomethingElseIs) { EXPECT_FALSE(isWritten(GetParam().body)); }
INSTANTIATE_TEST_SUITE_P(
    Aliases, NotWritten,
    testing::Values(
        Case{"another_allocation_out_of_a_list",
             "a = x * 2\n  b = y * 2\n  l = [a, b]\n  l[0].mul_(2) if False else l[0]\n  c = y * 3\n  "
             "c.mul_(2)\n  return torch.sigmoid(a), l, c"},
        Case{"a_value_from_a_list_and_a_local_write",
             "l = [x, y]\n  z = torch.zeros_like(x)\n  z[0] = 1\n  return torch.sigmoid(l[0]), z.sum()"},
        Case{
            "an_index_tensor_that_is_filled",
            "l = [x, y]\n  i = torch.empty_like(x)\n  i.copy_(y)\n  return torch.sigmoid(l[0]), x[i.long()]"},
        Case{"a_parameter_beside_an_append",
             "l = [x]\n  l.append(y)\n  z = x + 1\n  z.add_(1)\n  l.append(z)\n  return "
             "torch.sigmoid(self.state), l"},
        Case{"a_buffer_beside_one_that_counts", "self.other.add_(1)\n  return torch.sigmoid(self.state)"},
        Case{"an_argument_beside_a_chunk_of_a_product",
             "p, q = torch.chunk(x * 2, 2)\n  p.add_(q)\n  return torch.sigmoid(y), p"},
        Case{"what_a_loop_carries_beside_a_chunk_of_a_product",
             "h = x\n  for i in range(3):\n    p, q = torch.chunk(h * 2, 2)\n    p.sigmoid_()\n    h = p + "
             "q\n  "
             "return torch.sigmoid(h)"},
        Case{"an_element_whose_list_grows", "l = [x]\n  l.append(y)\n  return torch.sigmoid(l[0]), l"}),
    byName);

class Written : public testing::TestWithParam<Case> {};
TEST_P(Written, ByAWayThatIsEasilyOverlooked) { EXPECT_TRUE(isWritten(GetParam().body)); }
INSTANTIATE_TEST_SUITE_P(
    Aliases, Written,
    testing::Values(
        Case{"itself", "a = x * 2\n  a.mul_(2)\n  return torch.sigmoid(a)"},
        Case{"a_buffer_by_another_name", "self.same.add_(1)\n  return torch.sigmoid(self.state)"},
        Case{"a_buffer_that_is_assigned",
             "self.other = self.state\n  self.other.add_(1)\n  return torch.sigmoid(self.state)"},
        Case{"through_a_view", "a = x * 2\n  a.view(-1)[1:].mul_(2)\n  return torch.sigmoid(a)"},
        Case{"its_base", "a = x * 2\n  b = a[0]\n  a.mul_(2)\n  return torch.sigmoid(b), a"},
        Case{"out_of_a_list", "a = x * 2\n  l = [a, y * 2]\n  l[0].mul_(2)\n  return torch.sigmoid(a)"},
        Case{"into_a_list_and_read_there",
             "a = x * 2\n  l = [a, y]\n  a.mul_(2)\n  return torch.sigmoid(l[0])"},
        Case{"dropout_hands_on_its_input",
             "a = x * 2\n  b = torch.dropout(a, 0.5, False)\n  a.mul_(2)\n  return torch.sigmoid(b), a"},
        Case{"type_as_hands_on_its_input",
             "a = x * 2\n  b = a.type_as(y)\n  b.mul_(2)\n  return torch.sigmoid(a), b"},
        Case{"a_reshape_that_may_be_a_view", "a = x * 2\n  a.reshape(-1).mul_(2)\n  return torch.sigmoid(a)"},
        Case{"a_cast_that_may_do_nothing", "a = x * 2\n  a.to(6).mul_(2)\n  return torch.sigmoid(a)"},
        Case{"einsum_may_hand_on_an_operand",
             "a = x * 2\n  b = torch.einsum('ij->ji', [a])\n  a.mul_(2)\n  return torch.sigmoid(b), a"},
        Case{"one_branch_of_an_if",
             "a = x * 2\n  b = y * 2\n  if flag:\n    c = a\n  else:\n    c = b\n  c.mul_(2)\n  return "
             "torch.sigmoid(a)"},
        Case{"carried_by_a_loop",
             "a = x * 2\n  b = y\n  for i in range(3):\n    b.mul_(2)\n    b = a\n  return torch.sigmoid(a)"},
        Case{"two_arguments_may_be_one", "y.mul_(2)\n  return torch.sigmoid(x)"},
        Case{"an_attribute_that_is_assigned",
             "a = x * 2\n  self.state = a\n  b = self.state\n  b.mul_(2)\n  return torch.sigmoid(a), b"},
        Case{"statistics_of_a_norm_in_training",
             "z = torch.batch_norm(x, None, None, self.state, self.other, True, 0.1, 1e-5, False)\n  return "
             "torch.sigmoid(self.state), z"},
        Case{"a_chunk_out_of_a_list_that_was_changed",
             "a = x * 2\n  l = list(torch.chunk(y * 2, 2))\n  l[0] = a\n  l[0].mul_(2)\n  return "
             "torch.sigmoid(a)"},
        Case{"the_whole_of_a_piece",
             "a = x * 2\n  p, q = torch.chunk(a, 2)\n  p.mul_(2)\n  return torch.sigmoid(a), q"},
        Case{"chunks", "a = x * 2\n  p, q = torch.chunk(a, 2)\n  p.mul_(2)\n  return torch.sigmoid(q)"}),
    byName);

// Whether the list that chunk makes is written to, beside an index that was changed in place.
bool areWrittenPieces(const std::string& write) {
  torch::jit::Module m("__torch__.Test");
  m.define("def forward(self, x, y):\n  h = x * 2\n  p = torch.chunk(h, 2)\n  i = torch.argsort(y)\n  " +
           write + "\n  return p[0] * p[1], y[i]\n");
  auto graph = test::graphOf(m);
  auto aliases = aliasesOf(graph);
  std::optional<bool> written;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::chunk) written = aliases->hasWriters(n->output());
  });
  return written.value();
}

TEST(Aliases, AListOfPiecesIsWrittenWhereThePartedTensorIs) {
  EXPECT_FALSE(areWrittenPieces("i.clamp_(0, 3)"));
  EXPECT_TRUE(areWrittenPieces("h.mul_(2)"));
  EXPECT_TRUE(areWrittenPieces("p[0].mul_(2)"));
}

}  // namespace
}  // namespace kadvise::graph
