// Generated kernels one behind the other.
#include "analyzer/graph/joined_programs.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/region.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

const std::string kScaled =
    R"(p = "row_program 1\nrank 4\na = in float32\nb = in float32\nc = mul a b\nout c float32\n")";
const std::string kSquare = R"(q = "row_program 1\nrank 4\na = in float32\nb = mul a a\nout b float32\n")";
const std::string kDifference =
    R"(q = "row_program 1\nrank 4\na = in float32\nb = in float32\nc = sub a b\nout c float32\n")";

std::string body(const std::string& program, const std::string& rest) {
  return "def forward(self, x, y):\n  " + kScaled + "\n  " + program +
         "\n  a = ops.kadvise.row_program(p, [x, y])[0]\n  " + rest;
}

using Inputs = std::vector<at::Tensor>;

// How many it joins; the results are equal then, for further inputs, too.
int joinedIn(const std::string& forward, const Inputs& inputs, const std::vector<Inputs>& further = {}) {
  test::loadKernels();
  auto m = test::moduleOf(forward);
  auto calls = further;
  calls.push_back(inputs);
  std::vector<Inputs> all;
  for (auto& call : calls) all.push_back(test::resultsOf(m, call));
  auto passes = test::rewritePasses(m, inputs, findJoinedPrograms);
  torch::jit::EliminateDeadCode(test::graphOf(m));
  for (std::size_t c = 0; c < calls.size(); ++c) {
    auto have = test::resultsOf(m, calls[c]);
    auto& want = all[c];
    EXPECT_EQ(have.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(at::allclose(have[i], want[i], 1e-6, 1e-7)) << forward;
      EXPECT_EQ(have[i].strides(), want[i].strides()) << forward;
    }
  }
  EXPECT_EQ(passes.rewritten, passes.found) << passes.reasons;
  return passes.rewritten;
}

std::vector<at::Tensor> images() { return {torch::randn({2, 6, 8, 5}), torch::randn({8, 1})}; }

TEST(JoinedPrograms, AResultIsWrittenInTheOrderOfItsCopy) {
  EXPECT_EQ(
      joinedIn(body(kSquare, "return ops.kadvise.contiguous(torch.permute(a, [0, 2, 3, 1]))"), images()), 1);
  EXPECT_EQ(
      joinedIn(body(kSquare,
                    "return ops.kadvise.contiguous(torch.transpose(torch.permute(a, [0, -2, 3, 1]), -1, 0))"),
               images()),
      1);
}

TEST(JoinedPrograms, AreOneWithTheReadersOtherInputs) {
  auto inputs = images();
  EXPECT_EQ(joinedIn(body(kDifference, "return ops.kadvise.row_program(q, [a, x])[0]"), inputs), 1);
  EXPECT_EQ(
      joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [torch.transpose(a, 1, 2)])[0]"), inputs), 1);
}

// As an einsum asks whose operands are copied.
const std::string kAsking =
    "z = a.size(1)\n  assert z == x.size(1)\n  c = ops.kadvise.contiguous(torch.permute(a, [0, 2, 3, 1]))\n  "
    "return "
    "c.view([2, 8, 5, z])";

TEST(JoinedPrograms, AreOneWhereOthersAskForTheSizesBetween) {
  auto inputs = images();
  EXPECT_EQ(joinedIn(body(kSquare, kAsking), inputs), 1);
  EXPECT_EQ(joinedIn(body(kDifference, "z = a.size(1)\n  return ops.kadvise.row_program(q, [a, x * z])[0]"),
                     inputs),
            0);
}

const std::string kShare =
    R"(q = "row_program 1\nrank 4\nreduce 2 3\na = in float32\nb = sum a\nc = div a b\nout c float32\n")";

TEST(JoinedPrograms, AreOneWithAReaderThatReduces) {
  auto inputs = images();
  EXPECT_EQ(joinedIn(body(kShare, "return ops.kadvise.row_program(q, [a])[0]"), inputs), 1);
  EXPECT_EQ(
      joinedIn(body(kShare, "return ops.kadvise.row_program(q, [torch.transpose(a, 1, 2)])[0]"), inputs),
      0);  // the result lies as what is turned
  const std::string rows =
      R"(q = "row_program 1\nrank 4\nreduce 3\na = in float32\nb = sum a\nout b float32\n")";
  EXPECT_EQ(joinedIn(body(rows, "return ops.kadvise.row_program(q, [a])[0]"), inputs), 0);
  inputs[0] =
      inputs[0].contiguous(at::MemoryFormat::ChannelsLast);  // the result would be told to lie otherwise
  EXPECT_EQ(joinedIn(body(kShare, "return ops.kadvise.row_program(q, [a])[0]"), inputs), 0);
}

