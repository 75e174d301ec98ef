// kadvise::add_layer_norm takes any layout, and gives the shapes and strides of at::add and at::layer_norm.
#include "tests/kernels/add_layer_norm.h"

#include <functional>

namespace kadvise::test {
namespace {

using New = std::function<Tensor(at::IntArrayRef)>;  // a tensor of these sizes

struct Layout {
  const char* name;
  std::function<std::pair<Tensor, Tensor>(const New&)> make;  // x and residual, 24 columns
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 5, 24})); }},
      {"one dimension", [](const New& t) { return std::pair(t({24}), t({24})); }},
      {"storage offset",
       [](const New& t) { return std::pair(t({361}).slice(0, 1).view({3, 5, 24}), t({3, 5, 24})); }},
      {"both at an offset",
       [](const New& t) {
         return std::pair(t({361}).slice(0, 1).view({3, 5, 24}), t({363}).slice(0, 3).view({3, 5, 24}));
       }},
      {"both at the same offset",
       [](const New& t) {
         return std::pair(t({361}).slice(0, 1).view({3, 5, 24}), t({361}).slice(0, 1).view({3, 5, 24}));
       }},
      {"columns of a wider tensor",
       [](const New& t) { return std::pair(t({3, 5, 40}).slice(2, 8, 32), t({3, 5, 25}).slice(2, 1)); }},
      {"every second row", [](const New& t) { return std::pair(t({6, 24}).slice(0, 0, 6, 2), t({3, 24})); }},
      {"first token", [](const New& t) { return std::pair(t({3, 5, 24}).select(1, 0), t({3, 24})); }},
      {"transposed batch",
       [](const New& t) { return std::pair(t({3, 5, 24}).transpose(0, 1), t({3, 5, 24}).transpose(0, 1)); }},
      {"one transposed",
       [](const New& t) { return std::pair(t({3, 5, 24}).transpose(0, 1), t({5, 3, 24})); }},
      {"the other transposed",
       [](const New& t) { return std::pair(t({5, 3, 24}), t({3, 5, 24}).transpose(0, 1)); }},
      {"three grid dimensions",
       [](const New& t) {
         return std::pair(t({4, 2, 3, 24}).permute({2, 0, 1, 3}), t({2, 3, 4, 24}).permute({1, 2, 0, 3}));
       }},
      {"inner transposed",
       [](const New& t) { return std::pair(t({3, 24, 5}).transpose(1, 2), t({3, 5, 24})); }},
      {"both inner transposed",
       [](const New& t) { return std::pair(t({3, 24, 5}).transpose(1, 2), t({3, 24, 5}).transpose(1, 2)); }},
      {"inner step", [](const New& t) { return std::pair(t({3, 48}).slice(1, 0, 48, 2), t({3, 24})); }},
      {"vector broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({24})); }},
      {"positions broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({1, 5, 24})); }},
      {"batch broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 1, 24})); }},
      {"x broadcast", [](const New& t) { return std::pair(t({5, 24}), t({3, 5, 24})); }},
      {"each broadcast", [](const New& t) { return std::pair(t({3, 1, 24}), t({1, 5, 24})); }},
      {"column broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 5, 1})); }},
      {"scalar tensor", [](const New& t) { return std::pair(t({3, 5, 24}), t({})); }},
      {"expanded",
       [](const New& t) {
         return std::pair(t({5, 24}).expand({3, 5, 24}), t({3, 1, 24}).expand({3, 5, 24}));
       }},
      {"expanded both alike",
       [](const New& t) { return std::pair(t({5, 24}).expand({3, 5, 24}), t({5, 24}).expand({3, 5, 24})); }},
      {"dimensions of size 1",
       [](const New& t) { return std::pair(t({3, 1, 24}).transpose(0, 1), t({1, 3, 1, 24}).select(2, 0)); }},
      {"no rows", [](const New& t) { return std::pair(t({0, 24}), t({0, 24})); }},
      {"no rows, broadcast", [](const New& t) { return std::pair(t({0, 5, 24}), t({5, 24})); }},
  };
  return all;
}

TEST_P(OnDevice, any_layout_gives_the_values_and_strides_of_torch) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto [x, residual] = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      const Tensor weight = random({48}, dtype).slice(0, 0, 48, 2), bias = random({25}, dtype).slice(0, 1);
      const auto [normalized, sum] = addLayerNorm(x, residual, {24}, weight, bias);
      const auto [torchNormalized, torchSum] = composition(x, residual, {24}, weight, bias);
      EXPECT_EQ(sum.strides(), torchSum.strides());
      EXPECT_EQ(normalized.sizes(), torchNormalized.sizes());
      EXPECT_EQ(normalized.strides(), torchNormalized.strides());
      if (sum.numel() > 0) expectAsAccurate(x, residual, {24}, weight, bias);
    }
  }
}

TEST_P(OnDevice, meta_tensors_give_the_shapes_strides_and_dtypes_of_real_ones) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const auto [x, residual] = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kFloat); });
    const auto [normalized, sum] = addLayerNorm(x, residual, {24});
    const auto [metaNormalized, metaSum] = addLayerNorm(onMeta(x), onMeta(residual), {24});
    for (const auto& [real, shape] : {std::pair(normalized, metaNormalized), std::pair(sum, metaSum)}) {
      EXPECT_TRUE(shape.is_meta());
      EXPECT_EQ(real.sizes(), shape.sizes());
      EXPECT_EQ(real.strides(), shape.strides());
      EXPECT_EQ(real.scalar_type(), shape.scalar_type());
    }
  }
  const auto mixed = addLayerNorm(at::empty({2, 8}, of(at::kHalf).device(at::kMeta)),
                                  at::empty({2, 8}, of(at::kFloat).device(at::kMeta)), {8});
  EXPECT_EQ(std::get<1>(mixed).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace kadvise::test
