// The kernels of window_attention on an emulated GPU: every size that has a kernel of its own, with guards
// around all memory, against double precision.
#include "tests/kernels/emulated_cuda.h"
//
#include "tests/kernels/emulated_matrix.h"
//
#include "kernels/window_attention/kernel.cuh"
#include "tests/kernels/guarded_memory.h"

#include <gtest/gtest.h>

namespace kadvise::test {
namespace {

using at::Tensor;

struct Case {
  std::int32_t batches, heads, queries, keys, width, groups = 0;  // groups: of biases; 0 for none
  bool causal = false;
};

template <class T>
at::ScalarType dtypeOf() {
  return std::is_same_v<T, __half> ? at::kHalf : at::kBFloat16;
}

// q, k and v as a projection gives them: [batches, tokens, heads, width], of which the heads are taken.
template <class T>
Tensor attended(const Case& c, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias) {
  Guarded<T> queries(q.numel(), 0), keys(k.numel(), 0), values(v.numel(), 0),
      biases(std::max<std::int64_t>(bias.numel(), 1), 1), result(q.numel(), 0);
  fill(queries.data(), q), fill(keys.data(), k), fill(values.data(), v);
  if (c.groups > 0) fill(biases.data(), bias);
  const std::int64_t row = c.heads * c.width, pairs = std::int64_t{c.queries} * c.keys;
  const auto rows = [&](const T* data, std::int64_t tokens) {
    return WindowAttentionArgs::Rows{data, tokens * row, c.width, row};
  };
  const WindowAttentionArgs a{rows(queries.data(), c.queries),
                              rows(keys.data(), c.keys),
                              rows(values.data(), c.keys),
                              c.groups > 0 ? biases.data() : nullptr,
                              c.heads * pairs,
                              pairs,
                              c.keys,
                              1,
                              result.data(),
                              c.batches,
                              std::max(c.groups, 1),
                              c.heads,
                              c.queries,
                              c.keys,
                              c.width,
                              c.width % 8 == 0 ? kWindowChunk : kWindowWord,
                              0.25f,
                              c.causal ? 1 : 0,
                              std::is_same_v<T, __half> ? Dtype::Half : Dtype::BFloat16};
  withWindowSizes(a, [&]<int kKeys, int kWidth>() {
    emulated::launch(static_cast<unsigned>(windowBlocks(a)), kWindowWarps * 32,
                     windowSharedBytes<T, kKeys, kWidth>() / sizeof(float),
                     [&] { windowAttention<T, kKeys, kWidth>(a); });
  });
  EXPECT_TRUE(result.isUntouchedAround());
  Tensor out = at::empty(q.sizes());
  for (std::int64_t i = 0; i < out.numel(); ++i) out.mutable_data_ptr<float>()[i] = toFloat(result.data()[i]);
  return out;
}

// In double precision: [batches, tokens, heads, width].
Tensor exactly(const Case& c, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias) {
  const auto heads = [](const Tensor& t) { return t.to(at::kDouble).transpose(1, 2); };
  Tensor scores = at::matmul(heads(q), heads(k).transpose(-2, -1)) * 0.25;
  if (c.groups > 0) scores = scores + bias.to(at::kDouble).repeat({c.batches / c.groups, 1, 1, 1});
  if (c.causal) scores = scores.masked_fill(at::ones({c.queries, c.keys}, at::kBool).triu(1), -HUGE_VAL);
  return at::matmul(at::softmax(scores, -1), heads(v)).transpose(1, 2);
}

template <class T>
void expectRight(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.batches << "x" << c.heads << " of " << c.queries << "x" << c.keys
                                  << "x" << c.width << ", groups " << c.groups
                                  << (c.causal ? ", causal" : ""));
  const auto drawn = [&](at::IntArrayRef sizes) { return at::randn(sizes).to(dtypeOf<T>()).to(at::kFloat); };
  const Tensor q = drawn({c.batches, c.queries, c.heads, c.width}),
               k = drawn({c.batches, c.keys, c.heads, c.width}),
               v = drawn({c.batches, c.keys, c.heads, c.width}),
               bias = drawn({c.groups, c.heads, c.queries, c.keys});
  const Tensor result = attended<T>(c, q, k, v, bias).to(at::kDouble), exact = exactly(c, q, k, v, bias);
  const double unit = std::is_same_v<T, __half> ? 1.0 / 1024 : 1.0 / 128;
  EXPECT_TRUE(at::allclose(result, exact, /*rtol=*/2 * unit, /*atol=*/2 * unit))
      << "worst " << (result - exact).abs().max().item<double>();
}

TEST(WindowAttention, is_attention_in_every_size) {
  at::manual_seed(3);
  for (const Case& c :
       {Case{4, 3, 49, 49, 32, 2}, Case{2, 2, 49, 49, 32}, Case{2, 1, 64, 64, 64, 1},
        Case{1, 2, 65, 63, 40, 1}, Case{1, 1, 1, 1, 8, 1}, Case{2, 1, 17, 16, 24}, Case{1, 1, 7, 30, 56, 1},
        Case{1, 2, 128, 64, 64, 0, true}, Case{1, 1, 100, 57, 16, 1}, Case{1, 1, 50, 64, 32, 0, true},
        Case{3, 4, 16, 16, 6}, Case{1, 3, 33, 49, 2, 1}, Case{2, 1, 9, 20, 62, 2},
        Case{1, 2, 64, 64, 34, 0, true}}) {
    expectRight<__nv_bfloat16>(c);
    expectRight<__half>(c);
  }
}

TEST(WindowAttention, hidden_rows_are_zero_and_nan_stays_in_its_row) {
  at::manual_seed(4);
  const Case c{1, 1, 20, 20, 16, 1};
  Tensor q = at::randn({1, 20, 1, 16}), k = at::randn({1, 20, 1, 16}), v = at::randn({1, 20, 1, 16}),
         bias = at::zeros({1, 1, 20, 20});
  bias[0][0][3].fill_(-HUGE_VAL);
  bias[0][0][5][7] = std::nan("");
  bias[0][0][9].slice(0, 1).fill_(-HUGE_VAL);
  const Tensor result = attended<__half>(c, q, k, v, bias).squeeze();
  EXPECT_EQ(result[3].abs().max().item<float>(), 0.0f);
  EXPECT_TRUE(result[5].isnan().all().item<bool>());
  EXPECT_EQ(result.isnan().any(-1).sum().item<std::int64_t>(), 1);
  EXPECT_TRUE(at::allclose(result[9], v[0][0][0], 1e-3, 1e-3));
}

}  // namespace
}  // namespace kadvise::test
