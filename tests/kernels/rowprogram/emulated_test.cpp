// Generated kernels on the CPU against float64: forms, programs, dtypes, and shapes that are ragged,
// misaligned, broadcast, strided, or hold NaN.
#include "tests/kernels/rowprogram/emulated.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;

std::string with(std::string text, const std::string& dtype) {
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + 1))
    text.replace(at, 1, dtype);
  return "row_program 1\n" + text;
}

const char* dtypeText(at::ScalarType t) {
  return t == at::kFloat ? "float32" : t == at::kHalf ? "float16" : "bfloat16";
}

constexpr const char* kLayerNorm = R"(rank 2
reduce 1
x = in T
w = in T
b = in T
m = mean x
v = var x
e = add v 1e-05
k = rsqrt e
d = sub x m
y = mul d k
z = mul y w
o = add z b
out o T
)";
constexpr const char* kAddRmsNorm = R"(rank 2
reduce 1
x = in T
r = in T
w = in T
s = add x r
h = cast T s
out h T
q = square h
m = mean q
e = add m 1e-05
k = rsqrt e
y = mul h k
z = mul y w
out z T
)";
constexpr const char* kSoftmax = R"(rank 2
reduce 1
x = in T
m = max x
d = sub x m
e = exp d
z = sum e
y = div e z
out y T
)";
constexpr const char* kMeanVar = R"(rank 2
reduce 1
x = in T
m = mean x
v = var x
out m T
out v T drop
)";
constexpr const char* kExtremes = R"(rank 2
reduce 1
x = in T
a = max x
b = min x
i = argmax x
n = isnan x
c = any n
out a T
out b T
out i int64 drop
out c bool
)";
constexpr const char* kGelu = "rank 2\nx = in T\ny = gelu x\nout y T\n";
constexpr const char* kBiasGelu = "rank 2\nx = in T\nb = in T\nt = add x b\ny = gelu_tanh t\nout y T\n";
constexpr const char* kGated = "rank 2\na = in T\ng = in T\ns = silu g\ny = mul a s\nout y T\n";
constexpr const char* kRowScale = "rank 2\nx = in T\nc = in T\nw = in T\na = mul x c\ny = mul a w\nout y T\n";

Tensor random(at::IntArrayRef sizes, at::ScalarType dtype) { return at::randn(sizes, at::kFloat).to(dtype); }

struct Cases {
  std::vector<EmulatedCase> all;
  void add(const std::string& name, const char* text, at::ScalarType dtype, std::vector<Tensor> inputs,
           const std::string& schedule) {
    all.push_back({name + " " + dtypeText(dtype) + " " + schedule, with(text, dtypeText(dtype)),
                   std::move(inputs), schedule});
  }
};

void check(const Cases& cases) {
  for (const std::string& result : runEmulated(cases.all)) EXPECT_EQ(result, "");
}

const at::ScalarType kDtypes[] = {at::kFloat, at::kHalf, at::kBFloat16};

TEST(Emulated, rowsInEveryForm) {
  at::manual_seed(1);
  Cases cases;
  struct Shape {
    std::int64_t rows, columns;
    std::vector<const char*> schedules;
  };
  const Shape shapes[] = {
      {5, 128, {"lanes/t8/k4/b64", "lanes/t32/k1/b128", "block/t64/k1/b64", ""}},
      {5, 131, {"lanes/t16/k3/b64", "block/t64/k1/b64"}},
      {3, 515, {"block/t96/k2/b96", "shared/t64/k3/b64", "generic"}},
      {2, 1024, {"shared/t64/k4/b64", "cluster/t64/k2/b64/p2", "cluster/t32/k2/b32/p4"}},
      {9, 64, {"lanes/t4/k4/b32/persistent", "block/t64/k1/b64/persistent"}},
  };
  for (const at::ScalarType t : kDtypes)
    for (const Shape& s : shapes) {
      const Tensor x = random({s.rows, s.columns}, t), r = random({s.rows, s.columns}, t),
                   w = random({s.columns}, t), b = random({s.columns}, t);
      std::size_t turn = t == at::kFloat ? 0 : t == at::kHalf ? 1 : 2;
      for (const char* schedule : s.schedules) {
        const std::string name = std::to_string(s.rows) + "x" + std::to_string(s.columns);
        cases.add("layer_norm " + name, kLayerNorm, t, {x, w, b}, schedule);
        if (turn++ % 2 == 0) cases.add("add_rms_norm " + name, kAddRmsNorm, t, {x, r, w}, schedule);
        else cases.add("softmax " + name, kSoftmax, t, {x}, schedule);
        if (turn % 3 == 0) cases.add("mean_var " + name, kMeanVar, t, {x}, schedule);
        if (turn % 3 == 1) cases.add("extremes " + name, kExtremes, t, {x}, schedule);
      }
    }
  check(cases);
}

