// kadvise::scatter_slices is torch.full with slices written into it, bit by bit.
#include "tests/kernels/on_device.h"

#include <random>

namespace kadvise::test {

struct ScatterSlices : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, ScatterSlices, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
using Numbers = std::vector<std::int64_t>;

Tensor scattered(at::TensorList parts, at::IntArrayRef slices, at::IntArrayRef sizes, double rest) {
  static const auto op =
      operatorNamed<Tensor(at::TensorList, at::IntArrayRef, at::IntArrayRef, const at::Scalar&)>(
          "scatter_slices");
  return op.call(parts, slices, sizes, rest);
}

// A view of whole, and how `slices` says it.
Tensor viewed(const Tensor& whole, at::IntArrayRef slices) {
  Tensor out = whole;
  for (std::size_t i = 1; i < slices.size(); i += 4)
    out = slices[i + 3] == 0 ? out.select(slices[i], slices[i + 1])
                             : out.slice(slices[i], slices[i + 1], slices[i + 2], slices[i + 3]);
  return out;
}

struct Drawn {
  std::mt19937 draw;
  std::int64_t one(const Numbers& from) { return from[draw() % from.size()]; }

  // Perhaps a slice of a larger one, from which its rows begin at other addresses, or with turned dimensions.
  Tensor part(const Numbers& sizes, at::TensorOptions options) {
    Numbers wide = sizes;
    const auto before = one({0, 0, 1, 4, 8}), behind = one({0, 0, 1, 8});
    if (!wide.empty()) wide.back() += before + behind;
    Tensor out = (at::randn(wide) * 50).to(options);
    if (!wide.empty()) out = out.narrow(-1, before, sizes.back());
    if (wide.size() > 1 && draw() % 4 == 0) out = out.transpose(0, 1).contiguous().transpose(0, 1);
    return out;
  }

  // Of views of a tensor of these sizes, which shrink to those of the last of them.
  Numbers slices(Numbers& sizes) {
    Numbers out = {0};
    for (std::int64_t count = one({0, 1, 1, 2, 3}); count > 0; --count) {
      const auto d = static_cast<std::size_t>(one({0, 1, 2, 3, 4})) % std::max<std::size_t>(sizes.size(), 1);
      if (sizes.empty() || sizes[d] == 0) break;
      const auto dim =
          static_cast<std::int64_t>(d) - (draw() % 2 ? static_cast<std::int64_t>(sizes.size()) : 0);
      ++out[0];
      if (draw() % 4 == 0) {
        out.insert(out.end(), {dim, one({0, -1}), 0, 0});
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(d));
        continue;
      }
      const auto start = one({0, 0, 1, 2, 4, 8, -3}), end = one({kEnd, kEnd, 2, 8, -1, 16}),
                 step = one({1, 1, 1, 2, 3, 1ll << 32});
      out.insert(out.end(), {dim, start, end, step});
      sizes[d] = at::empty({sizes[d]}).slice(0, start, end, step).size(0);
    }
    return out;
  }
};

TEST_P(ScatterSlices, are_those_of_torch_over_200_drawn_cases) {
  Drawn drawn{std::mt19937(5)};
  for (int i = 0; i < 200; ++i) {
    const at::ScalarType dtypes[] = {at::kFloat, at::kHalf, at::kBFloat16,
                                     at::kLong,  at::kByte, at::kComplexDouble};
    const auto dtype = dtypes[static_cast<std::size_t>(i) % 6];
    Numbers sizes, slices;
    for (std::int64_t rank = drawn.one({1, 2, 3, 4, 5, 7}); rank > 0; --rank)
      sizes.push_back(drawn.one({1, 2, 3, 4, 8, 16, 24}) % (rank > 5 ? 3 : 100) + (rank > 5 ? 1 : 0));
    Tensor exact = at::full(sizes, 3, of(dtype));
    std::vector<Tensor> parts;
    for (auto count = drawn.one({1, 2, 3, 5, 9}); count > 0; --count) {
      Numbers shape = sizes;
      const Numbers own = drawn.slices(shape);
      if (!shape.empty() && drawn.draw() % 4 == 0) shape[0] = 1;
      if (!shape.empty() && drawn.draw() % 4 == 0) shape.erase(shape.begin());
      const Tensor part = drawn.part(shape, of(dtype));
      viewed(exact, own).copy_(part);
      parts.push_back(part);
      slices.insert(slices.end(), own.begin(), own.end());
    }
    SCOPED_TRACE(testing::Message() << i << ": " << toString(dtype) << " " << at::IntArrayRef(sizes) << ", "
                                    << parts.size() << " parts in " << at::IntArrayRef(slices));
    const Tensor ours = scattered(parts, slices, sizes, 3);
    EXPECT_TRUE(at::equal(ours, exact));
    EXPECT_TRUE(ours.is_contiguous());
    std::vector<Tensor> metas;
    for (const Tensor& part : parts) metas.push_back(onMeta(part));
    EXPECT_EQ(scattered(metas, slices, sizes, 3).sizes(), ours.sizes());
  }
}

