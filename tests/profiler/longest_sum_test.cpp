#include "profiler/longest_sum.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kadvise {
namespace {

TEST(LongestSum, IsThatOfTheOperatorWithMostTerms) {
  at::Tensor x = at::ones({3, 40}), image = at::ones({1, 6, 9, 9}), q = at::ones({1, 2, 50, 8});
  EXPECT_EQ(longestSum([&] { x.relu(); }), 1);
  EXPECT_EQ(longestSum([&] { at::linear(x, at::ones({7, 40})).softmax(-1); }), 40);
  EXPECT_EQ(longestSum([&] { at::linear(x, at::ones({7, 40}), at::ones({7})).sum(); }), 40);
  EXPECT_EQ(longestSum([&] { at::conv2d(image, at::ones({4, 6, 3, 3})); }), 54);
  EXPECT_EQ(longestSum([&] { at::scaled_dot_product_attention(q, q, q); }), 50);
  EXPECT_EQ(longestSum([&] { at::layer_norm(image, {9, 9}); }), 81);
  EXPECT_EQ(longestSum([&] { x.mean(0); }), 3);
  EXPECT_EQ(longestSum([&] { x.mean(); }), 120);
  EXPECT_EQ(longestSum([&] { image.sum({1, -1}); }), 54);
  EXPECT_EQ(longestSum([&] { image.norm(2, {1}); }), 6);
  EXPECT_EQ(longestSum([&] { at::group_norm(image, 2); }), 243);
  EXPECT_EQ(longestSum([&] { at::conv_transpose2d(image, at::ones({6, 4, 3, 3})); }), 54);
  EXPECT_EQ(longestSum([&] { at::arange(1000).sum(); }), 1) << "whole numbers are exact";
}

TEST(LongestSum, OfOneCallIsForgottenInTheNext) {
  at::Tensor x = at::ones({3, 40});
  EXPECT_EQ(longestSum([&] { x.sum(); }), 120);
  EXPECT_EQ(longestSum([&] { x.sum(0); }), 3);
}

}  // namespace
}  // namespace kadvise
