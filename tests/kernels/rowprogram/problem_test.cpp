// How the tensors of a call lie over the iteration space, by table.
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;

const char* const kAdd = "row_program 1\nrank 4\nx = in float32\ny = in float32\nz = add x y\nout z float32";
const char* const kUnary = "row_program 1\nrank 4\nx = in bfloat16\nz = neg x\nout z bfloat16";
const char* const kSoftmax = R"(row_program 1
rank 4
reduce 3
x = in float32
m = in float32
a = add x m
b = max a
c = sub a b
e = exp c
s = sum e
y = div e s
out y float32)";

std::string sumOver(const std::string& dims, const std::string& rest = "") {
  return "row_program 1\nrank 4\nreduce " + dims + "\nx = in float32\ns = sum x\nout s float32" + rest;
}

Tensor at4(at::IntArrayRef sizes, at::ScalarType dtype = at::kFloat) { return at::zeros(sizes, dtype); }
// No memory at all: sizes that no machine has.
Tensor meta(at::IntArrayRef sizes, at::ScalarType dtype = at::kFloat) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(dtype));
}

std::string text(const Dims& dims) {
  std::string list;
  for (const auto d : dims) list += (list.empty() ? "" : " ") + std::to_string(d);
  return "[" + list + "]";
}

// "outer [sizes] inner [sizes] | in [strides][strides]@alignment … | out …", or the reason why not.
std::string described(const std::string& program, const std::vector<Tensor>& inputs) {
  const auto parsedProgram = parsed(program);
  checkCall(*parsedProgram, inputs);
  const char* whyNot = "?";
  const auto problem = problemOf(*parsedProgram, inputs, emptyOutputs(*parsedProgram, inputs), &whyNot);
  if (!problem) return whyNot;
  std::ostringstream out;
  out << text(problem->outer) << text(problem->inner) << " |";
  for (std::size_t i = 0; i < problem->inputs.size(); ++i) {
    const Access& access = problem->inputs[i];
    out << " " << text(access.outer) << text(access.inner) << "@" << access.alignment;
    if (problem->bounds[i] != 0) out << " of " << problem->bounds[i] << " rows";
  }
  out << " |";
  for (const Access& access : problem->outputs)
    out << " " << text(access.outer) << text(access.inner) << "@" << access.alignment;
  return out.str();
}

struct Case {
  const char* name;
  std::string program;
  std::vector<Tensor> inputs;
  const char* is;
};

std::vector<Case> withoutReductions() {
  const Tensor x = at4({2, 3, 8, 16}), flat = at4({769});
  const Tensor nhwc = at4({2, 3, 8, 16}).contiguous(at::MemoryFormat::ChannelsLast);
  return {
      {"dense", kAdd, {x, x}, "[][768] | [][1]@16 [][1]@16 | [][1]@16"},
      {"channels last", kAdd, {nhwc, nhwc}, "[][768] | [][1]@16 [][1]@16 | [][1]@16"},
      {"mixed orders", kAdd, {x, nhwc}, "[2 3][128] | [384 128][1]@16 [384 1][3]@4 | [384 128][1]@16"},
      {"transposed alike",
       kAdd,
       {x.transpose(1, 3), x.transpose(1, 3)},
       "[][768] | [][1]@16 [][1]@16 | [][1]@16"},
      {"a channel's bias",
       kAdd,
       {x, at4({3, 1, 1})},
       "[2 3][128] | [384 128][1]@16 [0 1][0]@4 | [384 128][1]@16"},
      {"a channel's bias in channels last",
       kAdd,
       {nhwc, at4({3, 1, 1})},
       "[256][3] | [3][1]@4 [0][1]@16 | [3][1]@4"},
      {"a vector", kAdd, {x, at4({16})}, "[48][16] | [16][1]@16 [0][1]@16 | [16][1]@16"},
      {"a number", kAdd, {x, at4({})}, "[][768] | [][1]@16 [][0]@16 | [][1]@16"},
      {"rows and columns", kAdd, {at4({48, 1}), at4({16})}, "[48][16] | [1][0]@4 [0][1]@16 | [16][1]@16"},
      {"size 1",
       kAdd,
       {x.select(0, 0).unsqueeze(0), x.select(0, 1)},
       "[][384] | [][1]@16 [][1]@16 | [][1]@16"},
      {"sliced",
       kAdd,
       {x.slice(3, 0, 12), x.slice(3, 4, 16)},
       "[48][12] | [16][1]@16 [16][1]@16 | [12][1]@16"},
      {"misaligned",
       kAdd,
       {flat.slice(0, 1).view({2, 3, 8, 16}), x},
       "[][768] | [][1]@4 [][1]@16 | [][1]@16"},
      {"misaligned rows",
       kAdd,
       {x.slice(3, 0, 6), x.slice(3, 2, 8)},
       "[48][6] | [16][1]@16 [16][1]@8 | [6][1]@8"},
      {"every second",
       kAdd,
       {x.slice(3, 0, 16, 2), x.slice(3, 0, 16, 2)},
       "[][384] | [][2]@16 [][2]@16 | [][1]@16"},
      {"one element", kAdd, {at4({1, 1}), at4({})}, "[][1] | [][1]@16 [][1]@16 | [][1]@16"},
      {"expanded",
       kAdd,
       {at4({2, 3, 1, 16}).expand({2, 3, 8, 16}), x},
       "[6 8][16] | [16 0][1]@16 [128 16][1]@16 | [128 16][1]@16"},
      {"two bytes", kUnary, {at4({5, 7}, at::kBFloat16).slice(1, 1)}, "[5][6] | [7][1]@2 | [6][1]@4"},
      {"more than 2^31 elements",
       kAdd,
       {meta({1 << 20, 4096}), meta({4096})},
       "[1048576][4096] | [4096][1]@16 [0][1]@16 | [4096][1]@16"},
      {"more than 2^31 in one",
       kAdd,
       {meta({1 << 20, 4096}), meta({1 << 20, 4096})},
       "[][4294967296] | [][1]@16 [][1]@16 | [][1]@16"},
  };
}

