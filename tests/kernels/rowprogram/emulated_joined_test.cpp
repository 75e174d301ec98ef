// Pieces of a concatenation in one kernel, on the CPU against float64.
#include "tests/kernels/rowprogram/emulated_cases.h"

namespace kadvise::rowprogram {
namespace {

constexpr const char* kCopy = "rank 4\nx = in T\nout x T\n";
constexpr const char* kBiasLeaky = "rank 4\nx = in T\nb = in T\ns = add x b\ny = leaky_relu s 0.2\nout y T\n";
constexpr const char* kGatedSum = "rank 4\nx = in T\ny = in T\ns = silu y\nz = add x s\nout z T\n";

struct Joined {
  Cases cases;
  void add(const std::string& name, std::vector<const char*> texts, at::ScalarType t,
           std::vector<Tensor> inputs, std::int64_t dim) {
    EmulatedCase c;
    c.name = name + " " + dtypeText(t);
    c.inputs = std::move(inputs);
    for (const char* text : texts) c.pieces.push_back(with(text, dtypeText(t)));
    c.dim = dim;
    cases.all.push_back(std::move(c));
  }
};

Tensor image(at::IntArrayRef sizes, at::ScalarType t, bool isLast) {
  return random(sizes, t).contiguous(isLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
}

TEST(EmulatedJoined, channelsOfImages) {
  at::manual_seed(21);
  Joined joined;
  for (const at::ScalarType t : kDtypes)
    for (const bool last : {false, true}) {
      const auto channels = [&](std::int64_t count) { return image({2, count, 5, 8}, t, last); };
      joined.add("whole vectors", {kCopy, kBiasLeaky, kGatedSum, kCopy}, t,
                 {channels(32), channels(16), random({16, 1, 1}, t), channels(8), channels(8), channels(16)},
                 1);
      joined.add("odd channels", {kBiasLeaky, kCopy, kGatedSum}, t,
                 {channels(3), random({3, 1, 1}, t), channels(7), channels(1), channels(1)}, 1);
      joined.add("a part of a wider image", {kCopy, kBiasLeaky}, t,
                 {channels(24).narrow(1, 8, 16), channels(16), random({16, 1, 1}, t)}, 1);
    }
  check(joined.cases);
}

TEST(EmulatedJoined, otherDimensionsAndOnePieceAmongMany) {
  at::manual_seed(22);
  Joined joined;
  for (const at::ScalarType t : kTwoWidths) {
    joined.add("rows", {kGatedSum, kCopy}, t,
               {random({2, 3, 4, 16}, t), random({2, 3, 4, 16}, t), random({2, 3, 9, 16}, t)}, 2);
    joined.add("the last dimension", {kCopy, kGatedSum}, t,
               {random({2, 3, 4, 5}, t), random({2, 3, 4, 11}, t), random({2, 3, 4, 11}, t)}, 3);
    joined.add("batches", {kCopy, kCopy}, t, {random({1, 3, 4, 5}, t), random({3, 3, 4, 5}, t)}, 0);
    std::vector<const char*> texts(20, kCopy);
    std::vector<Tensor> inputs;
    for (int i = 0; i < 20; ++i) inputs.push_back(image({1, 8, 3, 4}, t, true));
    joined.add("twenty alike", texts, t, inputs, 1);
  }
  check(joined.cases);
}

}  // namespace
}  // namespace kadvise::rowprogram
