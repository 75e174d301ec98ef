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

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::count(names.begin(), names.end(), name) > 0;
}

TEST(WideCases, AskForTheOtherSign) {
  Values batch = {at::rand({16, 32})};
  EXPECT_FALSE(has(caseNames(batch), "signed"));
  EXPECT_TRUE(has(caseNames(batch, Breadth::Wide), "signed"));
  EXPECT_LT(made("signed", batch).min().item<double>(), 0);
}

TEST(WideCases, HoldTheValuesThatTheyAreNamedAfter) {
  Values batch = {at::randn({16, 32})};
  EXPECT_TRUE(made("nan", batch).isnan().any().item<bool>());
  EXPECT_TRUE(made("nan", batch)[15][31].isnan().item<bool>());
  EXPECT_TRUE(made("infinite", batch).isinf().any().item<bool>());
  EXPECT_FALSE(made("infinite", batch).isnan().any().item<bool>());
  EXPECT_GT(made("huge", batch).abs().max().item<double>(), 1e29);
  Tensor zero = made("zeros", batch), reciprocal = 1 / zero;
  EXPECT_TRUE(reciprocal.eq(INFINITY).any().item<bool>() && reciprocal.eq(-INFINITY).any().item<bool>());
  Tensor tiny = made("denormal", batch);
  EXPECT_TRUE(tiny.ne(0).any().item<bool>());
  EXPECT_LT(tiny.abs().max().item<double>(), 1.2e-38);
}

TEST(WideCases, RepeatIndicesThatAreThere) {
  Tensor ids = at::arange(10, 22);
  Tensor repeated = made("repeated", {ids});
  EXPECT_TRUE(at::isin(repeated, ids).all().item<bool>());
  EXPECT_LT(std::get<0>(at::_unique(repeated)).numel(), ids.numel());
  EXPECT_FALSE(has(caseNames({ids}, Breadth::Wide, /*mayIndex=*/true), "extremes"));
  EXPECT_TRUE(has(caseNames({ids}, Breadth::Wide, /*mayIndex=*/false), "extremes"));
  EXPECT_EQ(made("extremes", {at::zeros({64}, at::kInt)}).max().item<std::int64_t>(), 2147483647);
}

TEST(WideCases, ChangeOneArgumentEach) {
  auto inner = c10::ivalue::Tuple::create({c10::IValue(1), at::ones({2})});
  Values batch = {at::randn({8}), c10::IValue(-1), inner, c10::IValue("text"), c10::IValue()};
  auto names = caseNames(batch, Breadth::Wide);
  for (const char* name : {"input 1 as 1", "input 1 as -2", "input 2[0] as 2", "input 2[0] as -2"})
    EXPECT_TRUE(has(names, name)) << name;
  Values changed = makeCase("input 2[0] as 2", batch, cpuDevice(), 1).inputs;
  EXPECT_EQ(changed[2].toTupleRef().elements()[0].toInt(), 2);
  EXPECT_EQ(changed[1].toInt(), -1);
  EXPECT_TRUE(at::equal(changed[0].toTensor(), batch[0].toTensor()));
  EXPECT_FALSE(has(caseNames(batch), "input 1 as 1"));
}

TEST(WideCases, SetWholeMasks) {
  Tensor flags = at::rand({64}).lt(0.5);
  EXPECT_TRUE(made("masks-true", {flags}).all().item<bool>());
  EXPECT_FALSE(made("masks-false", {flags}).any().item<bool>());
  Tensor additive = at::zeros({4, 4}).masked_fill_(at::ones({4, 4}, at::kBool).triu(1), -INFINITY);
  EXPECT_TRUE(made("masks-true", {additive}).eq(0).all().item<bool>());
  EXPECT_TRUE(made("masks-false", {additive}).eq(-INFINITY).all().item<bool>());
}

TEST(WideCases, ChangeEqualSizesTogether) {
  Values batch = {at::randn({8, 64}), at::randn({64, 4}), at::arange(8)};
  auto names = caseNames(batch, Breadth::Wide);
  for (const char* name : {"size 64 as 65", "size 64 as 63", "size 8 as 1", "size 8 as 0", "size 8 as 17"})
    EXPECT_TRUE(has(names, name)) << name;
  EXPECT_EQ(made("size 64 as 65", batch).sizes(), (std::vector<std::int64_t>{8, 65}));
  EXPECT_EQ(made("size 64 as 65", batch, 1).sizes(), (std::vector<std::int64_t>{65, 4}));
  EXPECT_EQ(made("size 8 as 17", batch, 2).size(0), 17);
  EXPECT_LT(made("size 8 as 17", batch, 2).max().item<int>(), 8);
}

TEST(WideCases, ChangeABatchAloneThatIsAsLargeAsAnotherSize) {
  Values batch = {at::randn({16, 16})};
  EXPECT_TRUE(has(caseNames(batch, Breadth::Wide), "first dimension 16 as 17"));
  EXPECT_EQ(made("first dimension 16 as 17", batch).sizes(), (std::vector<std::int64_t>{17, 16}));
}

TEST(WideCases, KeepTheValuesInOtherLayouts) {
  Tensor x = at::randn({2, 4, 6, 5});
  for (std::string name : {"sliced", "transposed", "misaligned", "every other", "channels-last"}) {
    Tensor other = made("layout " + name, {x});
    EXPECT_TRUE(at::equal(other, x)) << name;
    EXPECT_TRUE(other.strides() != x.strides() || other.storage_offset() != 0) << name;
  }
  EXPECT_EQ(made("layout repeated", {x}).stride(0), 0);
}

TEST(Indices, AreToldFromNumbers) {
  EXPECT_FALSE(mayIndex(moduleFrom("def forward(self, i):\n  return i * 3 + 1\n")));
  EXPECT_TRUE(mayIndex(moduleFrom("def forward(self, w, i):\n  return torch.embedding(w, i)\n")));
  EXPECT_TRUE(mayIndex(moduleFrom(
      "def forward(self, x, i):\n  if bool(x.sum() > 0):\n    x = torch.gather(x, 0, i)\n  return x\n")));
}

TEST(Cases, ReachIntoLists) {
  Values batch = {c10::IValue(std::vector<Tensor>{at::randn({4, 4}), at::randn({4, 4})}), c10::IValue(3)};
  auto c = makeCase("large", batch, cpuDevice(), 1);
  EXPECT_GT(c.inputs[0].toTensorVector()[1].abs().max().item<double>(), 10);
  EXPECT_EQ(c.inputs[1].toInt(), 3);
}

}  // namespace
}  // namespace kadvise
