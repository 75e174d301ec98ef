// Kernels that read operands of another order in memory by tiles, on the CPU against float64.
#include "tests/kernels/rowprogram/emulated_cases.h"

namespace kadvise::rowprogram {
namespace {

constexpr const char* kTold = R"(rank 4
x = in T
b = in T
y = in T
s = add x b
a = silu s
m = mul a y
out m T contiguous
)";
constexpr const char* kOfBothOrders = R"(rank 4
x = in T
b = in T
y = in T
s = add x b
a = silu s
m = mul a y
out m T contiguous
out s T
)";
constexpr const char* kTwoTurned = R"(rank 2
x = in T
y = in T
m = in bool
z = in T
a = add x y
c = where m a z
out c T contiguous
)";

constexpr const char* kByVectors[] = {"tiles/t256/k2/b256/v4", "tiles/t256/k4/b256/v4", ""};
constexpr const char* kByElements[] = {"tiles/t256/k8/b256/v1", "tiles/t256/k16/b256/v1", ""};

Tensor image(at::IntArrayRef sizes, at::ScalarType t) {
  return random(sizes, t).contiguous(at::MemoryFormat::ChannelsLast);
}

TEST(EmulatedTiles, channelsLastToFirst) {
  at::manual_seed(11);
  Cases cases;
  for (const at::ScalarType t : kDtypes)
    for (const char* schedule : kByVectors) {
      cases.add("an image and its bias", kTold, t,
                {image({2, 40, 10, 12}, t), random({40, 1, 1}, t), random({2, 40, 10, 12}, t)}, schedule);
      cases.add("more than one tile", kTold, t,
                {image({1, 70, 9, 16}, t), random({70, 1, 1}, t), image({1, 70, 9, 16}, t)}, schedule);
      cases.add("a number for each pixel", kTold, t,
                {image({2, 9, 4, 20}, t), random({4, 20}, t), random({2, 9, 4, 20}, t)}, schedule);
    }
  check(cases);
}

// Tiles as narrow, or as deep, as these have them.
TEST(EmulatedTiles, fewChannels) {
  at::manual_seed(15);
  Cases cases;
  for (const at::ScalarType t : kDtypes)
    for (const std::int64_t channels : {8, 12, 24}) {
      const auto turned = [&] { return random({2, channels, 20, 36}, t).permute({0, 2, 3, 1}); };
      for (const char* schedule : kByVectors) {
        cases.add(
            "last to first", kTold, t,
            {image({2, channels, 20, 36}, t), random({channels, 1, 1}, t), random({2, channels, 20, 36}, t)},
            schedule);
        cases.add("first to last", kTold, t, {turned(), random({channels}, t), turned()}, schedule);
      }
    }
  check(cases);
}

TEST(EmulatedTiles, outputsOfBothOrders) {
  at::manual_seed(14);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    for (const char* schedule : kByVectors)
      cases.add("some operands turned", kOfBothOrders, t,
                {image({1, 70, 9, 16}, t), random({70, 1, 1}, t), random({1, 70, 9, 16}, t)}, schedule);
    // Three tiles of 64 x 64 are more than a block has room for.
    for (const char* schedule : {kByVectors[0], kByVectors[2]})
      cases.add("all of them", kOfBothOrders, t,
                {image({2, 40, 10, 12}, t), random({40, 1, 1}, t), image({2, 40, 10, 12}, t)}, schedule);
    for (const char* schedule : {kByElements[0], kByElements[2]})
      cases.add("odd pixels", kOfBothOrders, t,
                {image({3, 33, 5, 7}, t), random({33, 1, 1}, t), image({3, 33, 5, 7}, t)}, schedule);
  }
  check(cases);
}

TEST(EmulatedTiles, rowsThatEndWithinAVector) {
  at::manual_seed(12);
  Cases cases;
  for (const at::ScalarType t : kDtypes)
    for (const char* schedule : kByElements)
      cases.add("odd pixels", kTold, t,
                {image({3, 33, 5, 7}, t), random({33, 1, 1}, t), random({3, 33, 5, 7}, t)}, schedule);
  check(cases);
}

TEST(EmulatedTiles, severalOperandsOfSeveralWidths) {
  at::manual_seed(13);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    for (const char* schedule : {"tiles/t256/k2/b256/v4", ""})
      cases.add(
          "two and a mask", kTwoTurned, t,
          {random({136, 72}, t).t(), random({72, 136}, t), (random({136, 72}, t) > 0).t(), random({136}, t)},
          schedule);
    for (const char* schedule : {"tiles/t256/k8/b256/v1", ""})
      cases.add("gaps, begun within a vector", kTwoTurned, t,
                {random({131, 80}, t).t().narrow(0, 1, 70), random({70, 140}, t).narrow(1, 3, 131),
                 (random({131, 70}, t) > 0).t(), random({70, 1}, t)},
                schedule);
  }
  check(cases);
}

}  // namespace
}  // namespace kadvise::rowprogram
