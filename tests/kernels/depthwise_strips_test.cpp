// The threads of the depthwise kernel for any kernel, run on the CPU one after another: every output written
// once, nothing read or written outside, and the values those of torch in double precision.
#include "kernels/depthwise_conv/strips.h"
#include "tests/kernels/depthwise_args.h"
#include "tests/kernels/host_memory.h"

#include <gtest/gtest.h>

#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;

struct Case {
  std::int64_t images, channels, rows, columns;
  std::int32_t kernelRows, kernelColumns, strideRows, strideColumns, padRows, padColumns, dilationRows,
      dilationColumns;
};

template <int kChannels, bool kSlides>
void runStrips(const DepthwiseArgs& a, const DepthwiseStrips& p, HostAccess& access) {
  const StripOfResults<HostMemory, kChannels, kSlides> strip(a, p, HostMemory{&access});
  const std::int64_t taps = p.taps.divisor;
  for (std::int64_t block = 0; block < p.blocks; ++block) {
    const std::int64_t firstTile = block / p.laneTiles.divisor,
                       firstChannel = block % p.laneTiles.divisor * p.lanes * kChannels;
    for (int thread = 0; thread < p.lanes * p.places; ++thread) {
      const std::int64_t channel = firstChannel + thread % p.lanes * kChannels;
      if (channel >= a.channels) continue;
      float bias[kChannels];
      std::copy_n(static_cast<const float*>(a.bias) + channel, kChannels, bias);
      for (std::int64_t tile = firstTile; tile < p.tiles; tile += p.step) {
        const StripPlace at = stripPlace(a, p, tile, thread / p.lanes);
        if (at.isIdle) continue;
        strip.run(
            at, channel, bias,
            [&](int tap, float(&w)[kChannels]) {
              for (int v = 0; v < kChannels; ++v)
                w[v] = static_cast<const float*>(a.weight)[(channel + v) * taps + tap];
            },
            [](auto&) {});
      }
    }
  }
}

// slice: the channels are some of those of a larger image.
void expectRight(const Case& c, bool channelsLast, bool byChannels, bool slice, std::int64_t sms) {
  const auto format = channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  const Tensor whole =
      at::randn({c.images, c.channels + (slice ? 8 : 0), c.rows, c.columns}).contiguous(format);
  const Tensor x = whole.slice(1, slice ? 4 : 0, (slice ? 4 : 0) + c.channels);
  const Tensor weight = at::randn({c.channels, 1, c.kernelRows, c.kernelColumns}),
               bias = at::randn({c.channels});
  const Tensor exact = at::conv2d(x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble),
                                  {c.strideRows, c.strideColumns}, {c.padRows, c.padColumns},
                                  {c.dilationRows, c.dilationColumns}, c.channels);
  Tensor y = at::empty(exact.sizes(), x.options(), format);
  HostAccess access(whole, y);
  const DepthwiseArgs a = depthwiseArgs(
      x, weight, bias, y,
      {c.strideRows, c.strideColumns, c.padRows, c.padColumns, c.dilationRows, c.dilationColumns},
      channelsLast);
  SCOPED_TRACE(testing::Message() << x.sizes() << " " << x.strides() << " kernel " << weight.sizes()
                                  << " stride " << c.strideRows << " " << c.strideColumns << " pad "
                                  << c.padRows << " " << c.padColumns << " dilation " << c.dilationRows << " "
                                  << c.dilationColumns << (byChannels ? " by channels" : "") << " sms "
                                  << sms);
  ASSERT_TRUE(hasStrips(a));
  EXPECT_EQ(isDense(a), whole.size(1) == c.channels || (!channelsLast && c.images == 1));
  const DepthwiseStrips p = depthwiseStrips(a, byChannels ? kDepthwiseChannels : 1, sizeof(float), sms);
  const bool slides = (p.downRows ? c.strideRows : c.strideColumns) == 1;
  EXPECT_LE(p.threads, kDepthwiseBlock);
  EXPECT_LE(p.taps.divisor * p.tapStride * std::int64_t{sizeof(float)}, std::int64_t{48} << 10);
  if (byChannels && slides) runStrips<kDepthwiseChannels, true>(a, p, access);
  if (byChannels && !slides) runStrips<kDepthwiseChannels, false>(a, p, access);
  if (!byChannels && slides) runStrips<1, true>(a, p, access);
  if (!byChannels && !slides) runStrips<1, false>(a, p, access);
  EXPECT_TRUE(access.isGood()) << access.outside << " accesses outside, " << access.misaligned
                               << " misaligned";
  EXPECT_LE((y.to(at::kDouble) - exact).abs().max().item<double>(), 3e-4);
}

TEST(DepthwiseStrips, every_thread_does_its_part_over_200_drawn_images) {
  at::manual_seed(8);
  std::mt19937 draw(8);
  const auto one = [&](std::vector<std::int32_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 200; ++i) {
    const bool channelsLast = i % 2 == 0;
    const std::int32_t channels = one({1, 3, 4, 12, 36, 132}), kernelRows = one({1, 1, 2, 3, 5, 11, 21}),
                       kernelColumns = one({1, 2, 3, 7, 11}), dilationRows = one({1, 1, 1, 2, 6}),
                       dilationColumns = one({1, 1, dilationRows, 3});
    const std::int32_t reachRows = dilationRows * (kernelRows - 1) + 1,
                       reachColumns = dilationColumns * (kernelColumns - 1) + 1;
    const std::int32_t padRows = one({0, reachRows / 2, reachRows - 1, 2 * reachRows}),
                       padColumns = one({0, reachColumns / 2, reachColumns - 1});
    const Case c{one({1, 2}),
                 channels,
                 std::max(1, reachRows - 2 * padRows) + one({0, 1, 6, 19}),
                 std::max(1, reachColumns - 2 * padColumns) + one({0, 1, 4, 9, 33}),
                 kernelRows,
                 kernelColumns,
                 one({1, 1, 1, 2, 3}),
                 one({1, 1, 1, 2, 4}),
                 padRows,
                 padColumns,
                 dilationRows,
                 dilationColumns};
    expectRight(c, channelsLast, channelsLast && channels % 4 == 0 && one({0, 1, 1}) == 1, one({0, 1}) == 1,
                one({1, 4, 132}));
  }
}

TEST(DepthwiseStrips, the_largest_kernels_have_room) {
  expectRight({1, 8, 40, 40, 31, 31, 1, 1, 15, 15, 1, 1}, true, true, false, 132);
  expectRight({1, 8, 36, 34, 32, 32, 1, 1, 16, 15, 1, 1}, false, false, true, 132);
  expectRight({2, 3, 1, 1500, 1, 1024, 1, 1, 0, 511, 1, 1}, false, false, false, 132);
  DepthwiseArgs a{};
  a.kernelRows = 25, a.kernelColumns = 41;
  EXPECT_FALSE(hasStrips(a));
}

}  // namespace
}  // namespace kadvise::test