TEST(Emulated, elementwise) {
  at::manual_seed(2);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    for (const char* schedule : {"flat/t64/k2/b64", "flat/t128/k1/b128", "generic"}) {
      cases.add("gelu", kGelu, t, {random({3, 520}, t)}, schedule);
      cases.add("gelu with a tail", kGelu, t, {random({3, 517}, t)}, schedule);
      cases.add("gelu, misaligned", kGelu, t, {random({1, 1041}, t).narrow(1, 1, 1040)}, schedule);
      cases.add("bias", kBiasGelu, t, {random({5, 136}, t), random({136}, t)}, schedule);
      cases.add("bias, ragged", kBiasGelu, t, {random({5, 131}, t), random({131}, t)}, schedule);
      const Tensor halves = random({6, 256}, t);
      cases.add("gated views", kGated, t, {halves.narrow(1, 0, 128), halves.narrow(1, 128, 128)}, schedule);
      cases.add("gated views, ragged", kGated, t, {halves.narrow(1, 0, 127), halves.narrow(1, 128, 127)},
                schedule);
      cases.add("a row's and a column's factor", kRowScale, t,
                {random({6, 64}, t), random({6, 1}, t), random({64}, t)}, schedule);
      cases.add("transposed", kGated, t, {random({64, 40}, t).t(), random({40, 64}, t)}, schedule);
    }
  }
  check(cases);
}

// The same programs over dimension 1 of three.
std::string overTheMiddle(std::string text) {
  text.replace(text.find("rank 2"), 6, "rank 3");
  return text;
}

TEST(Emulated, columnsAndSplitRows) {
  at::manual_seed(3);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    for (const char* schedule :
         {"columns/t8/k4/b64", "columns/t4/k2/b64", "columns/t8/k2/b64/p3", "columns/t4/k2/b32/generic"})
      for (const auto& [b, c, n] : {std::array<std::int64_t, 3>{2, 24, 64}, {3, 13, 35}}) {
        const Tensor x = random({b, c, n}, t), r = random({b, c, n}, t), w = random({c, 1}, t),
                     bias = random({c, 1}, t);
        const std::string name = std::to_string(c) + "x" + std::to_string(n);
        cases.add("layer_norm over columns " + name, overTheMiddle(kLayerNorm).c_str(), t, {x, w, bias},
                  schedule);
        cases.add("softmax over columns " + name, overTheMiddle(kSoftmax).c_str(), t, {x}, schedule);
        cases.add("extremes over columns " + name, overTheMiddle(kExtremes).c_str(), t, {x}, schedule);
      }
    for (const char* schedule : {"split/t64/k2/b64/p3", "split/t64/k1/b64/p7/generic"})
      for (const std::int64_t n : {2048, 1027}) {
        const Tensor x = random({2, n}, t), w = random({n}, t), b = random({n}, t), r = random({2, n}, t);
        cases.add("split layer_norm " + std::to_string(n), kLayerNorm, t, {x, w, b}, schedule);
        cases.add("split softmax " + std::to_string(n), kSoftmax, t, {x}, schedule);
        cases.add("split add_rms_norm " + std::to_string(n), kAddRmsNorm, t, {x, r, w}, schedule);
        cases.add("split extremes " + std::to_string(n), kExtremes, t, {x}, schedule);
      }
  }
  check(cases);
}