std::vector<Case> withReductions() {
  const Tensor x = at4({2, 3, 8, 16});
  const Tensor nhwc = at4({2, 3, 8, 16}).contiguous(at::MemoryFormat::ChannelsLast);
  return {
      {"rows", kSoftmax, {x, x}, "[48][16] | [16][1]@16 [16][1]@16 | [16][1]@16"},
      {"a mask for all heads",
       kSoftmax,
       {x, at4({2, 1, 1, 16})},
       "[2 24][16] | [384 16][1]@16 [16 0][1]@16 | [384 16][1]@16"},
      {"rows of memory that are not",
       kSoftmax,
       {x.transpose(2, 3), x.transpose(2, 3)},
       "[6 16][8] | [128 1][16]@4 [128 1][16]@4 | [128 1][16]@4"},
      {"last", sumOver("3"), {x}, "[48][16] | [16][1]@16 | [1][0]@4"},
      {"last, dropped", sumOver("3", " drop"), {x}, "[48][16] | [16][1]@16 | [1][0]@4"},
      {"all", sumOver("0 1 2 3"), {x}, "[][768] | [][1]@16 | [][0]@16"},
      {"the middle", sumOver("1"), {x}, "[2 128][3] | [384 1][128]@4 | [128 1][0]@4"},
      {"first and last", sumOver("0 3"), {x}, "[24][2 16] | [16][384 1]@16 | [1][0 0]@4"},
      {"an image in channels last", sumOver("2 3"), {nhwc}, "[2 3][128] | [384 1][3]@4 | [3 1][0]@4"},
      {"over size 1", sumOver("3"), {at4({5, 1})}, "[5][1] | [1][1]@4 | [1][1]@4"},
      {"of lower rank", sumOver("3"), {at4({16})}, "[][16] | [][1]@16 | [][0]@16"},
  };
}

TEST(Problem, dimensions_are_dropped_sorted_and_joined) {
  for (const Case& c : withoutReductions()) EXPECT_EQ(described(c.program, c.inputs), c.is) << c.name;
}

TEST(Problem, reduced_dimensions_are_the_inner_ones) {
  for (const Case& c : withReductions()) EXPECT_EQ(described(c.program, c.inputs), c.is) << c.name;
}

TEST(Problem, a_gather_keeps_its_column) {
  const std::string sums = R"(row_program 1
rank 3
t = in float32 table
p = in float32 table
i = in int64
j = in int32
a = take t i
b = take p j
s = add a b
out s float32)";
  const Tensor ids = at::zeros({2, 5, 1}, at::kLong), places = at::zeros({5, 1}, at::kInt);
  EXPECT_EQ(described(sums, {at4({100, 8}), at4({50, 16}).slice(1, 0, 8), ids, places}),
            "[2 5][8] | [][8 1]@16 of 100 rows [][16 1]@16 of 50 rows [5 1][0]@8 [0 1][0]@4 | [40 8][1]@16");
  EXPECT_EQ(described(sums, {at4({100, 1}), at4({50, 1}), ids, places}),
            "[2 5][1] | [][1 1]@4 of 100 rows [][1 1]@4 of 50 rows [5 1][0]@8 [0 1][0]@4 | [5 1][0]@4");
}

