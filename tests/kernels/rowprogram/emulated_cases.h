// Programs that the tests of generated kernels share, and lists of cases.
#pragma once

#include "tests/kernels/rowprogram/emulated.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kadvise::rowprogram {

using at::Tensor;

// In the texts T is the dtype of a case.
inline std::string with(std::string text, const std::string& dtype) {
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + 1))
    text.replace(at, 1, dtype);
  return "row_program 1\n" + text;
}

inline const char* dtypeText(at::ScalarType t) {
  return t == at::kFloat ? "float32" : t == at::kHalf ? "float16" : "bfloat16";
}

inline Tensor random(at::IntArrayRef sizes, at::ScalarType dtype) {
  return at::randn(sizes, at::kFloat).to(dtype);
}

struct Cases {
  std::vector<EmulatedCase> all;
  void add(const std::string& name, const char* text, at::ScalarType dtype, std::vector<Tensor> inputs,
           const std::string& schedule) {
    EmulatedCase c;
    c.name = name + " " + dtypeText(dtype) + " " + schedule;
    c.text = with(text, dtypeText(dtype));
    c.inputs = std::move(inputs);
    c.schedule = schedule;
    all.push_back(std::move(c));
  }
};

inline void check(const Cases& cases) {
  for (const std::string& result : runEmulated(cases.all)) EXPECT_EQ(result, "");
}

inline constexpr at::ScalarType kDtypes[] = {at::kFloat, at::kHalf, at::kBFloat16};
inline constexpr at::ScalarType kTwoWidths[] = {at::kFloat, at::kBFloat16};

inline constexpr const char* kLayerNorm = R"(rank 2
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
inline constexpr const char* kAddRmsNorm = R"(rank 2
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
inline constexpr const char* kSoftmax = R"(rank 2
reduce 1
x = in T
m = max x
d = sub x m
e = exp d
z = sum e
y = div e z
out y T
)";
inline constexpr const char* kMeanVar = R"(rank 2
reduce 1
x = in T
m = mean x
v = var x
out m T
out v T drop
)";
inline constexpr const char* kSums = R"(rank 2
reduce 1
x = in T
s = sum x
m = mean x
v = var x
out s T
out m T
out v T
)";
inline constexpr const char* kExtremes = R"(rank 2
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
inline constexpr const char* kGelu = "rank 2\nx = in T\ny = gelu x\nout y T\n";
inline constexpr const char* kBiasGelu =
    "rank 2\nx = in T\nb = in T\nt = add x b\ny = gelu_tanh t\nout y T\n";
inline constexpr const char* kGated = "rank 2\na = in T\ng = in T\ns = silu g\ny = mul a s\nout y T\n";
inline constexpr const char* kRowScale =
    "rank 2\nx = in T\nc = in T\nw = in T\na = mul x c\ny = mul a w\nout y T\n";
inline constexpr const char* kMaskedSoftmax = R"(rank 4
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
inline constexpr const char* kEmbedding = R"(rank 3
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
inline constexpr const char* kGather =
    "rank 2\nt = in T table\ni = in int32\nx = in T\ng = take t i\ny = add g x\nout y T\n";
inline constexpr const char* kApart =
    "rank 3\nreduce 0 2\nx = in T\nm = mean x\nd = sub x m\nv = var d\nout d T\nout v T\nout m T drop\n";
// Relative positions of attention: from lists of each query, and from those of each key, turned.
inline constexpr const char* kRelative = R"(rank 3
reduce 2
s = in T
c = in T lists
i = in int64
p = in T lists
j = in int32
n = in float32
q = pick c i
k = pick p j
t = add q k
u = mul t n
w = add s u
m = max w
d = sub w m
e = exp d
z = sum e
y = div e z
out y T
)";
inline constexpr const char* kPick =
    "rank 2\nt = in T lists\ni = in int32\nx = in T\ng = pick t i\ny = add g x\nout y T\n";
inline constexpr const char* kNumbers = R"(rank 2
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
inline constexpr const char* kIntReductions = R"(rank 2
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
inline constexpr const char* kEveryFunction = R"(rank 1
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
inline constexpr const char* kMoreFunctions = R"(rank 1
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
inline constexpr const char* kManyDims = "rank 4\nx = in T\ny = in T\ns = sub x y\nt = mul s 2\nout t T\n";

}  // namespace kadvise::rowprogram
