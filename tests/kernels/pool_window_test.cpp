// The threads of the pooling kernels, run on the CPU one after another: every output written once, nothing
// read or written outside, and the values those of torch.
#include "kernels/pool/forms.h"
#include "tests/kernels/host_memory.h"

#include <gtest/gtest.h>

#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;

template <PoolKind kKind>
struct RunPool {
  const PoolArgs& a;
  HostAccess& access;

  template <class Form>
  bool square() const {
    const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
    const SquareGrid grid = squareGrid<Form>(a, aligned(a.x) && aligned(a.result));
    const HostMemory memory{&access};
    for (std::uint32_t thread = 0; thread < grid.threads; ++thread)
      SquareThread<kKind, Form, HostMemory>(a, grid, thread, memory).run([](auto&) {});
    return true;
  }
  template <class Form>
  bool any() const {
    const PoolGrid grid = poolGrid(a, Form::kChannels);
    for (std::int64_t thread = 0; thread < grid.threads; ++thread) {
      const PoolPlace place = poolPlace(a, grid, thread, Form::kChannels);
      PoolThread<kKind, Form, HostMemory>(a, place, HostMemory{&access}).run([](auto&) {});
    }
    return true;
  }
};

struct Windows {
  std::int32_t kernel, stride, pad, dilation;
  bool ceilMode, countsPadding;
};

PoolDim dimOf(const Tensor& x, const Tensor& y, std::int64_t dim, const Windows& w) {
  return {x.size(dim), y.size(dim), w.kernel, w.stride, w.pad, w.dilation};
}

void expectRight(const Tensor& images, bool channelsLast, PoolKind kind, const Windows& w,
                 std::int64_t divisor) {
  const auto format = channelsLast ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::Contiguous;
  const Tensor x = images.contiguous(format);
  const auto maybe = divisor != 0 ? std::optional<std::int64_t>(divisor) : std::nullopt;
  const Tensor exact = kind == PoolKind::Max
                           ? at::max_pool3d(x, w.kernel, w.stride, w.pad, w.dilation, w.ceilMode)
                           : at::avg_pool3d(x, w.kernel, w.stride, w.pad, w.ceilMode, w.countsPadding, maybe);
  Tensor y = at::empty(exact.sizes(), x.options(), format);
  HostAccess access(x, y);
  const PoolArgs a{x.const_data_ptr(),
                   y.mutable_data_ptr(),
                   x.size(0),
                   x.size(1),
                   dimOf(x, y, 2, w),
                   dimOf(x, y, 3, w),
                   dimOf(x, y, 4, w),
                   divisor,
                   w.countsPadding,
                   channelsLast,
                   kind,
                   Dtype::Float,
                   kNoActivation};
  SCOPED_TRACE(testing::Message() << x.sizes() << (channelsLast ? " channels last" : "") << " kernel "
                                  << w.kernel << " stride " << w.stride << " pad " << w.pad << " dilation "
                                  << w.dilation << (w.ceilMode ? " ceil" : "")
                                  << (kind == PoolKind::Max ? " max" : " average"));
  const bool byChannels = channelsLast && x.size(1) % 4 == 0;
  if (kind == PoolKind::Max) {
    withPoolForm<4>(a, byChannels, RunPool<PoolKind::Max>{a, access});
  } else {
    withPoolForm<4>(a, byChannels, RunPool<PoolKind::Average>{a, access});
  }
  EXPECT_TRUE(access.isGood()) << access.outside << " accesses outside, " << access.misaligned
                               << " misaligned";
  EXPECT_TRUE(at::allclose(y, exact, 1e-5, 1e-6));
}

TEST(PoolWindow, every_thread_does_its_part_over_400_drawn_volumes) {
  at::manual_seed(7);
  std::mt19937 draw(9);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 400; ++i) {
    const bool isMax = i % 2 == 0;
    const Windows usual[] = {
        {2, 2, 0, 1, false, true}, {3, 2, 1, 1, false, false}, {3, 1, 1, 1, false, true}};
    Windows w = usual[draw() % 3];
    if (one({0, 1}) == 1) {
      w.kernel = static_cast<std::int32_t>(one({1, 2, 3, 5}));
      w.stride = static_cast<std::int32_t>(one({1, 2, 3}));
      w.pad = static_cast<std::int32_t>(one({0, w.kernel / 2}));
      w.dilation = isMax ? static_cast<std::int32_t>(one({1, 2, 3})) : 1;
    }
    w.ceilMode = one({0, 1}) == 1;
    const auto size = [&] { return w.kernel * w.dilation + one({0, 1, 2, 5, 14}); };
    const Tensor x = at::randn({one({1, 2}), one({1, 3, 4, 12, 20}), size(), size(), size()});
    expectRight(x, one({0, 1}) == 1, isMax ? PoolKind::Max : PoolKind::Average, w, one({0, 0, 7}));
  }
}

}  // namespace
}  // namespace kadvise::test
