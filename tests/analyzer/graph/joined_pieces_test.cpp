// Concatenations of what generated kernels make, and generated kernels that read concatenations.
#include "analyzer/graph/joined_pieces.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/program_texts.h"
#include "tests/analyzer/graph/laid_out.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

using Buffers = std::vector<std::pair<std::string, at::Tensor>>;

const c10::Symbol kJoined = c10::Symbol::fromQualString("kadvise::joined_row_programs");

std::size_t count(torch::jit::Graph& graph, c10::Symbol kind) {
  return nodesWhere(graph.block(), [&](torch::jit::Node* n) { return n->kind() == kind; }).size();
}

void number(torch::jit::Graph& graph) {
  int id = 0;
  forEachNode(graph.block(), [&](torch::jit::Node* n) { setNodeId(n, id++); });
}

// Generated kernels first, then their concatenations, as in the rounds of a run.
struct Joined {
  torch::jit::Module module;
  int rewritten = 0;
  std::string reasons;
};

Joined joined(const std::string& forward, const std::vector<at::Tensor>& inputs,
              const Buffers& buffers = {}) {
  test::loadKernels();
  Joined out;
  out.module = test::moduleOf(forward, buffers);
  test::rewritePasses(out.module, inputs);
  number(*test::graphOf(out.module));
  auto passes = test::rewritePasses(out.module, inputs, findJoinedPieces);
  torch::jit::EliminateDeadCode(test::graphOf(out.module));
  out.rewritten = passes.rewritten;
  out.reasons = passes.reasons;
  return out;
}

void expectSame(const torch::jit::Module& ours, const torch::jit::Module& original,
                const std::vector<at::Tensor>& inputs) {
  torch::jit::Stack stack(inputs.begin(), inputs.end());
  std::vector<at::Tensor> want, have;
  test::flatten(torch::jit::Module(original).forward(stack), want);
  test::flatten(torch::jit::Module(ours).forward(stack), have);
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(at::allclose(have[i], want[i], 1e-4, 1e-5));
    EXPECT_EQ(have[i].strides(), want[i].strides());
  }
}

const char* kDense = R"(def forward(self, x, w, v):
  a = torch.leaky_relu(torch.conv2d(x, w, self.b, [1], [1]) * 2, 0.2)
  c = torch.cat([x, a], 1)
  d = torch.leaky_relu(torch.conv2d(c, v, self.b, [1], [1]) * 2, 0.2)
  e = torch.cat([x, a, d], 1)
  return c.sum(), e)";

// A layer's features go into all later concatenations, each of which computes them again.
TEST(JoinedPieces, OfSeveralConcatenationsAreComputedInEach) {
  std::vector<at::Tensor> inputs = {torch::randn({2, 8, 5, 5}), torch::randn({4, 8, 3, 3}),
                                    torch::randn({4, 12, 3, 3})};
  const Buffers buffers = {{"b", torch::randn({4})}};
  auto j = joined(kDense, inputs, buffers);
  EXPECT_EQ(j.rewritten, 2) << j.reasons;
  auto graph = test::graphOf(j.module);
  EXPECT_EQ(count(*graph, kJoined), 2u);
  EXPECT_EQ(count(*graph, torch::jit::aten::cat), 0u);
  EXPECT_EQ(graph->toString(false).find("kadvise::row_program("), std::string::npos);
  expectSame(j.module, test::moduleOf(kDense, buffers), inputs);
  for (auto& t : inputs) t = t.contiguous(at::MemoryFormat::ChannelsLast);
  expectSame(j.module, test::moduleOf(kDense, buffers), inputs);
}

const char* kNormed = R"(def forward(self, x, y):
  c = torch.cat([x, y, x], 1)
  n = torch.batch_norm(c, self.w, self.b, self.m, self.v, False, 0.1, 1e-5, True)
  return torch.relu(n) * 2)";

