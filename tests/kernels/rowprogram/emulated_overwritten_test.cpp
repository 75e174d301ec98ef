// Outputs in the memory of an input: right in every form that writes there, and written elsewhere by the
// rest.
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "tests/kernels/rowprogram/emulated_cases.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kadvise::rowprogram {
namespace {

constexpr const char* kOneBias = R"(rank 2
x = in T
b = in T
s = add x b
y = gelu s
out y T over x
)";
constexpr const char* kTwoOutputs = R"(rank 2
reduce 1
x = in T
r = in T
w = in T
s = add x r
h = cast T s
out h T over r
q = square h
m = mean q
e = add m 1e-05
k = rsqrt e
y = mul h k
z = mul y w
out z T over x
)";
constexpr const char* kVariance = R"(rank 2
reduce 1
x = in T
m = mean x
v = var x
e = add v 1e-05
k = rsqrt e
d = sub x m
y = mul d k
out y T over x
)";

// r is read when the first output is stored.
constexpr const char* kReadLater = R"(rank 2
reduce 1
x = in T
r = in T
m = max x
c = sub x m
e = exp c
s = sum e
h = div e s
out h T over r
n = mean h
d = sub h n
z = mul d r
out z T over x
)";
// Whose threads without a row read the first one's indices again.
constexpr const char* kPicked = R"(rank 2
reduce 1
x = in T
l = in T lists
i = in int64
p = pick l i
w = add x p
m = max w
y = sub w m
j = add i 100000
out y T over x
out j int64 over i
)";

// In place, too, where the harness finds that a kernel may.
TEST(Overwritten, whatFormsComputeIsRightInPlace) {
  at::manual_seed(11);
  Cases cases;
  for (const at::ScalarType t : kTwoWidths) {
    for (const char* schedule : {"flat/t64/k2/b64", "flat/t128/k1/b128", "generic"})
      for (const std::int64_t columns : {136, 131, 3})
        cases.add("bias " + std::to_string(columns), kOneBias, t,
                  {random({7, columns}, t), random({columns}, t)}, schedule);
    for (const char* schedule :
         {"lanes/t8/k4/b64", "block/t64/k1/b64", "shared/t64/k3/b64", "cluster/t32/k2/b32/p2", "generic",
          "block/t64/k1/b64/persistent", "lanes/t8/k4/b32/persistent"}) {
      cases.add("two", kTwoOutputs, t, {random({5, 128}, t), random({5, 128}, t), random({128}, t)},
                schedule);
      for (const std::int64_t rows : {1, 5})
        cases.add("read later", kReadLater, t, {random({rows, 128}, t), random({rows, 128}, t)}, schedule);
      cases.add("variance", kVariance, t, {random({9, 128}, t)}, schedule);
      const Tensor indices = at::randint(0, 7, {9, 128}, at::kLong);
      cases.add("picked", kPicked, t, {random({9, 128}, t), random({9, 128, 7}, t), indices}, schedule);
    }
    for (const char* schedule : {"block/t64/k2/b64", "lanes/t16/k3/b64"})
      cases.add("ragged", kVariance, t, {random({5, 131}, t)}, schedule);
    cases.add("transposed", kVariance, t, {random({128, 9}, t).t()}, "");
  }
  check(cases);
}

bool isWritten(const char* text, const std::vector<Tensor>& inputs, const char* schedule,
               std::size_t input = 0) {
  const auto program = parsed(with(text, "float32"));
  const auto problem = problemOf(*program, inputs, emptyOutputs(*program, inputs));
  return emit(problem.value(), scheduleOf(schedule).value(), Gpu{}).overwritten.at(input);
}

TEST(Overwritten, isWhatIsReadOnceAndLiesAsTheOutput) {
  const Tensor x = at::randn({6, 128}), b = at::randn({128}), row = at::randn({1, 128});
  EXPECT_TRUE(isWritten(kOneBias, {x, b}, "flat/t64/k2/b64"));
  EXPECT_FALSE(isWritten(kOneBias, {row, x}, "flat/t64/k2/b64")) << "is read for each row";
  EXPECT_FALSE(isWritten(kOneBias, {at::randn({6, 256}).narrow(1, 0, 128), b}, "flat/t64/k2/b64"))
      << "has gaps, which the output has not";
  EXPECT_FALSE(isWritten(kOneBias, {at::randn({769}).narrow(0, 1, 768).view({6, 128}), b}, "flat/t64/k2/b64"))
      << "begins where the output's vectors cannot";
  for (const char* form :
       {"lanes/t8/k4/b64", "block/t32/k1/b32", "shared/t32/k1/b32", "cluster/t32/k1/b32/p2"})
    EXPECT_TRUE(isWritten(kVariance, {x}, form)) << form;
  for (const char* form : {"shared/t32/k1/b32", "cluster/t32/k1/b32/p2"})
    EXPECT_FALSE(isWritten(kReadLater, {x, x.clone()}, form, 1)) << "is read when it is written already";
  EXPECT_FALSE(
      isWritten(kPicked, {x, at::randn({6, 128, 7}), at::zeros({6, 128}, at::kLong)}, "lanes/t8/k4/b64", 2))
      << "indices that strangers read";
  EXPECT_FALSE(isWritten(kVariance, {x}, "split/t32/k1/b32/p2")) << "its second kernel reads again";
  EXPECT_FALSE(isWritten(kVariance, {at::randn({6, 131})}, "block/t64/k1/b64"))
      << "a row's neighbours read its ends";
}

}  // namespace
}  // namespace kadvise::rowprogram
