// The threads of the depthwise kernels, run on the CPU one after another: every output written once, nothing
// read or written outside, and the values those of torch in double precision.
#include "kernels/depthwise_conv/forms.h"
#include "tests/kernels/depthwise_args.h"
#include "tests/kernels/host_memory.h"

#include <gtest/gtest.h>

#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;

struct RunMarch {
  const DepthwiseArgs& a;
  HostAccess& access;
  std::int64_t sms;

  template <class Form>
  bool operator()() const {
    const auto tiles =
        depthwiseTiles(a, Form::kChannels, Form::kStrip, Form::kOpen - 1, /*blocksOfSm=*/3, sms);
    for (std::int64_t block = 0; block < tiles.blocks; ++block) {
      for (int thread = 0; thread < tiles.threads; ++thread)
        run<Form>(depthwisePlace(a, tiles, block, thread));
    }
    return true;
  }

  template <class Form>
  void run(const DepthwisePlace& place) const {
    if (place.row >= place.endRow) return;
    float weight[Form::kTaps * Form::kChannels], bias[Form::kChannels];
    for (int v = 0; v < Form::kChannels; ++v) {
      const std::int64_t channel = place.blockChannel + place.channelInBlock + v;
      for (int k = 0; k < Form::kTaps; ++k) {
        weight[k * Form::kChannels + v] = static_cast<const float*>(a.weight)[channel * Form::kTaps + k];
      }
      bias[v] = static_cast<const float*>(a.bias)[channel];
    }
    DepthwiseMarch<Form, HostMemory> march(a, place, HostMemory{&access}, weight, bias);
    march.run([](auto&) {});
  }
};

struct Shape {
  std::int64_t images, channels, rows, columns;
  std::int32_t kernelRows, kernelColumns, stride, padRows, padColumns;
};

void expectRight(const Shape& s, bool channelsLast, bool byChannels, std::int64_t sms) {
  const auto format = channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  const Tensor x = at::randn({s.images, s.channels, s.rows, s.columns}).contiguous(format);
  const Tensor weight = at::randn({s.channels, 1, s.kernelRows, s.kernelColumns}),
               bias = at::randn({s.channels});
  const Tensor exact = at::conv2d(x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble), s.stride,
                                  {s.padRows, s.padColumns}, 1, s.channels);
  Tensor y = at::empty(exact.sizes(), x.options(), format);
  HostAccess access(x, y);
  const DepthwiseArgs a =
      depthwiseArgs(x, weight, bias, y, {s.stride, s.stride, s.padRows, s.padColumns, 1, 1}, channelsLast);
  SCOPED_TRACE(testing::Message() << x.sizes() << " kernel " << weight.sizes() << " stride " << s.stride
                                  << " pad " << s.padRows << " " << s.padColumns
                                  << (channelsLast ? " channels last" : "")
                                  << (byChannels ? " by channels" : "") << " sms " << sms);
  ASSERT_TRUE(withDepthwiseForm(a, byChannels, false, RunMarch{a, access, sms}));
  EXPECT_TRUE(access.isGood()) << access.outside << " accesses outside, " << access.misaligned
                               << " misaligned";
  EXPECT_LE((y.to(at::kDouble) - exact).abs().max().item<double>(), 1e-4);
}

TEST(DepthwiseMarch, every_thread_does_its_part_over_120_drawn_images) {
  at::manual_seed(7);
  std::mt19937 draw(7);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  const auto small = [&](std::vector<std::int64_t> from) {
    return static_cast<std::int32_t>(one(std::move(from)));
  };
  for (int i = 0; i < 120; ++i) {
    const std::int32_t size = small({3, 5, 7});
    const bool channelsLast = i % 2 == 0;
    const std::int64_t channels = one({1, 3, 4, 12, 36, 64, 132});
    const Shape s{
        one({1, 2}), channels,         size + one({0, 1, 6, 19}),      size + one({0, 1, 4, 9, 33}),  size,
        size,        small({1, 1, 2}), small({0, size / 2, size - 1}), small({0, size / 2, size - 1})};
    expectRight(s, channelsLast, channelsLast && channels % 4 == 0 && one({0, 1}) == 1, one({1, 4, 132}));
  }
}

TEST(DepthwiseMarch, signals_are_columns_and_rows_of_images) {
  for (std::int32_t size = 3; size <= 7; ++size) {
    for (const std::int64_t length : {7, 8, 100, 515}) {
      for (const std::int64_t channels : {4, 60, 260}) {
        expectRight({2, channels, length, 1, size, 1, 1, size / 2, 0}, true, true, 132);
        expectRight({2, channels, 1, length, 1, size, 1, 0, size - 1}, false, false, 132);
      }
    }
  }
}

TEST(DepthwiseMarch, has_no_form_for_other_kernels_and_strides) {
  HostAccess* none = nullptr;
  for (const auto& [rows, columns, stride] :
       {std::tuple{9, 9, 1}, std::tuple{3, 5, 1}, std::tuple{3, 3, 3}, std::tuple{2, 2, 1}}) {
    DepthwiseArgs a{};
    a.kernelRows = rows;
    a.kernelColumns = columns;
    a.strideRows = a.strideColumns = stride;
    EXPECT_FALSE(withDepthwiseForm(a, false, false, RunMarch{a, *none, 132}));
    EXPECT_FALSE(withDepthwiseForm(a, true, false, RunMarch{a, *none, 132}));
  }
}

}  // namespace
}  // namespace kadvise::test