// Of what belongs to channels each piece meets its own; how many those are is for the call to say.
TEST(JoinedPieces, AreReadByTheKernelBehindThem) {
  std::vector<at::Tensor> inputs = {torch::randn({2, 8, 5, 5}), torch::randn({2, 4, 5, 5})};
  const Buffers buffers = {{"w", torch::rand({20})},
                           {"b", torch::randn({20})},
                           {"m", torch::randn({20})},
                           {"v", torch::rand({20})}};
  auto j = joined(kNormed, inputs, buffers);
  EXPECT_EQ(j.rewritten, 1) << j.reasons;
  auto graph = test::graphOf(j.module);
  EXPECT_EQ(count(*graph, kJoined), 1u);
  EXPECT_EQ(graph->toString(false).find("kadvise::row_program("), std::string::npos);
  expectSame(j.module, test::moduleOf(kNormed, buffers), inputs);
  expectSame(j.module, test::moduleOf(kNormed, buffers),
             {torch::randn({1, 6, 3, 7}), torch::randn({1, 8, 3, 7})});
}

// A wrong number of channels is the error that it was.
TEST(JoinedPieces, ThatDoNotFitTheirReaderAreAnError) {
  const Buffers buffers = {{"w", torch::rand({20})},
                           {"b", torch::randn({20})},
                           {"m", torch::randn({20})},
                           {"v", torch::rand({20})}};
  auto j = joined(kNormed, {torch::randn({2, 8, 5, 5}), torch::randn({2, 4, 5, 5})}, buffers);
  ASSERT_EQ(j.rewritten, 1) << j.reasons;
  for (auto channels : {1, 3, 6})
    EXPECT_ANY_THROW(j.module.forward({torch::randn({2, 8, 5, 5}), torch::randn({2, channels, 5, 5})}))
        << channels;
}

// Which of them are broadcast is another thing in the next call.
TEST(JoinedPieces, AreNotReadBesideWhatMayHaveOtherSizes) {
  for (const char* body : {"return torch.relu(torch.cat([x, y], 1) * z + 1) * 2",
                           "return torch.relu(z * 2 + torch.cat([x, y], 1)) * 2"}) {
    const std::string forward = std::string("def forward(self, x, y, z):\n  ") + body;
    std::vector<at::Tensor> inputs = {torch::randn({3, 4, 6}), torch::randn({3, 5, 6}),
                                      torch::randn({3, 1, 6})};
    auto j = joined(forward, inputs);
    EXPECT_EQ(count(*test::graphOf(j.module), kJoined), 0u) << body;
    expectSame(j.module, test::moduleOf(forward),
               {torch::randn({3, 1, 6}), torch::randn({3, 1, 6}), torch::randn({3, 2, 6})});
  }
}

TEST(JoinedPieces, OfOtherSizesMeetTheirParts) {
  const char* forward =
      "def forward(self, x, y, z):\n  c = torch.cat([torch.relu(y * self.s + z) * 2, x], 1)\n"
      "  return torch.relu(c * self.w + 1) * 2";
  const Buffers buffers = {{"w", torch::rand({12, 1})}, {"s", torch::rand({1, 1})}};
  auto j = joined(forward, {torch::randn({2, 4, 5}), torch::randn({2, 8, 5}), torch::randn({5})}, buffers);
  EXPECT_EQ(j.rewritten, 1) << j.reasons;
  for (auto first : {0, 1, 5, 12})
    expectSame(j.module, test::moduleOf(forward, buffers),
               {torch::randn({2, 12 - first, 5}), torch::randn({2, first, 5}), torch::randn({5})});
}

TEST(JoinedPieces, AreRoundedAsTheKernelInFrontStoresThem) {
  const char* forward =
      "def forward(self, x, y):\n  c = torch.cat([x, torch.relu(y * 0.3)], -1)\n"
      "  return (c > 0.5).to(c.dtype) * c";
  std::vector<at::Tensor> inputs = {torch::randn({64, 32}, at::kBFloat16),
                                    torch::randn({64, 32}, at::kBFloat16)};
  auto j = joined(forward, inputs);
  EXPECT_EQ(j.rewritten, 1) << j.reasons;
  expectSame(j.module, test::moduleOf(forward), inputs);
}