// Scale, a mask broadcast over the heads, softmax: four dimensions, strides of 0 inside.
constexpr const char* kMaskedSoftmax = R"(rank 4
reduce 3
x = in T
k = in bool
s = mul x 0.125
n = where k s -inf
m = max n
d = sub n m
e = exp d
z = sum e
y = div e z
out y T
)";
constexpr const char* kEmbedding = R"(rank 3
reduce 2
words = in T table
places = in T table
ids = in int64
at = in int64
w = in T
a = take words ids
b = take places at
s = add a b
m = mean s
v = var s
e = add v 1e-05
k = rsqrt e
d = sub s m
y = mul d k
z = mul y w
out s T
out z T
)";
constexpr const char* kGather = "rank 2\nt = in T table\ni = in int32\nx = in T\ng = take t i\ny = add g x\nout y T\n";
constexpr const char* kNumbers = R"(rank 2
i = in int32
b = in bool
c = in uint8
x = in T
q = floor_div i 3
r = remainder i 5
p = mul q r
n = not b
s = where n p c
f = cast T s
y = mul f x
h = gt y 0.5
out s int64
out y T
out h bool
out p int16
)";
constexpr const char* kIntReductions = R"(rank 2
reduce 1
i = in int16
b = in bool
s = sum i
m = max i
l = argmin i
a = all b
o = any b
d = sub i m
out s int64
out m int32
out l int64 drop
out a bool
out o bool
out d int16
)";
constexpr const char* kEveryFunction = R"(rank 1
x = in T
a = abs x
p = add a 0.01
y1 = exp x
y2 = log p
y3 = sqrt p
y4 = rsqrt p
y5 = tanh x
y6 = erf x
y7 = sigmoid x
y8 = silu x
y9 = gelu x
y10 = gelu_tanh x
y11 = mish x
y12 = softplus x
y13 = hardswish x
y14 = elu x 0.7
out y1 T
out y2 T
out y3 T
out y4 T
out y5 T
out y6 T
out y7 T
out y8 T
out y9 T
out y10 T
out y11 T
out y12 T
out y13 T
out y14 T
)";
constexpr const char* kMoreFunctions = R"(rank 1
x = in T
a = abs x
p = add a 0.01
z1 = expm1 x
z2 = log1p a
z3 = reciprocal p
z4 = sin x
z5 = cos x
z6 = pow p 2.5
z7 = relu x
z8 = relu6 x
z9 = logsigmoid x
z10 = leaky_relu x 0.01
z11 = clamp x -0.5 0.5
z12 = remainder x 0.75
z13 = floor_div x 0.75
z14 = fma x p 0.5
z15 = maximum x p
z16 = softsign x
out z1 T
out z2 T
out z3 T
out z4 T
out z5 T
out z6 T
out z7 T
out z8 T
out z9 T
out z10 T
out z11 T
out z12 T
out z13 T
out z14 T
out z15 T
out z16 T
)";
constexpr const char* kManyDims = "rank 4\nx = in T\ny = in T\ns = sub x y\nt = mul s 2\nout t T\n";

