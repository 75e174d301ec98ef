#include "profiler/activity_records.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "profiler/busy_time.h"
#include "profiler/occupancy.h"

namespace kadvise {
namespace {

ActivityRecord kernel(std::uint64_t startNs, std::uint64_t endNs, std::uint32_t correlation = 0) {
  ActivityRecord r{startNs, endNs};
  r.correlation = correlation;
  return r;
}

std::size_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096;
}

TEST(ActivityRecords, AMillionTakeFarLessThanAGigabyte) {
#ifdef KADVISE_SANITIZED
  GTEST_SKIP() << "the sanitizer's own memory is counted, too";
#endif
  constexpr std::size_t kRecords = 1'000'000, kNames = 1000;
  std::size_t before = residentBytes();
  ActivityRecords records;
  for (std::size_t i = 0; i < kRecords; ++i) {
    ActivityRecord r = kernel(i * 10, i * 10 + 5, static_cast<std::uint32_t>(i));
    // Names as the compiler makes them for templates, each from a buffer of its own.
    r.name = records.nameId("void a_kernel_with_a_long_name<" + std::string(200, 'x') +
                            std::to_string(i % kNames) + ">");
    r.shape = records.shapeId({{int(i % 64) + 1, 1, 1}, {128, 1, 1}, 32, 0, 0});
    records.add(r);
    records.addSite(r.correlation, static_cast<std::uint32_t>(i % 500 + 1));
  }
  records.finish();
  EXPECT_EQ(records.all().size(), kRecords);
  EXPECT_LT(residentBytes() - before, std::size_t{400} << 20);
  EXPECT_EQ(records.all()[501].site, 502u % 500);
}

TEST(ActivityRecords, NamesAndShapesAreKeptOnce) {
  ActivityRecords records;
  auto a = records.nameId("a"), b = records.nameId("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(records.nameId(std::string("a")), a);
  EXPECT_EQ(records.name(b), "b");
  LaunchShape shape{{2, 1, 1}, {64, 1, 1}, 40, 1024, 0};
  EXPECT_EQ(records.shapeId(shape), records.shapeId(shape));
  shape.registers = 41;
  EXPECT_EQ(records.shape(records.shapeId(shape)).registers, 41);
  ActivityRecords moved = std::move(records);
  EXPECT_EQ(moved.nameId("b"), b);
}

TEST(ActivityRecords, AreJoinedWithTheirCallsAndSorted) {
  ActivityRecords records;
  records.add(kernel(200, 300, 7));
  records.add(kernel(100, 150, 9));
  records.add(kernel(400, 450, 11));
  records.addSite(9, 2);
  records.addSite(7, 1);
  records.finish();
  EXPECT_EQ(records.all()[0].startNs, 100u);
  EXPECT_EQ(records.all()[0].site, 2u);
  EXPECT_EQ(records.all()[1].site, 1u);
  EXPECT_EQ(records.all()[2].site, 0u) << "nobody said where it comes from";
}

TEST(BusyTime, OverlapsCountOnceAndShowAsConcurrency) {
  GpuActivity a = gpuActivityOf({kernel(0, 10000), kernel(5000, 15000)}, 1);
  EXPECT_DOUBLE_EQ(a.busyUs, 15);
  EXPECT_DOUBLE_EQ(a.spanUs, 15);
  EXPECT_NEAR(a.concurrency, 20.0 / 15, 1e-12);
  EXPECT_EQ(a.launchBoundShare, 0);
  EXPECT_DOUBLE_EQ(a.kernels, 2);
}

TEST(BusyTime, OneInsideAnotherAddsNothing) {
  EXPECT_DOUBLE_EQ(busyUsOf({kernel(0, 10000), kernel(2000, 3000), kernel(4000, 12000)}), 12);
}

TEST(BusyTime, LongGapsAreWaitingForTheHost) {
  // 1 us of work, a gap of 1 us between queued launches, 1 us of work, a wait of 6 us, 1 us of work.
  GpuActivity a = gpuActivityOf({kernel(0, 1000), kernel(2000, 3000), kernel(9000, 10000)}, 1);
  EXPECT_DOUBLE_EQ(a.gapUs, 1);
  EXPECT_DOUBLE_EQ(a.waitingUs, 6);
  EXPECT_DOUBLE_EQ(a.longestGapUs, 6);
  EXPECT_DOUBLE_EQ(a.launchBoundShare, 0.6);
  EXPECT_DOUBLE_EQ(a.busyUs + a.gapUs + a.waitingUs, a.spanUs);
}

TEST(BusyTime, IsOfOneCall) {
  GpuActivity a = gpuActivityOf({kernel(0, 1000), kernel(5000, 6000)}, 2);
  EXPECT_DOUBLE_EQ(a.busyUs, 1);
  EXPECT_DOUBLE_EQ(a.kernels, 1);
  EXPECT_EQ(gpuActivityOf({}, 3).spanUs, 0);
}

TEST(BusyTime, WaitingHostsAndProfilersKeepNoGpuBusy) {
  ActivityRecord wait = kernel(0, 50000);
  wait.kind = Activity::Synchronisation;
  ActivityRecord copy = kernel(60000, 61000);
  copy.kind = Activity::Copy;
  copy.bytes = 4096;
  GpuActivity a = gpuActivityOf({wait, copy}, 1);
  EXPECT_DOUBLE_EQ(a.busyUs, 1);
  EXPECT_DOUBLE_EQ(a.spanUs, 1);
  EXPECT_DOUBLE_EQ(a.copiedBytes, 4096);
  EXPECT_DOUBLE_EQ(a.kernels, 0);
}

// An H100: 2048 threads, 32 blocks, 65536 registers, 228 KiB, of which each block takes 1 KiB beside its own.
constexpr SmLimits kHopper{132, 2048, 32, 65536, 32, 228 * 1024, 1024};

TEST(Occupancy, IsLimitedByThreadsRegistersSharedMemoryOrBlocks) {
  EXPECT_DOUBLE_EQ(occupancyAtBest({{1, 1, 1}, {256, 1, 1}, 32, 0, 0}, kHopper), 1);
  EXPECT_DOUBLE_EQ(occupancyAtBest({{1, 1, 1}, {256, 1, 1}, 128, 0, 0}, kHopper), 0.25);
  EXPECT_DOUBLE_EQ(occupancyAtBest({{1, 1, 1}, {128, 1, 1}, 32, 100 * 1024, 0}, kHopper), 256.0 / 2048);
  EXPECT_DOUBLE_EQ(occupancyAtBest({{1, 1, 1}, {32, 1, 1}, 32, 0, 0}, kHopper), 0.5);
  EXPECT_EQ(occupancyAtBest({{1, 1, 1}, {32, 1, 1}, 32, 0, 0}, SmLimits{}), 0)
      << "nothing is known of the device";
  EXPECT_EQ(occupancyAtBest({}, kHopper), 0) << "a copy has no block";
}

}  // namespace
}  // namespace kadvise