TEST(JoinedPieces, AreLeftWhereSomethingElseIsMeant) {
  std::vector<at::Tensor> inputs = {torch::randn({2, 8, 5, 5}), torch::randn({2, 8, 5, 5})};
  for (const char* body :
       {"a = torch.tanh(y * 2)\n  return torch.cat([x, a], 1), torch.conv2d(a, x)",  // read elsewhere
        "return torch.cat([x, torch.softmax(y * 2, -1)], 1)",                        // reduced
        "return torch.cat([x, (torch.tanh(y * 2)).double()], 1)",                    // promoted
        "return torch.cat([x, y], 1)",                                               // nobody makes them
        "c = torch.cat([x, y], 1)\n  return c, torch.tanh(c * 2)",                   // read twice
        "c = torch.cat([x, y], 0)\n  return torch.softmax(c * 2, 0)"}) {             // read as rows
    auto j = joined(std::string("def forward(self, x, y):\n  ") + body, inputs);
    EXPECT_EQ(count(*test::graphOf(j.module), kJoined), 0u) << body;
    expectSame(j.module, test::moduleOf(std::string("def forward(self, x, y):\n  ") + body), inputs);
  }
}

TEST(ProgramTexts, OfWhatIsNoSingleResultOfElementsAreNotRead) {
  EXPECT_TRUE(readSimpleProgram("row_program 1\nrank 2\nx = in float32\ny = exp x\nout y float32\n"));
  for (const char* text :
       {"row_program 1\nrank 2\nreduce 1\nx = in float32\ny = sum x\nout y float32 drop\n",
        "row_program 1\nrank 2\nt = in float32 table\nx = in int64\ny = take t x\nout y float32\n",
        "row_program 1\nrank 2\nx = in float32\nout x float32\nout x float32\n", ""})
    EXPECT_FALSE(readSimpleProgram(text)) << text;
}

TEST(ProgramTexts, KeepWhatTheyReduceOver) {
  const std::string sums =
      "row_program 1\nrank 3\nreduce 1 2\nx = in float32\ny = sum x\nz = div x y\nout z float32\n";
  auto b = readSimpleProgram(sums);
  ASSERT_TRUE(b);
  EXPECT_EQ(textOf(*b), sums);
  auto a = readSimpleProgram("row_program 1\nrank 3\nw = in float32\nx = exp w\nout x float32\n");
  EXPECT_EQ(textOf(composed(*a, *b, 0)),
            "row_program 1\nrank 3\nreduce 1 2\naw = in float32\nax = exp aw\nby = sum ax\nbz = div ax "
            "by\nout bz float32\n");
}

// The name of an operator may be that of a value.
TEST(ProgramTexts, AreComposedUnderNamesOfTheirOwn) {
  auto a = readSimpleProgram("row_program 1\nrank 1\nexp = in bfloat16\nx = exp exp\nout x bfloat16\n");
  auto b = readSimpleProgram(
      "row_program 1\nrank 2\nw = in float32\nx = in bfloat16\ny = mul w x\nout y float32 contiguous\n");
  EXPECT_EQ(textOf(composed(*a, *b, 1)),
            "row_program 1\nrank 2\naexp = in bfloat16\nbw = in float32\nax = exp aexp\nbetween = cast "
            "bfloat16 ax\n"
            "by = mul bw between\nout by float32 contiguous\n");
}

// To jit::AliasDb what a list holds may be what the program gives out.
TEST(FoldForPrograms, OfARegionCopiesNoParameterThatOnlyAProgramReads) {
  std::vector<at::Tensor> inputs = {torch::randn({2, 20, 5, 5})};
  auto m = test::moduleOf(
      "def forward(self, x):\n  n = torch.batch_norm(x, self.w, self.b, self.m, self.v, False, 0.1, 1e-5, "
      "True)\n"
      "  return torch.relu(n) * 2",
      {{"w", torch::rand({20})},
       {"b", torch::randn({20})},
       {"m", torch::randn({20})},
       {"v", torch::rand({20})}});
  test::loadKernels();
  ASSERT_EQ(test::rewritePasses(m, inputs).rewritten, 1);
  EXPECT_EQ(foldWeights(m, HandedTo::Comparison), 4);
  EXPECT_EQ(count(*test::graphOf(m), torch::jit::aten::clone), 0u);
}

}  // namespace
}  // namespace kadvise::graph
