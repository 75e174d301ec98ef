#include "analyzer/graph/unpacked_pieces.h"

#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;

struct Unpacks {
  const char* name;
  const char* body;                        // of x [4, 16]; the parameter w is [16, 16]
  std::vector<std::int64_t> fits, others;  // the shapes of other calls; others: {} where none is refused
  bool checked;
};
void PrintTo(const Unpacks& u, std::ostream* out) { *out << u.name; }

class UnpackedPieces : public testing::TestWithParam<Unpacks> {};

// As it was loaded, in normal form, with the checks.
Subject checkedSubject(const char* body) {
  kadvise::test::TemporaryFolder folder;
  auto file = (folder.path / "m.pt").string();
  torch::jit::Module m("__torch__.Unpacks");
  m.register_parameter("w", torch::randn({16, 16}), false);
  m.define(std::string("def forward(self, x):\n  ") + body + "\n");
  m.save(file);
  auto subject = loadSubject(file);
  Known known;
  auto graph = subject.graph();
  known[graph->inputs()[1]] = meta({4, 16});
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::prim::GetAttr) known[n->output()] = meta({16, 16});
  });
  checkUnpackedPieces(subject, shadowRun(*graph, std::move(known)));
  return subject;
}

TEST_P(UnpackedPieces, AsManyAsThereAreNames) {
  auto& p = GetParam();
  auto subject = checkedSubject(p.body);
  bool checked = subject.graph()->toString().find("kadvise specialised this module") != std::string::npos;
  EXPECT_EQ(checked, p.checked) << *subject.graph();
  auto x = torch::randn(p.fits);
  EXPECT_TRUE(torch::equal(subject.original.forward({x}).toTensor(), subject.module.forward({x}).toTensor()));
  if (p.others.empty()) return;
  EXPECT_THROW(subject.original.forward({torch::randn(p.others)}), std::exception);
  EXPECT_THROW(subject.module.forward({torch::randn(p.others)}), std::exception);
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, UnpackedPieces,
    testing::Values(
        Unpacks{"split", "a, b = x.split(8, 1)\n  return a * b", {3, 16}, {4, 24}, true},
        Unpacks{"split_behind_others",
                "a, b = torch.relu(x * 2).split(8, 1)\n  return a * b",
                {3, 16},
                {4, 24},
                true},
        Unpacks{"split_of_which_one_is_read", "a, b = x.split(8, 1)\n  return a * 2", {3, 16}, {4, 8}, true},
        Unpacks{
            "split_with_a_shorter_end", "a, b = x.split(9, 1)\n  return a.sum() * b", {3, 16}, {4, 19}, true},
        Unpacks{"unbind", "a, b, c, d = x.unbind(0)\n  return a * b + c * d", {4, 3}, {5, 3}, true},
        Unpacks{"chunk", "a, b = x.chunk(2, 1)\n  return a * b", {3, 6}, {3, 1}, false},
        Unpacks{"split_with_sizes", "a, b = x.split([8, 8], 1)\n  return a * b", {3, 16}, {3, 24}, false},
        Unpacks{"of_a_linear_layer",
                "a, b = torch.linear(x, self.w).split(8, 1)\n  return a * b",
                {3, 16},
                {},
                false},
        Unpacks{"of_a_fixed_shape",
                "a, b = x.reshape([-1, 2, 8]).unbind(1)\n  return a * b",
                {6, 16},
                {},
                false}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kadvise::graph