const std::string kGroups =
    R"(q = "row_program 1\nrank 5\nreduce 2 3 4\na = in float32\ng = in float32\nb = sum a\nc = div a b\nd = mul c g\nout d float32 contiguous\n")";

TEST(JoinedPrograms, AreOneWithAReaderOfGroups) {
  const std::string call =
      "ops.kadvise.row_program(q, [torch.unflatten(a, 1, [2, 3]), y.view([8, 1])])[0].flatten(1, 2)";
  auto inputs = images();
  EXPECT_EQ(joinedIn(body(kGroups, "return " + call), inputs), 1);
  const std::string asked = "z = a.size(1)\n  assert z == 6\n  ";
  EXPECT_EQ(joinedIn(body(kGroups, asked + "return " + call), inputs), 0);  // y may have other sizes
  EXPECT_EQ(
      joinedIn(body(kGroups, asked + "g = torch.ones([2, 3, 1, 1])\n  return ops.kadvise.row_program(q, "
                                     "[torch.unflatten(a, 1, [2, 3]), g])[0].flatten(1, 2)"),
               inputs),
      1);
  EXPECT_EQ(
      joinedIn(body(kGroups, "return ops.kadvise.row_program(q, [torch.unflatten(a, 1, [2, -1]), y])[0]"),
               inputs),
      0);
  inputs[1] = torch::randn({6, 8, 1});
  EXPECT_EQ(
      joinedIn(
          body(
              kGroups,
              "g = y[:1, :, :]\n  return ops.kadvise.row_program(q, [torch.unflatten(a, -3, [3, 2]), g])[0]"),
          inputs),
      1);
  EXPECT_EQ(joinedIn(body(kGroups,
                          "g = torch.ones([a.size(3)])\n  return ops.kadvise.row_program(q, "
                          "[torch.unflatten(a, 1, [3, 2]), g])[0]"),
                     inputs),
            0);
  EXPECT_EQ(joinedIn(body(kGroups,
                          "return ops.kadvise.row_program(q, [torch.unflatten(a, 2, [4, 2]), y[:1, :1]])[0]"),
                     inputs),
            1);
}

// What an input that is broadcast today may come to have is no answer for the sizes of the first result.
TEST(JoinedPrograms, AreTwoWhereOthersAskForWhatTheReaderCouldMakeLarger) {
  auto inputs = images();
  const std::string sum = "return ops.kadvise.row_program(q, [a, x])[0], a.size(0)";
  EXPECT_EQ(joinedIn(body(kDifference, sum), inputs), 0);
  EXPECT_EQ(joinedIn(body(kDifference,
                          "w = torch.ones([5])\n  return ops.kadvise.row_program(q, [a, w])[0], a.size(3)"),
                     inputs),
            0);
  EXPECT_EQ(
      joinedIn(body(kDifference,
                    "w = torch.ones([1, 1])\n  return ops.kadvise.row_program(q, [a, w])[0], a.size(3)"),
               inputs),
      1);
  const std::string half = R"(q = "row_program 1\nrank 4\na = in float32\nb = mul a a\nout b float16\n")";
  EXPECT_EQ(joinedIn(body(half, "return ops.kadvise.row_program(q, [a])[0], a.dtype == 6"), inputs), 0);
}

// The two results of the region would be one memory.
TEST(JoinedPrograms, AreComparedByWhatOthersRead) {
  test::loadKernels();
  auto m = test::moduleOf(body(kSquare, kAsking));
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, images());
  auto aliases = aliasesOf(graph, &m);
  Target target{"cuda", 90};
  auto found = findJoinedPrograms(RulePage(), {*graph, &m, traced, target, *aliases}).findings;
  ASSERT_EQ(found.size(), 1u);
  auto& made = *found[0].rewrite;
  NearMiss near;
  auto match = matchAt(*made.pattern, made.roots, traced, near);
  ASSERT_TRUE(match);
  auto pair = cutRegion(*made.pattern, *made.replacement, *match, made.makers, m);
  EXPECT_EQ(pair.after.get_method("forward").graph()->outputs()[0]->type()->kind(),
            c10::TypeKind::TensorType);
}

// Behind another input the reader would lie as that does, and the two together as this one.
TEST(JoinedPrograms, LeaveAloneALayoutThatWouldBeAnother) {
  auto inputs = images();
  inputs[0] = inputs[0].contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(joinedIn(body(kDifference, "return ops.kadvise.row_program(q, [x, a])[0]"), inputs), 0);
  EXPECT_EQ(
      joinedIn(
          "def forward(self, x, y):\n  " + kSquare +
              "\n  a = ops.kadvise.contiguous(x)\n  return ops.kadvise.row_program(q, [torch.transpose(a, 1, "
              "3)])[0]",
          inputs),
      0);
}

