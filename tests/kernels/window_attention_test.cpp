// kadvise::window_attention against torch's operators and against double precision.
#include "tests/kernels/on_device.h"

#include <random>

namespace kadvise::test {

struct WindowAttention : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, WindowAttention, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

// What torch's fused kernels need, too, which serve float.
constexpr Allowed kFused{2, 6, 2, 24};

using Scale = std::optional<double>;

Tensor windowAttention(const Tensor& q, const Tensor& k, const Tensor& v, const Maybe& bias, bool causal,
                       Scale scale) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Tensor&, const Maybe&, bool, Scale)>(
          "window_attention");
  return op.call(q, k, v, bias, causal, scale);
}

Tensor written(const Tensor& q, const Tensor& k, const Tensor& v, const Maybe& bias, bool causal,
               Scale scale) {
  Tensor scores =
      at::matmul(q, k.transpose(-2, -1)) * scale.value_or(1 / std::sqrt(static_cast<double>(q.size(3))));
  if (bias) scores = scores + bias->repeat({q.size(0) / bias->size(0), 1, 1, 1});
  if (causal)
    scores =
        scores.masked_fill(at::ones({q.size(2), k.size(2)}, q.options().dtype(at::kBool)).triu(1), -HUGE_VAL);
  return at::matmul(at::softmax(scores, -1), v);
}

void expectRight(const Tensor& q, const Tensor& k, const Tensor& v, const Maybe& bias, bool causal,
                 Scale scale) {
  const Tensor ours = windowAttention(q, k, v, bias, causal, scale);
  EXPECT_TRUE(ours.transpose(1, 2).is_contiguous());
  expectAsAccurate(
      ours, written(q, k, v, bias, causal, scale),
      written(q.to(at::kDouble), k.to(at::kDouble), v.to(at::kDouble), wide(bias), causal, scale), kFused);
  const auto meta = [](const Maybe& t) { return t ? Maybe(onMeta(*t)) : Maybe(); };
  const Tensor shape = windowAttention(onMeta(q), onMeta(k), onMeta(v), meta(bias), causal, scale);
  EXPECT_EQ(shape.sizes(), ours.sizes());
  EXPECT_EQ(shape.strides(), ours.strides());
}

TEST_P(WindowAttention, is_as_accurate_as_written_out_over_200_drawn_cases) {
  std::mt19937 draw(11);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 200; ++i) {
    const auto dtype = kDtypes[static_cast<std::size_t>(i) % 3];
    const std::int64_t batches = one({1, 2, 6, 12}), heads = one({1, 2, 3, 5}),
                       keys = one({1, 7, 16, 31, 49, 56, 57, 64, 65, 150}),
                       width = one({6, 8, 12, 15, 16, 32, 40, 62, 64, 72}),
                       queries = one({keys, keys, 1, 15, 65, 130});
    const std::int64_t groups = one({0, 1, 2, batches});
    const bool packed = queries == keys && draw() % 2 == 0, causal = groups == 0 && draw() % 2 == 0;
    SCOPED_TRACE(testing::Message() << i << ": " << toString(dtype) << " " << batches << "x" << heads
                                    << " of " << queries << "x" << keys << "x" << width << ", groups "
                                    << groups << (packed ? ", packed" : "") << (causal ? ", causal" : ""));
    Tensor q, k, v;
    if (packed) {
      const Tensor qkv = random({batches, keys, 3, heads, width}, dtype).permute({2, 0, 3, 1, 4});
      q = qkv[0], k = qkv[1], v = qkv[2];
    } else {
      q = random({batches, heads, queries, width}, dtype), k = random({batches, heads, keys, width}, dtype);
      v = random({batches, keys, heads, width}, dtype).transpose(1, 2);
    }
    Maybe bias;
    if (groups > 0 && batches % groups == 0)
      bias = random({groups, one({1, heads}), one({1, queries}), one({1, keys, keys})}, dtype);
    expectRight(q, k, v, bias, causal, draw() % 2 ? Scale() : Scale(0.3));
  }
}

TEST_P(WindowAttention, takes_rows_that_do_not_begin_at_16_bytes) {
  for (const auto dtype : kDtypes) {
    const auto t = [&] { return random({2, 3, 20, 33}, dtype).slice(3, 1); };
    expectRight(t(), t(), t(), {}, false, {});
    const auto odd = [&] { return random({2 * 3 * 20 * 32 + 1}, dtype).slice(0, 1).view({2, 3, 20, 32}); };
    expectRight(odd(), odd(), odd(), {}, false, {});
    const auto words = [&] { return random({2, 3, 20, 34}, dtype).slice(3, 2); };
    expectRight(words(), words(), words(), {}, false, {});
  }
}

TEST_P(WindowAttention, large_scores_of_either_sign_stay_finite) {
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    const Tensor q = random({2, 2, 49, 32}, dtype, 0, 20), v = random({2, 2, 49, 32}, dtype);
    const Tensor ours = windowAttention(q, q, v, {}, false, 4.0);
    EXPECT_TRUE(ours.isfinite().all().item<bool>());
    const auto in = [&](at::ScalarType as) { return written(q.to(as), q.to(as), v.to(as), {}, false, 4.0); };
    expectAsAccurate(ours, in(at::kFloat).to(dtype), in(at::kDouble), kFused);
  }
}

TEST_P(WindowAttention, of_nothing_is_nothing_and_what_does_not_fit_is_an_error) {
  const auto t = [&](at::IntArrayRef sizes) { return random(sizes, at::kHalf); };
  EXPECT_EQ(windowAttention(t({0, 2, 49, 32}), t({0, 2, 49, 32}), t({0, 2, 49, 32}), {}, false, {}).numel(),
            0);
  EXPECT_EQ(windowAttention(t({2, 2, 0, 32}), t({2, 2, 9, 32}), t({2, 2, 9, 32}), {}, false, {}).numel(), 0);
  const Tensor x = t({4, 2, 9, 16});
  const auto said = [&](const Tensor& q, const Tensor& k, const Tensor& v, const Maybe& bias) {
    return outcomeOf([&] { windowAttention(q, k, v, bias, false, {}); });
  };
  EXPECT_NE(said(x, t({4, 3, 9, 16}), x, {}), "no error");
  EXPECT_NE(said(x, x.to(at::kFloat), x, {}), "no error");
  EXPECT_NE(said(x, x, x, t({3, 2, 9, 9})), "no error");
  EXPECT_NE(said(x, x, x, t({2, 2, 9, 8})), "no error");
}

TEST_P(WindowAttention, of_other_shapes_is_that_of_torch) {
  for (const auto dtype : kDtypes) {
    const auto t = [&](at::IntArrayRef sizes) { return random(sizes, dtype); };
    const auto same = [&](const Tensor& q, const Tensor& k, const Maybe& bias) {
      const Tensor ours = windowAttention(q, k, k, bias, false, {}),
                   theirs = at::scaled_dot_product_attention(q, k, k, bias);
      EXPECT_EQ(ours.sizes(), theirs.sizes());
      EXPECT_TRUE(at::allclose(ours, theirs, 1e-2, 1e-2));
    };
    same(t({2, 2, 5, 8}), t({1, 2, 7, 8}), {});
    same(t({2, 2, 5, 8}), t({2, 1, 7, 8}), {});
    same(t({1, 2, 5, 8}), t({2, 2, 7, 8}), {});
    same(t({2, 5, 8}), t({2, 7, 8}), t({5, 7}));
    same(t({2, 2, 5, 8}), t({2, 2, 7, 8}), t({2, 1, 5, 7}) > 0);
  }
}

}  // namespace
}  // namespace kadvise::test
