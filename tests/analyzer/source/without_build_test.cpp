// What is read of a project that nobody built, by kadvise's own words and declarations.
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/core/source_record.h"
#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

TEST(WithoutABuild, AProjectIsReadAsBuiltWithCuda) {
  for (std::string word : {"WITH_CUDA", "USE_CUDA", "HAVE_CUDA", "ENABLE_BF16", "VERSION_GE_1_3"})
    EXPECT_EQ(linted("#ifdef " + word + "\n__global__ void k(float* x) { x[0] = 0; }\n#endif\n", {}).kernels,
              1)
        << word;
}

// A macro of that name would break what the file itself calls so.
TEST(WithoutABuild, WhatTheFileCallsSoIsItsOwn) {
  auto r = linted(R"(
enum { WITH_CUDA, WITHOUT };
constexpr bool HAVE_CUDA = true;
template <bool USE_CUDA>
__global__ void k(float* x) { if (USE_CUDA && HAVE_CUDA) x[0] = WITH_CUDA; }
template __global__ void k<true>(float*);
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0);
}

TEST(WithoutABuild, HeadersOfLibrariesAreThere) {
  auto r = linted(R"(
#include <nccl.h>
#include <nvrtc.h>
#include <nvtx3/nvToolsExt.h>
#include <cusparse_v2.h>
#include <thrust/system_error.h>
#include <ATen/cuda/CUDAApplyUtils.cuh>
#include <c10/cuda/CUDADeviceAssertion.h>
#include <torch/extension.h>
using at::cuda::detail::TensorInfo;
struct Row { float x[4]; };
template <class T> __global__ void k(TensorInfo<T, int> info, T* out, TORCH_DSA_KERNEL_ARGS) {
  CUDA_KERNEL_ASSERT2(info.dims > 0);
  __shared__ alignas(128) Row kept[2];
  kept[0].x[0] = 0;
  int at = at::cuda::detail::IndexToOffset<T, int, -1>::get(threadIdx.x, info);
  gpuAtomicAddNoReturn(out + at, info.data[at]);
}
void run(at::Tensor t, ncclComm_t comm, cudaStream_t stream) {
  at::cuda::OptionalCUDAGuard guard(t.get_device());
  TORCH_CHECK_GT(t.dim(), 0, "of ", t.scalar_type());
  TORCH_DSA_KERNEL_LAUNCH(k<float>, at::cuda::ATenCeilDiv<int64_t>(t.sym_size(0), 256), 256, 0, stream,
                          at::cuda::detail::getTensorInfo<float, int>(t), t.data_ptr<float>());
  nvtxRangePush("reduce");
  ncclAllReduce(t.data_ptr(), t.data_ptr(), t.numel(), ncclFloat, ncclSum, comm, stream);
  throw thrust::system_error(cudaGetLastError(), thrust::cuda_category());
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0) << r.parsed.errors[0].message;
  EXPECT_TRUE(r.parsed.missing.empty());
}

// nvcc takes what formatters of C++ make of launches; places and edits are as in the file.
TEST(WithoutABuild, LaunchesWithBlanksInTheirTokensAreRead) {
  const std::string text = R"(
template <class T, int N> __global__ void k(T* x) { x[threadIdx.x] = N; }
__global__ void p(float* x) {}
struct Out { Out& operator<<(int); };
void run(float* x, dim3 g, Out& out) {
  k<float, 1> << <g, 2048 >> > (x);
  p << < g, sizeof(int) * (4096 >> 1)>> >
      (x);
  p<<<g, 2049>>> (x);
  out << (1 << 3) << 4;
}
)";
  auto r = linted(text, {"cuda/block-too-large"});
  EXPECT_EQ(r.parsed.errorCount, 0);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 6);
  EXPECT_EQ(r.findings[0].related.size(), 2u);  // the others
}

TEST(WithoutABuild, OneTypeOf16BitsDoesNotTurnIntoTheOtherByItself) {
  auto r = linted(R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__device__ float asFloat(half x) { return __half2float(x); }
__device__ float asFloat(float x) { return x; }
template <class T> __global__ void k(const T* x, half* y) {
  y[0] = asFloat(x[0]) + asFloat(__ldg(&x[1]));
  y[1] = half(x[2]), y[2] = 1, y[3] = 2.0;
}
template __global__ void k<__nv_bfloat16>(const __nv_bfloat16*, half*);
template __global__ void k<half>(const half*, half*);
template __global__ void k<float>(const float*, half*);
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0) << r.parsed.errors[0].message;
}

// The file is a header that another header includes at its end.
TEST(WithoutABuild, AFileThatItsOwnHeaderIncludesIsReadOnce) {
  test::TemporaryFolder folder;
  const std::string text = "#pragma once\n#include \"k.h\"\n__global__ void k(Data* x) { x[0].value = 0; }\n";
  folder.write("k.h", "#pragma once\nstruct Data { float value; };\n#include \"k.inl\"\n");
  auto file = folder.write("k.inl", text);
  auto r = linted(text, {}, file.string());
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.kernels, 1);
}