// What is made of broadcast inputs alone lies in the order of its dimensions, whatever is joined with it.
TEST(JoinedPrograms, AnOuterProductLiesAsBefore) {
  const std::vector<at::Tensor> outer = {torch::randn({2, 6, 8, 1}), torch::randn({5})};
  const std::string turned = "torch.transpose(a, 1, 3)";
  EXPECT_EQ(joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [" + turned + "])[0]"), outer), 0);
  EXPECT_EQ(joinedIn(body(kSquare, "return ops.kadvise.contiguous(" + turned + ")"), outer), 1);
  EXPECT_EQ(joinedIn(body("z = torch.ones([2, 5, 8, 6]).transpose(1, 3)\n  " + kDifference,
                          "return ops.kadvise.row_program(q, [a, z])[0]"),
                     outer),
            1);
  std::vector<at::Tensor> expanded = {torch::randn({2, 6, 8, 1}).expand({2, 6, 8, 5}), torch::randn({5})};
  EXPECT_EQ(joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [" + turned + "])[0]"), expanded), 0);
}

// Turned, it has the rank of the result, and would come before the input that the result lies as.
TEST(JoinedPrograms, AnInputOfLowerRankDecidesNoOrder) {
  std::vector<at::Tensor> inputs = {torch::randn({6, 5, 8}).transpose(1, 2), torch::randn({1, 6, 8, 5})};
  EXPECT_EQ(
      joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [torch.transpose(a, 1, 3)])[0]"), inputs), 0);
  EXPECT_EQ(joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [a])[0]"), inputs), 1);
}

std::string ofDtype(std::string text, const std::string& dtype) {
  for (auto at = text.find("float32"); at != std::string::npos; at = text.find("float32", at + dtype.size()))
    text.replace(at, 7, dtype);
  return text;
}

std::string bodyOfRows(const std::string& program, const std::string& rest) {
  return "def forward(self, x, y):\n  p = \"row_program 1\\nrank 4\\nreduce 1 3\\na = in float32\\nb = sum "
         "a\\nc = sub a b\\nout c float32\\n\"\n  " +
         program + "\n  a = ops.kadvise.row_program(p, [x])[0]\n  " + rest;
}

TEST(JoinedPrograms, AreOneBehindRowsThatAreReduced) {
  auto inputs = images();
  const std::string call = "return ops.kadvise.row_program(q, [a])[0]";
  EXPECT_EQ(joinedIn(bodyOfRows(kSquare, call), inputs), 1);
  EXPECT_EQ(joinedIn(bodyOfRows(kSquare, call + ", a"), inputs), 0);
  EXPECT_EQ(joinedIn(bodyOfRows(kSquare, "a = a.transpose(1, 2)\n  " + call), inputs), 0);
  EXPECT_EQ(joinedIn(bodyOfRows(kShare, call), inputs), 0);
  for (auto& x : inputs) x = x.to(at::kBFloat16);
  EXPECT_EQ(joinedIn(ofDtype(bodyOfRows(kSquare, call), "bfloat16"), inputs), 1);
}

// The sums stay those of the rows, whatever the reader broadcasts them to in another call.
TEST(JoinedPrograms, BehindReducedRowsReadOthersOfAnySize) {
  auto call = [](std::vector<std::int64_t> x, std::vector<std::int64_t> y) {
    return Inputs{torch::randn(x), torch::randn(y)};
  };
  const std::vector<Inputs> further = {call({2, 6, 8, 1}, {8, 5}), call({2, 1, 8, 5}, {6, 1, 1}),
                                       call({3, 6, 2, 4}, {4}), call({0, 6, 2, 4}, {2, 1})};
  const std::string body = bodyOfRows(kDifference, "return ops.kadvise.row_program(q, [a, y])[0]");
  for (auto& y :
       {torch::randn({8, 1}), torch::randn({5}), torch::randn({6, 1, 1}), torch::randn({2, 6, 8, 5})})
    EXPECT_EQ(joinedIn(body, {torch::randn({2, 6, 8, 5}), y}, further), 1);
}

TEST(JoinedPrograms, LeaveAloneWhatOthersReadOrTheReaderBroadcasts) {
  auto inputs = images();
  EXPECT_EQ(joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [a])[0], a"), inputs), 0);
  EXPECT_EQ(joinedIn(body(kSquare, "return ops.kadvise.row_program(q, [a[:, :1]])[0]"), inputs), 0);
  EXPECT_EQ(joinedIn(body(kDifference, "return ops.kadvise.row_program(q, [a[:, :1], x])[0]"), inputs), 0);
  std::vector<at::Tensor> small = {torch::randn({1, 1, 8, 1}), torch::randn({8, 1})};
  EXPECT_EQ(joinedIn(body("z = torch.ones([2, 6, 8, 5])\n  " + kDifference,
                          "return ops.kadvise.row_program(q, [a, z])[0]"),
                     small),
            0);
}

}  // namespace
}  // namespace kadvise::graph
