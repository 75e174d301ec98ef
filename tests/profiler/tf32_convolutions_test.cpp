// Convolutions that cuDNN may compute in TF32 or not.
#include "profiler/tf32_convolutions.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "judging.h"
#include "profiler/other_draws.h"

namespace kadvise {
namespace {

using at::Tensor;

const char* kConvolutions[] = {
    "def forward(self, x, w):\n  return torch.conv2d(x, w, None, [1, 1], [1, 1])\n",
    "def forward(self, x, w):\n  return torch._convolution(x, w, None, [1, 1], [1, 1], [1, 1], False, [0, "
    "0], 1, "
    "False, False, True, True)\n",
    "def forward(self, x, w):\n  return torch.conv_transpose2d(x, w)\n",
};

// A convolution of ones and a value that TF32 rounds: to the nearest of its 10 bits.
TEST(ConvolutionsInTf32, ReadOperandsOfTenBits) {
  const float fine = 1 + std::ldexp(1.0f, -11) + std::ldexp(1.0f, -20), near = 1 + std::ldexp(1.0f, -10);
  for (auto* text : kConvolutions) {
    auto m = moduleFrom(text);
    const Values fineOnes = {at::full({1, 3, 8, 8}, fine), at::full({3, 3, 3, 3}, fine)};
    const Values nearOnes = {at::full({1, 3, 8, 8}, near), at::full({3, 3, 3, 3}, near)};
    Tensor want = m.forward(nearOnes).toTensor(), exact = m.forward(fineOnes).toTensor();
    {
      const ConvolutionsInTf32 here(at::kCPU);
      EXPECT_FALSE(here.sawOne());
      EXPECT_TRUE(at::equal(m.forward(fineOnes).toTensor(), want)) << text;
      EXPECT_TRUE(here.sawOne());
    }
    EXPECT_TRUE(at::equal(m.forward(fineOnes).toTensor(), exact)) << text;
    EXPECT_FALSE(at::equal(exact, want));
  }
}

TEST(ConvolutionsInTf32, LeaveAloneWhatTf32IsNotAbout) {
  const ConvolutionsInTf32 here(at::kCPU);
  Tensor special =
      at::tensor({INFINITY, -INFINITY, NAN, 0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f}).view({1, 1, 3, 3});
  Tensor one = at::ones({1, 1, 1, 1});
  EXPECT_TRUE(at::allclose(at::conv2d(special, one), special, 0, 0, /*equal_nan=*/true));
  const ConvolutionsInTf32 again(at::kCPU);
  Tensor x = at::full({1, 1, 4, 4}, 1.0 / 3, at::kDouble);
  EXPECT_TRUE(at::equal(at::conv2d(x, one.to(at::kDouble)), x));
  at::linear(at::ones({2, 3}), at::ones({4, 3}));
  EXPECT_FALSE(again.sawOne());
}

std::string convolutionThat(const std::string& words) {
  return "def forward(self, x, w):\n  return torch._convolution(x, w, None, [1, 1], [1, 1], [1, 1], False, "
         "[0, "
         "0], 1, False, False, " +
         words + ")\n";
}

TEST(ConvolutionsInTf32, LeaveAloneThoseThatForbidItAndOtherDevices) {
  const Values inputs = {at::rand({1, 3, 8, 8}), at::rand({3, 3, 3, 3})};
  auto isAskedOf = [&](const std::string& words, at::DeviceType type) {
    auto m = moduleFrom(convolutionThat(words));
    Tensor exact = m.forward(inputs).toTensor();
    const ConvolutionsInTf32 here(type);
    Tensor seen = m.forward(inputs).toTensor();
    EXPECT_EQ(here.sawOne(), !at::equal(seen, exact)) << words;
    return here.sawOne();
  };
  EXPECT_TRUE(isAskedOf("True, True", at::kCPU));
  EXPECT_FALSE(isAskedOf("True, True", at::kCUDA)) << "cuDNN computes nothing of the CPU's";
  EXPECT_FALSE(isAskedOf("True, False", at::kCPU)) << "allow_tf32";
  EXPECT_FALSE(isAskedOf("False, True", at::kCPU)) << "cudnn_enabled";
}

TEST(OtherDraws, TellWhenItIsTf32ThatMakesTheErrorsLarge) {
  Errors exact, inTf32;
  exact.rmsUlp = 1, inTf32.rmsUlp = 4000;
  const Redraw nothing = [](const Case&, int) { return std::optional<Draw>(); };
  auto drawn = [&](double candidate) {
    return overOtherDraws(
        {nothing, [](const Draw&) { return std::optional<Errors>(); },
         [&](const Errors& e) { return candidate <= 2 * e.rmsUlp; },
         [&](const Errors& e) { return candidate <= 16 * e.rmsUlp; }, [&] { return std::optional(inTf32); }},
        Case{"own", {}}, exact);
  };
  EXPECT_FALSE(drawn(1).isInTf32);
  EXPECT_TRUE(drawn(15).isInTf32);
  EXPECT_TRUE(drawn(7000).isInTf32);
  EXPECT_EQ(drawn(7000).errors.rmsUlp, 4000);
}

// 3 channels are convolved in float32 with channels first and in TF32 with channels last.
TEST(Tf32OnCuda, AConvolutionMayBeInTf32WhereTheProcessAllowsIt) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no GPU";
  const Device gpu = chooseDevice("cuda");
  const std::string first = kConvolutions[0],
                    last =
                        "def forward(self, x, w):\n  return torch.conv2d(x.contiguous(memory_format=2), w, "
                        "None, [1, 1], [1, "
                        "1]).contiguous()\n";
  const Values batch = inputsFromSpecs({"float32[4,3,64,64]", "float32[64,3,3,3]"}, "float32", gpu, 3);
  auto judged = [&](const std::string& after) {
    Subjects subjects{moduleFrom(first), moduleFrom(after), [=] { return moduleFrom(first); }};
    Pulse silent;
    return judgeEquivalence(subjects, batch, gpu, {}, silent);
  };
  Equivalence e = judged(last);
  EXPECT_EQ(e.outcome, Outcome::Same) << e.reason;
  EXPECT_NE(e.reason.find("in TF32"), std::string::npos) << e.reason;
  e = judged(
      "def forward(self, x, w):\n  return torch.conv2d(x.to(15), w.to(15), None, [1, 1], [1, 1]).to(6)\n");
  EXPECT_EQ(e.outcome, Outcome::WrongOutput) << e.reason;
  at::globalContext().setAllowTF32CuDNN(false);
  EXPECT_EQ(judged(last).outcome, Outcome::Same);  // in float32 then, which says nothing of TF32
  at::globalContext().setAllowTF32CuDNN(true);
}

}  // namespace
}  // namespace kadvise