TEST(Emulated, masksGathersAndNumbers) {
  at::manual_seed(4);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    for (const char* schedule : {"lanes/t16/k2/b64", "block/t64/k1/b64", "split/t64/k1/b64/p2", "shared/t32/k1/b32", "generic", ""}) {
      for (const std::int64_t n : {72, 61}) {
        Tensor mask = at::rand({2, 1, 5, n}).gt(0.3);
        mask.select(3, 0).fill_(true);
        cases.add("masked softmax " + std::to_string(n), kMaskedSoftmax, t, {random({2, 3, 5, n}, t), mask}, schedule);
        cases.add("softmax with a key mask " + std::to_string(n), kMaskedSoftmax, t, {random({2, 5, 3, n}, t).transpose(1, 2), mask.narrow(2, 0, 1)}, schedule);
      }
    }
    const Tensor words = random({50, 64}, t), places = random({12, 64}, t), w = random({64}, t);
    for (const char* schedule : {"lanes/t8/k2/b64", "block/t32/k1/b32", "shared/t32/k1/b32", ""})
      cases.add("embedding sum and norm", kEmbedding, t, {words, places, at::randint(0, 50, {2, 6, 1}), at::arange(6, at::kLong).reshape({1, 6, 1}), w}, schedule);
    for (const char* schedule : {"flat/t64/k2/b64", "generic"}) {
      cases.add("gather", kGather, t, {words, at::randint(0, 50, {9, 1}, at::kInt), random({9, 64}, t)}, schedule);
      cases.add("gather, ragged", kGather, t, {random({50, 61}, t), at::randint(0, 50, {9, 1}, at::kInt), random({9, 61}, t)}, schedule);
      cases.add("permuted and broadcast", kManyDims, t, {random({3, 4, 5, 16}, t).permute({2, 0, 1, 3}), random({5, 1, 4, 1}, t)}, schedule);
      cases.add("every second", kManyDims, t, {random({3, 4, 5, 32}, t).slice(3, 0, 32, 2), random({1, 4, 1, 16}, t)}, schedule);
      for (const std::int64_t n : {96, 33})
        cases.add("whole numbers " + std::to_string(n), kNumbers, t,
                  {at::randint(-40, 40, {4, n}, at::kInt), at::rand({4, n}).gt(0.5), at::randint(0, 200, {n}, at::kByte), random({4, 1}, t)}, schedule);
    }
  }
  for (const char* schedule : {"lanes/t8/k3/b64", "block/t64/k1/b64", "split/t64/k1/b64/p2", "shared/t32/k2/b32", "cluster/t32/k1/b32/p2"})
    for (const std::int64_t n : {96, 77})
      cases.add("reductions of whole numbers " + std::to_string(n), kIntReductions, at::kFloat, {at::randint(-900, 900, {5, n}, at::kShort), at::rand({5, n}).gt(0.02)}, schedule);
  check(cases);
}

Tensor extremeValues(at::ScalarType t) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor special = at::tensor({0.f, -0.f, 1.f, -1.f, 1e-39f, -1e-39f, 1e-30f, 3e4f, -3e4f, 80.f, -80.f, 110.f, -110.f, inf, -inf, nan, 0.5f, 1e-4f, -1e-4f, 20.5f});
  return at::cat({special, at::randn({108}), at::randn({64}).mul(20)}).to(t);
}

TEST(Emulated, valuesAtTheEdges) {
  at::manual_seed(5);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    const Tensor x = extremeValues(t);
    cases.add("functions", kEveryFunction, t, {x}, "flat/t64/k1/b64");
    cases.add("more functions", kMoreFunctions, t, {x}, "flat/t64/k1/b64");
    Tensor rows = random({6, 96}, t);
    rows[1][40] = std::numeric_limits<float>::quiet_NaN();
    rows[2][95] = std::numeric_limits<float>::infinity();
    rows[3].fill_(-std::numeric_limits<float>::infinity());
    rows[4].fill_(2.f);
    for (const char* schedule : {"lanes/t8/k3/b64", "block/t64/k1/b64", "split/t64/k1/b64/p2", "cluster/t32/k1/b32/p2"}) {
      cases.add("extremes with NaN", kExtremes, t, {rows}, schedule);
      cases.add("softmax with NaN", kSoftmax, t, {rows}, schedule);
      cases.add("mean and variance with NaN", kMeanVar, t, {rows}, schedule);
    }
  }
  check(cases);
}

}  // namespace
}  // namespace kadvise::rowprogram