TEST(WithoutABuild, StorageOfCubTakesTypesWithConstructors) {
  auto r = linted(R"(
#include <cub/block/block_reduce.cuh>
struct Best {
  float value = 0;
  int at = -1;
};
__global__ void k(float* x) {
  typedef cub::BlockReduce<Best, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  CubDebugExit(cudaGetLastError());
  x[0] = Reduce(storage).Reduce(Best{}, [](Best a, Best b) { return a.value < b.value ? b : a; }).value;
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0);
}

TEST(WithoutABuild, RangesOfIntegersAreDeclared) {
  auto r = linted(R"(
#include <ATen/DeviceGuard.h>
#include <c10/util/irange.h>
int total(int n) {
  int out = 0;
  for (auto i : c10::irange(n)) out += i;
  return out;
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_TRUE(r.parsed.missing.empty());
}

// They would come with what is not here, or with what stands before the file where it is included.
TEST(WithoutABuild, HeadersOfCudaThatAFileDoesNotNameAreThere) {
  auto r = linted(R"(
#include <nobody/has.h>
__device__ float twice(half x) { return __half2float(x) * 2; }
__global__ void k(__nv_bfloat16* x, half* y) { x[0] = __float2bfloat16(twice(y[0])); }
void run(curandGenerator_t generator, float* x) {
  if (curandGenerateUniform(generator, x, 4) != CURAND_STATUS_SUCCESS) return;
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0) << r.parsed.errors[0].message;
}

TEST(WithoutABuild, SoAreHeadersOfCxxThatOthersWouldBring) {
  auto r = linted(R"(
#include <nobody/has.h>
std::set<int> all;
std::unordered_map<int, std::string> names;
void say(int n) {
  std::ostringstream out;
  out << std::setw(4) << n << std::to_string(n);
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0) << r.parsed.errors[0].message;
}

// Names of its own are no reason for any.
TEST(WithoutABuild, WhatAFileCallsSoNeedsNoHeader) {
  auto r =
      linted("struct half { float x; };\nint y = unknown;\n__global__ void k(half* x) { x->x = 0; }\n", {});
  EXPECT_EQ(r.parsed.errorCount, 1);
}

// "-x cu", as some builds have it.
TEST(WithoutABuild, KernelsInASourceOfCxxAreReadAsCuda) {
  auto r = linted(
      "__global__ void k(float* x) { x[threadIdx.x] = 0; }\nvoid run(float* x) { k<<<1, 2048>>>(x); }\n",
      {"cuda/block-too-large"}, "k.cpp");
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.findings.size(), 1u);
}

// A clone without its modules: results are kept until they come.
TEST(WithoutABuild, HeadersAreLookedForInFoldersThatMayCome) {
  test::TemporaryFolder folder;
  folder.write(".git", "");
  std::filesystem::create_directories(folder.path / "extern" / "other");
  std::string text = "#include <foo/foo.h>\n__global__ void k(float* x) { x[0] = 1; }\n";
  auto searched = linted(text, {}, (folder.path / "src" / "k.cu").string()).parsed.searched;
  for (auto* place : {"third_party/foo/include/foo/foo.h", "extern/other/include/foo/foo.h",
                      "include/foo/foo.h", "src/include/foo/foo.h"})
    EXPECT_EQ(std::count(searched.begin(), searched.end(), (folder.path / place).string()), 1) << place;
  EXPECT_LT(searched.size(), kMostSearched);
}

// An archive that somebody unpacked: no clone, and whatever it is called.
TEST(WithoutABuild, WhatAnArchiveOfAProjectHasAtItsTopMarksIt) {
  const std::string text = "#include \"tools.h\"\n__global__ void k(Data* x) { x[0].value = 0; }\n";
  for (std::string mark : {"README.md", "LICENSE.txt", "Makefile", ".gitignore", "COPYING"}) {
    test::TemporaryFolder folder;
    folder.write(mark, "");
    folder.write("lib/deep/inside/tools.h", "#pragma once\nstruct Data { float value; };\n");
    auto r = linted(text, {}, folder.write("app/gpu/k.cu", text).string());
    EXPECT_EQ(r.parsed.errorCount, 0) << mark;
    EXPECT_TRUE(r.parsed.missing.empty()) << mark;
  }
}

// A folder with more files than one would search bears a mark, too: the project in it counts.
TEST(WithoutABuild, OfFoldersThatLookLikeAProjectTheLargestThatCanBeSearchedCounts) {
  test::TemporaryFolder folder;
  folder.write("README.md", "");
  for (int i = 0; i < 20; ++i) folder.write("other/" + std::to_string(i) + "/x", "");
  std::filesystem::path crowded = folder.path / "other";
  for (int i = 0; i < 20000; ++i) std::filesystem::create_directory(crowded / ("d" + std::to_string(i)));
  folder.write("mine/setup.py", "");
  folder.write("mine/lib/deep/tools.h", "#pragma once\nstruct Data { float value; };\n");
  const std::string text = "#include \"tools.h\"\n__global__ void k(Data* x) { x[0].value = 0; }\n";
  auto r = linted(text, {}, folder.write("mine/app/gpu/k.cu", text).string());
  EXPECT_EQ(r.parsed.errorCount, 0);
}

TEST(WithoutABuild, AHeaderThatOnlyNvccUnderstandsIsReadAsItsOwn) {
  test::TemporaryFolder folder;
  const std::string text =
      "#pragma once\ninline int threads(int n) { return min(n, 512); }\ninline dim3 blocks(int n) { return "
      "dim3(n); }\n";
  auto r = linted(text, {}, folder.write("util.h", text).string());
  EXPECT_EQ(r.parsed.errorCount, 0);
}

}  // namespace
}  // namespace kadvise::source