TEST(Problem, lists_lie_as_the_index_reads_them) {
  const std::string picks = R"(row_program 1
rank 3
l = in float32 lists
i = in int64
g = pick l i
out g float32)";
  const Tensor lists = at4({2, 6, 4, 8}), places = at::zeros({2, 6, 4}, at::kLong);
  EXPECT_EQ(described(picks, {lists, places}), "[][48] | [][8]@16 of 8 rows [][1]@16 | [][1]@16");
  EXPECT_EQ(described(picks, {lists.slice(2, 0, 1), places}),
            "[12][4] | [32][0]@16 of 8 rows [4][1]@16 | [4][1]@16");
  EXPECT_EQ(described(picks, {lists, places.slice(1, 0, 1)}),
            "[2][4] | [192][8]@16 of 8 rows [24][1]@16 | [4][1]@16");
}

TEST(Problem, what_only_the_interpreter_serves_has_a_reason) {
  const Tensor x = at4({2, 3, 8, 16});
  const std::string twoOutputs =
      "row_program 1\nrank 4\nx = in float32\ny = in float32\nz = add x y\nw = neg y\n"
      "out z float32\nout w float32";
  const std::string gather =
      "row_program 1\nrank 2\nreduce 0\nt = in float32 table\ni = in int64\ng = take t i\n"
      "s = sum g\nout s float32";
  const Case cases[] = {
      {"empty", kAdd, {at4({0, 4}), at4({4})}, "there is nothing to compute"},
      {"empty rows", sumOver("3"), {at4({4, 0})}, "there is nothing to compute"},
      {"float64", kAdd, {x, x.to(at::kDouble)}, "float64 is computed by torch"},
      {"a small output", twoOutputs, {x, at4({16})}, "an output is smaller than the iteration space"},
      {"a reduction of what is broadcast",
       "row_program 1\nrank 2\nreduce 1\nx = in float32\ny = in float32\ns = sum y\nz = add x s\nout z "
       "float32",
       {at4({4, 8}), at4({4, 1})},
       "a reduction goes over less than the iteration space"},
      {"a gather along what is kept",
       gather,
       {at4({10, 8}), at::zeros({4, 1}, at::kLong)},
       "a gather along a dimension that is not reduced"},
      {"more points than there are numbers",
       "row_program 1\nrank 2\nreduce 0 1\nx = in float32\ny = in float32\nz = add x y\ns = sum z\nout s "
       "float32",
       {meta({1LL << 40, 1}), meta({1LL << 40})},
       "more than 2^63 points"},
  };
  for (const Case& c : cases) EXPECT_EQ(described(c.program, c.inputs), c.is) << c.name;
}

TEST(Problem, calls_that_do_not_fit_the_text_are_refused) {
  const auto said = [](const std::string& program, const std::vector<Tensor>& inputs) -> std::string {
    try {
      described(program, inputs);
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
    }
    return "no error";
  };
  const Tensor x = at4({2, 3});
  EXPECT_EQ(said(kAdd, {x}), "kadvise::row_program: the program has 2 inputs, 1 were given");
  EXPECT_EQ(said(kAdd, {x, Tensor()}), "kadvise::row_program: input 'y' is not there");
  EXPECT_EQ(said(kAdd, {x, x.to(at::kHalf)}),
            "kadvise::row_program: input 'y' is Half, the program was made for Float");
  EXPECT_EQ(said(kAdd, {x, x.to(at::kLong)}),
            "kadvise::row_program: input 'y' is Long, the program was made for Float");
  EXPECT_EQ(said(kAdd, {x, at4({1, 1, 1, 2, 3})}),
            "kadvise::row_program: input 'y' has 5 dimensions, the program was made for 4 at most");
  EXPECT_EQ(said(kAdd, {x, at4({4})}),
            "kadvise::row_program: sizes 3 and 4 in dimension 3 of the iteration space do not broadcast");
  const std::string gather =
      "row_program 1\nrank 2\nt = in float32 table\ni = in int64\ng = take t i\nout g float32";
  EXPECT_EQ(said(gather, {at4({5}), at::zeros({4, 1}, at::kLong)}),
            "kadvise::row_program: table 't' has 1 dimensions, not 2");
  EXPECT_EQ(said(gather, {at4({5, 3}), at::zeros({4, 3}, at::kLong)}),
            "kadvise::row_program, line 5 of the program: an index has size 1 in the last dimension, not 3");
}

}  // namespace
}  // namespace kadvise::rowprogram