TEST_P(ScatterSlices, of_a_padded_tensor_are_those_of_torch_over_200_drawn_cases) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, at::IntArrayRef, const at::Scalar&)>("constant_pad_nd");
  Drawn drawn{std::mt19937(6)};
  for (int i = 0; i < 200; ++i) {
    const at::ScalarType dtypes[] = {at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kBool};
    Numbers sizes, pad;
    for (std::int64_t rank = drawn.one({1, 2, 3, 4, 4, 5, 5, 7}); rank > 0; --rank)
      sizes.push_back(drawn.one({1, 2, 3, 4, 8, 16}) %
                      (static_cast<std::int64_t>(sizes.size()) > 3 ? 5 : 100));
    for (auto count = drawn.one({0, 1, 2, 3}); count > 0 && pad.size() / 2 < sizes.size(); --count)
      pad.insert(pad.end(), {drawn.one({0, 1, 4, 8, i % 10 ? 3 : -1}), drawn.one({0, 2, 8})});
    Tensor x = (at::randn(sizes) * 50).to(of(dtypes[static_cast<std::size_t>(i) % 5]));
    if (x.dim() == 4 && drawn.draw() % 2 == 0) x = x.contiguous(at::MemoryFormat::ChannelsLast);
    if (x.dim() == 5 && drawn.draw() % 2 == 0) x = x.contiguous(at::MemoryFormat::ChannelsLast3d);
    if (x.dim() > 1 && drawn.draw() % 4 == 0) x = x.transpose(0, 1);
    SCOPED_TRACE(testing::Message() << i << ": " << x.toString() << " " << x.sizes() << " by "
                                    << at::IntArrayRef(pad));
    Tensor exact;
    const auto outcome = outcomeOf([&] { exact = at::constant_pad_nd(x, pad, 1); });
    if (outcome != "no error") {
      EXPECT_EQ(outcomeOf([&] { op.call(x, pad, 1); }), outcome);
      continue;
    }
    const Tensor ours = op.call(x, pad, 1), meta = op.call(onMeta(x), pad, 1);
    EXPECT_TRUE(at::equal(ours, exact));
    EXPECT_EQ(ours.strides(), exact.strides());
    EXPECT_EQ(meta.sizes(), exact.sizes());
    EXPECT_EQ(meta.strides(), exact.strides());
  }
}

TEST_P(ScatterSlices, of_nothing_of_other_dtypes_and_with_gradients) {
  const Tensor x = random({2, 3}, at::kFloat), whole = random({4}, at::kHalf);
  EXPECT_EQ(scattered({x.narrow(0, 0, 0)}, {1, 0, 0, 0, 1}, {0, 3}, 1).numel(), 0);
  EXPECT_TRUE(at::equal(scattered({x.narrow(0, 0, 0)}, {1, 0, 1, 1, 1}, {2, 3}, 1.5),
                        at::full({2, 3}, 1.5, x.options())));
  const Tensor mixed = scattered({x, whole.narrow(0, 0, 3)}, {0, 1, 0, 1, 0, 0}, {2, 3}, 0);
  EXPECT_TRUE(at::equal(mixed[1], whole.narrow(0, 0, 3).to(at::kFloat)));
  Tensor wanted = random({2, 3}, at::kFloat).requires_grad_();
  scattered({wanted}, {1, 0, 1, 3, 1}, {5, 3}, 0).sum().backward();
  EXPECT_TRUE(at::equal(wanted.grad(), at::ones_like(x)));
}

TEST_P(ScatterSlices, say_what_is_wrong) {
  const Tensor x = random({2, 3}, at::kFloat);
  const auto outcome = [&](Numbers slices, Numbers sizes) {
    return outcomeOf([&] { scattered({x}, slices, sizes, 0); });
  };
  EXPECT_NE(outcome({1, 0, 0}, {2, 3}).find("slices end within a part"), std::string::npos);
  EXPECT_NE(outcome({0, 0}, {2, 3}).find("slices for 2 parts, 1 were given"), std::string::npos);
  EXPECT_NE(outcomeOf([] { scattered({}, {}, {2, 3}, 0); }).find("there is no part"), std::string::npos);
  EXPECT_NE(outcome({0}, {2, 4}), "no error");
  EXPECT_NE(outcome({1, 0, 2, 0, 0}, {2, 3}), "no error");
  EXPECT_NE(outcome({1, 2, 0, 1, 1}, {2, 3}), "no error");
  EXPECT_NE(outcome({1, 0, 0, 1, -1}, {2, 3}), "no error");
}

}  // namespace
}  // namespace kadvise::test
