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
  HostAccess& access;
  std::int64_t threads;  // that the device is said to have

  // Warp by warp, since lanes know their neighbours' edges.
  template <class Form>
  bool columns(const PoolArgs& a) const {
    using Thread = ColumnThread<kKind, Form, HostMemory>;
    const SquareGrid grid = columnGrid<Form>(a, columnRun<Form>(a, threads));
    const HostMemory memory{&access};
    for (std::uint32_t first = 0; first < grid.threads; first += kPoolWarp) {
      std::vector<Thread> warp;
      for (std::uint32_t lane = 0; lane < kPoolWarp; ++lane) warp.emplace_back(a, grid, first + lane, memory);
      for (int step = 0; step < warp[0].steps(); ++step) {
        for (Thread& thread : warp) thread.read();
        for (std::size_t lane = 0; lane < kPoolWarp; ++lane)
          warp[lane].write(lane > 0 ? warp[lane - 1].lastColumn() : typename Thread::Edge{},
                           lane + 1 < kPoolWarp ? warp[lane + 1].firstColumn() : typename Thread::Edge{},
                           [](auto&) {});
      }
    }
    return true;
  }
  template <class Form>
  bool channels(const PoolArgs& a) const {
    const SquareGrid grid = channelGrid<Form>(a, channelRun<kKind, Form>(a, threads));
    const HostMemory memory{&access};
    for (std::uint32_t thread = 0; thread < grid.threads; ++thread)
      ChannelThread<kKind, Form, HostMemory>(a, grid, thread, memory).run([](auto&) {});
    return true;
  }
  // Thread by thread up to the barrier, then on.
  template <class Form>
  bool tiles(const PoolArgs& a) const {
    using Thread = TileThread<kKind, Form, HostMemory>;
    const TileGrid grid = tileGrid<Form>(a);
    if (grid.blocks == 0) return any(a);
    const HostMemory memory{&access};
    for (std::int64_t block = 0; block < grid.blocks; ++block) {
      const auto count = static_cast<std::size_t>(grid.sharedElements());
      std::vector<float> shared(count + 1, std::numeric_limits<float>::quiet_NaN());
      const auto each = [&](auto work) {
        for (int thread = 0; thread < kTileBlock; ++thread)
          work(Thread(a, grid, static_cast<std::uint32_t>(block), thread, shared.data(), memory));
      };
      each([](const Thread& thread) { thread.columnsOfX(); });
      each([](const Thread& thread) { thread.rowsOfSums([](auto&) {}); });
      EXPECT_TRUE(std::isnan(shared[count])) << "written behind the block's memory";
    }
    return true;
  }
  bool any(const PoolArgs& a) const {
    const PoolGrid grid = poolGrid(a);
    for (std::int64_t thread = 0; thread < grid.threads; ++thread)
      PoolThread<kKind, HostMemory>(a, poolPlace(a, grid, thread), HostMemory{&access}).run([](auto&) {});
    return true;
  }
};

struct Window {
  std::int32_t kernel, stride, pad, dilation;
};
struct Windows {
  Window depth, rows, columns;
  bool ceilMode, countsPadding;
};

PoolDim dimOf(const Tensor& x, const Tensor& y, std::int64_t dim, const Window& w) {
  return {x.size(dim), y.size(dim), w.kernel, w.stride, w.pad, w.dilation};
}
std::vector<std::int64_t> inAll(const Windows& w, std::int32_t Window::* number) {
  return {w.depth.*number, w.rows.*number, w.columns.*number};
}

void expectRight(const Tensor& images, bool channelsLast, PoolKind kind, const Windows& w,
                 std::int64_t divisor, std::int64_t threads) {
  const auto format = channelsLast ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::Contiguous;
  const Tensor x = images.contiguous(format);
  const auto maybe = divisor != 0 ? std::optional<std::int64_t>(divisor) : std::nullopt;
  const auto kernel = inAll(w, &Window::kernel), stride = inAll(w, &Window::stride),
             pad = inAll(w, &Window::pad), dilation = inAll(w, &Window::dilation);
  const Tensor exact = kind == PoolKind::Max
                           ? at::max_pool3d(x, kernel, stride, pad, dilation, w.ceilMode)
                           : at::avg_pool3d(x, kernel, stride, pad, w.ceilMode, w.countsPadding, maybe);
  Tensor y = at::empty(exact.sizes(), x.options(), format);
  HostAccess access(x, y);
  const PoolArgs a{x.const_data_ptr(),
                   y.mutable_data_ptr(),
                   x.size(0),
                   x.size(1),
                   dimOf(x, y, 2, w.depth),
                   dimOf(x, y, 3, w.rows),
                   dimOf(x, y, 4, w.columns),
                   divisor,
                   w.countsPadding,
                   channelsLast,
                   kind,
                   Dtype::Float,
                   kNoActivation};
  SCOPED_TRACE(testing::Message() << x.sizes() << (channelsLast ? " channels last" : "") << " kernel "
                                  << kernel << " stride " << stride << " pad " << pad << " dilation "
                                  << dilation << (w.ceilMode ? " ceil" : "")
                                  << (kind == PoolKind::Max ? " max" : " average"));
  // Float32 and 16 bits have as many elements in one access.
  const auto run = [&]<int kLanes>() {
    const bool byChannels = channelsLast && x.size(1) % kLanes == 0;
    return kind == PoolKind::Max
               ? withPoolForm<kLanes>(a, byChannels, RunPool<PoolKind::Max>{access, threads})
               : withPoolForm<kLanes>(a, byChannels, RunPool<PoolKind::Average>{access, threads});
  };
  x.size(1) % 3 == 0 ? run.operator()<8>() : run.operator()<4>();
  EXPECT_TRUE(access.isGood()) << access.outside << " accesses outside, " << access.misaligned
                               << " misaligned";
  EXPECT_TRUE(at::allclose(y, exact, 1e-5, 1e-6));
}

