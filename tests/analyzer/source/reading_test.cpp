// Sources as people write them, read with kadvise's own declarations: every kernel is whole in the tree.
#include <gtest/gtest.h>

#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {
using test::TemporaryFolder;

// The messages of what could not be read; "" when all could.
std::string errorsOf(const LintResult& r) {
  std::string out;
  for (auto& e : r.parsed.errors) out += std::to_string(e.line) + ": " + e.message + "\n";
  for (auto& m : r.parsed.missing) out += "missing: " + m + "\n";
  return out;
}

// Lints the first of the files.
LintResult lintedIn(const TemporaryFolder& folder,
                    const std::vector<std::pair<std::string, std::string>>& files) {
  for (auto& [name, text] : files) folder.write(name, text);
  return linted(files.front().second, {"cuda/block-too-large"}, (folder.path / files.front().first).string());
}

TEST(Reading, WarningsThatClangTakesForErrorsAreNone) {
  auto r = linted(R"(
#define UNIT "us"
__global__ void k(float* x, int n) {
  register int i = threadIdx.x;
  int pair[2] = {n, 1.5f};
  printf("%d"UNIT, pair[0]);
  x[i] = 0;
}
)",
                  {});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, AKernelMayLaunchAKernelAndCallTheRuntime) {
  auto r = linted(R"(
__global__ void child(int* x) { x[0] = 1; }
__global__ void parent(int* x) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  child<<<1, 32, 0, s>>>(x);
  cudaStreamDestroy(s);
}
)",
                  {});
  EXPECT_EQ(r.kernels, 2);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, LaunchAttributesTensorMapsAndWordsOfPtxAreKnown) {
  auto r = linted(R"(
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__global__ void k(float* x, const __grid_constant__ CUtensorMap map) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_init(cuda::device::barrier_native_handle(ready), 1);
  }
  x[threadIdx.x] = 0;
}
void run(float* x, CUtensorMap map) {
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = swizzle != CU_TENSOR_MAP_SWIZZLE_NONE ? 2 : 1;
  cudaLaunchConfig_t config{};
  config.attrs = attributes, config.numAttrs = 2;
  cudaLaunchKernelEx(&config, k, x, map);
}
)",
                  {});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, HeadersOfOthersThatAProjectBringsAreFound) {
  TemporaryFolder folder;
  auto r =
      lintedIn(folder, {{"csrc/k.cu", "#include <tiles/tile.h>\n__global__ void k(Tile* t) { t->x = 0; }\n"},
                        {"3rdparty/tiles/include/tiles/tile.h", "struct Tile { int x; };\n"}});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(r.brokenKernels, 0);
  EXPECT_EQ(errorsOf(r), "");
}

// The build has folders that nobody told us.
TEST(Reading, AHeaderThatOnlyOnePlaceOfTheProjectHasIsFound) {
  TemporaryFolder folder;
  folder.write("LICENSE", "");
  std::string text =
      "#include \"common/types.h\"\n#include \"tile.h\"\n__global__ void k(Tile* t) { t->x = Type(0); }\n";
  auto r = lintedIn(
      folder, {{"csrc/moe/k.cu", text},
               {"csrc/internal/common/types.h", "typedef int Type;\n"},
               {"csrc/internal/deep/include/tile.h", "#include \"gen/parts.h\"\nstruct Tile : Parts {};\n"},
               {"csrc/generated/gen/parts.h", "struct Parts { int x; };\n"}});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, OfSeveralHeadersTheNearestIsMeantAndOfTwoAsNearNone) {
  TemporaryFolder folder;
  folder.write("LICENSE", "");
  std::string text = "#include \"tile.h\"\n__global__ void k(Tile* t) { t->near = 0; }\n";
  auto near = lintedIn(folder, {{"a/src/k.cu", text},
                                {"a/parts/tile.h", "struct Tile { int near; };\n"},
                                {"b/parts/tile.h", "struct Tile { int far; };\n"}});
  EXPECT_EQ(errorsOf(near), "");
  auto none = lintedIn(folder, {{"c/k.cu", text}});
  EXPECT_EQ(none.brokenKernels, 1);
  EXPECT_EQ(none.parsed.missing, std::vector<std::string>{"tile.h"});
}

TEST(Reading, TextForNvccOnlyIsRead) {
  auto r = linted(R"(
#ifdef __NVCC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
BOTH inline float2& operator+=(float2& a, float2 b) { a.x += b.x; a.y += b.y; return a; }
__managed__ int total;
__global__ void k(float2* x) { x[0] += x[1]; total = UINT_MAX > INT_MAX; }
)",
                  {});
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, LibcudacxxNeedsNoToolkit) {
  auto r = linted(R"(
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cooperative_groups.h>
__global__ void k(int* x, const int* y, cuda::std::array<int, 4> a) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  auto token = bar.arrive();
  bar.wait(std::move(token));
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(x, y, cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  cuda::atomic_ref<int, cuda::thread_scope_device> all(x[3]);
  all.fetch_add(a[1], cuda::memory_order_relaxed);
  if (++all == cuda::std::numeric_limits<int>::max()) cuda::std::swap(x[0], x[1]);
}
)",
                  {});
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, NarrowNumbersAndIntrinsicsAreKnown) {
  auto r = linted(R"(
#include <cuComplex.h>
#include <cuda_fp8.h>
#include <cufft.h>
#include <mma.h>
__global__ void k(__nv_fp8_e4m3* q, float* x, unsigned* u, cufftComplex* c, __half* h) {
  q[0] = __nv_fp8_e4m3(x[0]);
  x[1] = float(q[1]) + fdividef(x[2], 3.f) + __uint_as_float(__vadd4(u[0], u[1]));
  u[2] = umin(u[3], __float2uint_rd(x[3]));
  c[0] = cuCmulf(c[1], make_cuFloatComplex(x[0], __fadd_rz(x[1], x[2])));
  h[0] = -h[1] + hlog2(h[2]) * +h[3];
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 8, nvcuda::wmma::precision::tf32, nvcuda::wmma::row_major> a;
  a.x[0] = nvcuda::wmma::__float_to_tf32(a.x[0]);
}
)",
                  {});
  EXPECT_EQ(errorsOf(r), "");
}

