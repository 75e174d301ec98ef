#include "profiler/cases.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "modules.h"

namespace kadvise {
namespace {

using at::Tensor;

Tensor made(const std::string& name, const Values& batch, std::size_t i = 0) {
  return makeCase(name, batch, cpuDevice(), 1).inputs[i].toTensor();
}

TEST(Cases, ReplaceActivations) {
  Tensor x = at::randn({16, 32});
  Values batch = {x};
  auto names = caseNames(batch);
  EXPECT_EQ(names.front(), "inputs");
  EXPECT_TRUE(std::count(names.begin(), names.end(), "offset"));
  EXPECT_FALSE(std::count(names.begin(), names.end(), "reversed"));
  EXPECT_TRUE(at::equal(made("inputs", batch), x));
  EXPECT_NE(made("inputs", batch).data_ptr(), x.data_ptr());
  EXPECT_FALSE(at::equal(made("normal", batch), made("normal-2", batch)));
  EXPECT_TRUE(at::equal(made("normal", batch), made("normal", batch)));
  EXPECT_NEAR(made("offset", batch).mean().item<double>(), 1e4, 1);
  EXPECT_LT(made("small", batch).abs().max().item<double>(), 0.01);
  EXPECT_LT(made("sparse", batch).ne(0).sum().item<int>(), 30);
}

TEST(Cases, KeepLayoutAndDtype) {
  Tensor x = at::randn({8, 4}, at::kFloat).to(at::kHalf).t();
  EXPECT_EQ(made("normal", {x}).strides(), x.strides());
  EXPECT_EQ(made("normal", {x}).scalar_type(), at::kHalf);
}

TEST(Cases, KeepMasksScalarsAndConstants) {
  float low = std::numeric_limits<float>::lowest(), inf = std::numeric_limits<float>::infinity();
  Tensor additive = at::zeros({2, 1, 4, 4}).masked_fill_(at::ones({4, 4}, at::kBool).triu(1), low);
  Tensor infinite = at::zeros({4, 4}).masked_fill_(at::ones({4, 4}, at::kBool).triu(1), -inf);
  for (const Tensor& t :
       {additive, infinite, at::ones({2, 8}), at::tensor({0.f, 1.f, 1.f, 0.f}), at::scalar_tensor(0.125)}) {
    EXPECT_TRUE(at::equal(made("normal", {t, at::randn({4})}), t));
    EXPECT_EQ(caseNames({t}).size(), 1u);
  }
}

TEST(Cases, KeepPositiveValuesPositive) {
  Tensor variance = at::rand({32}) + 0.1;
  EXPECT_GE(made("normal", {variance}).min().item<double>(), 0);
  EXPECT_LT(made("normal", {at::randn({32})}).min().item<double>(), 0);
}

TEST(Cases, ReverseIntegersAndDrawBools) {
  Tensor ids = at::arange(12).reshape({2, 6}), flags = at::zeros({64}, at::kBool);
  EXPECT_TRUE(at::equal(made("reversed", {ids, flags}), ids.flip({-1})));
  EXPECT_TRUE(made("reversed", {ids, flags}, 1).any().item<bool>());
  EXPECT_EQ(caseNames({ids}), (std::vector<std::string>{"inputs", "reversed"}));
}

TEST(Cases, ReachIntoLists) {
  Values batch = {c10::IValue(std::vector<Tensor>{at::randn({4, 4}), at::randn({4, 4})}), c10::IValue(3)};
  auto c = makeCase("large", batch, cpuDevice(), 1);
  EXPECT_GT(c.inputs[0].toTensorVector()[1].abs().max().item<double>(), 10);
  EXPECT_EQ(c.inputs[1].toInt(), 3);
}

}  // namespace
}  // namespace kadvise