TEST(PoolWindow, every_thread_does_its_part_over_400_drawn_images_and_volumes) {
  at::manual_seed(7);
  std::mt19937 draw(9);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  const Window usual[] = {{2, 2, 0, 1}, {3, 2, 1, 1}, {3, 1, 1, 1}}, image = {1, 1, 0, 1};
  for (int i = 0; i < 400; ++i) {
    const bool isMax = i % 2 == 0;
    const auto any = [&]() -> Window {
      const auto kernel = static_cast<std::int32_t>(one({1, 2, 3, 5}));
      return {kernel, static_cast<std::int32_t>(one({1, 2, 3})),
              static_cast<std::int32_t>(one({0, kernel / 2})),
              isMax ? static_cast<std::int32_t>(one({1, 2, 3})) : 1};
    };
    Windows w{{}, one({0, 1, 2}) == 0 ? any() : usual[draw() % 3], {}, one({0, 1}) == 1, one({0, 1}) == 1};
    w.columns = w.rows;
    const Window depths[] = {w.rows, image, any()};
    w.depth = depths[draw() % 3];
    const bool isImage = one({0, 1}) == 1 && w.depth.kernel == 1;
    const auto size = [&](const Window& of) {
      return of.kernel * of.dilation + one({0, 1, 2, 5, isImage ? 40 : 9});
    };
    const Tensor x = at::randn({one({1, 2}), one({1, 3, 4, 12, 20, 24}), isImage ? 1 : size(w.depth),
                                size(w.rows), size(w.columns)});
    expectRight(x, one({0, 1}) == 1, isMax ? PoolKind::Max : PoolKind::Average, w, one({0, 0, 7}),
                one({0, 500, 1 << 20}));
  }
}

// Of more columns than a block has, and of windows that differ along rows and columns.
TEST(PoolWindow, every_block_does_its_part_over_100_drawn_wide_images) {
  at::manual_seed(11);
  std::mt19937 draw(12);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 100; ++i) {
    const bool isMax = i % 2 == 0;
    const auto any = [&](std::vector<std::int64_t> kernels) -> Window {
      const auto kernel = static_cast<std::int32_t>(one(std::move(kernels)));
      return {kernel, static_cast<std::int32_t>(one({1, 2, 4, kernel})),
              static_cast<std::int32_t>(one({0, kernel / 2})),
              isMax ? static_cast<std::int32_t>(one({1, 1, 3})) : 1};
    };
    const Windows w{{1, 1, 0, 1}, any({1, 4, 5, 7}), any({4, 5, 8, 11}), one({0, 1}) == 1, one({0, 1}) == 1};
    const Tensor x =
        at::randn({one({1, 3}), one({1, 5, 8, 24, 36}), 1, 22 + one({0, 3, 20}), 32 + one({0, 8, 300, 701})});
    expectRight(x, one({0, 1}) == 1, isMax ? PoolKind::Max : PoolKind::Average, w, one({0, 0, 7}), 500);
  }
}

// Windows that no block has room for, of x that has.
TEST(PoolWindow, windows_beyond_a_block_are_taken_element_by_element) {
  const Tensor x = at::randn({1, 2, 1, 3, 9000});
  const Windows w{{1, 1, 0, 1}, {2, 1, 0, 1}, {3, 1, 0, 4000}, false, false};
  expectRight(x, false, PoolKind::Max, w, 0, 500);
  // Rows of padding that lie further from x than 31 bits count.
  const Windows tall{{1, 1, 0, 1}, {4000, 1, 2000, 1}, {2, 400'000, 0, 1}, false, true};
  expectRight(at::randn({1, 1, 1, 1, 1'200'000}), false, PoolKind::Max, tall, 0, 500);
}

}  // namespace
}  // namespace kadvise::test