// A bare % in assembly, a pragma before no loop, an assertion that only an instance in code never run misses.
TEST(Reading, WhatNvccAcceptsAndLeavesTheTreeWholeIsNoError) {
  auto r = linted(R"(
template <int N> __global__ void k(unsigned* x) {
  static_assert(N > 2);
  unsigned s;
  asm volatile("mov.u32 %0, %smid;" : "=r"(s));
#pragma unroll
  x[threadIdx.x] = s;
}
template <int N> void launch(unsigned* x) {
  if (N > 2) k<N><<<1, 32>>>(x);
}
void both(unsigned* x) { launch<1>(x), launch<4>(x); }
)",
                  {});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(r.brokenKernels, 0);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, MinAndMaxAreFunctionsThatWinOverTemplatesOfTheUser) {
  auto r = linted(R"(
namespace tile {
template <class A, class B> __host__ __device__ auto min(A const& a, B const& b) { return a < b ? a : b; }
template <class A, class B> __host__ __device__ auto max(A const& a, B const& b) { return a > b ? a : b; }
}
using namespace tile;
__global__ void k(unsigned* x, float* y, int n) {
  unsigned i = min(threadIdx.x, x[0]);
  y[i] = max(max(y[0], 1.0f), y[2]) + max(y[0], 2.0);
  x[i] = min(threadIdx.x, n) + max(size_t(n), size_t(3));
}
)",
                  {});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, BitsOfHalvesClustersAndScansInOnePassAreKnown) {
  auto r = linted(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
struct Plus { __device__ int operator()(int a, int b) const { return a + b; } };
template <class T> struct Pack { struct __CUDA_ALIGN__(sizeof(T) * 2) type { T of[2]; }; };
__device__ nv_half fromBits(unsigned short b) { return nv_half(__half_raw{b}); }
__global__ void k(nv_half* x, __nv_bfloat16* y, double* z, cub::ScanTileState<int> tiles) {
  using Prefix = cub::TilePrefixCallbackOp<int, Plus, cub::ScanTileState<int>>;
  __shared__ typename Prefix::TempStorage kept;
  Prefix prefix(tiles, kept, Plus{});
  __nv_bfloat16_raw bits = y[0];
  y[1] = __nv_bfloat16_raw{bits.x};
  x[prefix.GetTileIdx()] = fromBits(1);
  auto grid = cg::this_grid();
  z[grid.cluster_rank() * grid.num_clusters()] = CUDART_INF + cuda::std::numeric_limits<float>::infinity();
  typename Pack<nv_half>::type pair;
  x[prefix(3)] = pair.of[1];
  __shared__ cuda::atomic<float> sum;
  cg::reduce_store_async(cg::tiled_partition<32>(cg::this_thread_block()), sum, 1.0f, cg::plus<float>{});
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  using Rank = cub::BlockRadixRank<64, 8, false>;
  __shared__ typename Rank::TempStorage ranks;
  int keys[2] = {}, order[2], first[Rank::BINS_TRACKED_PER_THREAD];
  Rank(ranks).RankKeys(keys, order, cub::BFEDigitExtractor<int>(0, 8), first);
}
cudaStreamCaptureStatus status(cudaError_t e) {
  return e == cudaErrorNotSupported ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
}
)",
                  {});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, APartOfAPartIsReadBehindBoth) {
  TemporaryFolder folder;
  auto r = lintedIn(folder, {{"src/kernels/deep.cuh", "__global__ void k(Real* x) { x[0] = WIDTH; }\n"},
                             {"src/kernels/part.cuh", "#define WIDTH 4\n#include \"deep.cuh\"\n"},
                             {"main.cu", "typedef float Real;\n#include \"src/kernels/part.cuh\"\n"}});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(errorsOf(r), "");
}

TEST(Reading, APartThatIsIncludedInsideOfBracesIsRead) {
  TemporaryFolder folder;
  auto r = lintedIn(
      folder,
      {{"part.cuh", "__global__ void k(Real* x) { x[0] = 1; }\nvoid run(Real* x) { k<<<1, 2048>>>(x); }\n"},
       {"main.cu", "typedef float Real;\nextern \"C\" {\nnamespace n {\n#include \"part.cuh\"\n}\n}\n"}});
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(errorsOf(r), "");
}

}  // namespace
}  // namespace kadvise::source
