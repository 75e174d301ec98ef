// What kadvise's own headers declare of CUDA and LibTorch, as projects use it.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

std::string errorsOf(const std::string& text, const std::string& file = "test.cu") {
  std::string out;
  for (auto& e : linted(text, {}, file).parsed.errors)
    out += std::to_string(e.line) + ": " + e.message + "\n";
  return out;
}

constexpr const char* kOperators = R"(
#include <torch/extension.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <pybind11/pybind11.h>
namespace py = pybind11;
enum class Mode { A, B };
struct Handle { Handle(int); explicit Handle(py::object); int size() const; void run(at::Tensor); int n; static Handle make(); };
at::Tensor twice(at::Tensor x) { return x.clamp_min(0.f).clamp_max(1.0); }
static auto registry = torch::RegisterOperators("ns::twice", &twice).op("ns::again", &twice);
void f(at::Tensor x, void* p, cudaStream_t s) {
  at::DimVector sizes(x.sizes().vec());
  sizes.push_back(2);
  auto y = at::empty(sizes, x.options().layout(at::kStrided).dtype(torch::kFloat8_e4m3fn));
  auto z = torch::from_blob(p, {4, 5}, [](void*) {}, torch::TensorOptions().dtype(at::kFloat));
  auto w = torch::from_blob(p, {4, 5}, {5, 1}, at::kFloat);
  void* m = c10::cuda::CUDACachingAllocator::raw_alloc_with_stream(100, s);
  c10::cuda::CUDACachingAllocator::raw_delete(m);
  auto d = c10::cuda::CUDACachingAllocator::get()->allocate(100);
  c10::cuda::CUDACachingAllocator::emptyCache();
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "f", [&] {
    auto q = x.data_ptr<scalar_t>();
    (void)q;
  });
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(at::kHalf, x.scalar_type(), "f", ([&] { (void)x.data_ptr<scalar_t>(); }));
  if (x.is_privateuseone()) x.true_divide_(y);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("twice", &twice, "twice", py::arg("x"), py::call_guard<py::gil_scoped_release>());
  py::enum_<Mode>(m, "Mode", py::arithmetic()).value("A", Mode::A).value("B", Mode::B).export_values();
  py::class_<Handle, std::shared_ptr<Handle>>(m, "Handle")
      .def(py::init<int>(), py::arg("n"))
      .def(py::init([](int n) { return Handle(n); }))
      .def("size", &Handle::size)
      .def("run", &Handle::run, py::arg("x"))
      .def_readwrite("n", &Handle::n)
      .def_property_readonly("twice", [](const Handle& h) { return h.n * 2; })
      .def_static("make", &Handle::make, py::return_value_policy::reference);
  m.attr("version") = 3;
  auto sub = m.def_submodule("sub");
  sub.def("n", [](py::object o) { return py::cast<int>(o) + o.cast<int>(); });
}
)";

TEST(Declarations, OperatorsOfExtensionsAndTheirClassesForPythonAreKnown) {
  EXPECT_EQ(errorsOf(kOperators), "");
  EXPECT_EQ(errorsOf(std::string("#include <cuda_runtime.h>\n") + kOperators, "test.cpp"), "");
}

TEST(Declarations, GroupsByLabelAndShufflesOfCubAreKnown) {
  EXPECT_EQ(errorsOf(R"(
#include <cub/cub.cuh>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int* out, const int* in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(warp, in[threadIdx.x]);
  int sum = cg::reduce(same, 1, cg::plus<int>());
  auto active = cg::labeled_partition(cg::coalesced_threads(), in[threadIdx.x]);
  sum += cub::ShuffleIndex<32>(sum, 0, 0xffffffff) + cub::ShuffleDown<32>(sum, 1, 31, 0xffffffff);
  cub::CastOp<float> toFloat;
  out[threadIdx.x] = sum + (int)toFloat(active.size());
}
)"),
            "");
}

TEST(Declarations, TheRuntimeAsHostsUseItIsKnown) {
  EXPECT_EQ(errorsOf(R"(
int run(cudaStream_t s, cudaGraph_t g, cudaGraphExec_t e, void* p) {
  cudaMemPool_t pool;
  unsigned long long threshold = 1;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaMemAdvise(p, 4, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
  cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, p);
  if (attributes.type == cudaMemoryTypeDevice) return attributes.device;
  cudaIpcMemHandle_t handle;
  cudaIpcGetMemHandle(&handle, p);
  cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess);
  cudaStreamAttrValue value;
  value.accessPolicyWindow.hitRatio = 0.5f;
  cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &value);
  cudaGraphExecUpdateResultInfo updated;
  cudaGraphExecUpdate(e, g, &updated);
  cudaStreamSynchronize(cudaStreamLegacy);
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaDataType_t type = CUDA_R_16BF;
  return type == CUDA_R_8F_E4M3 ? cudaErrorStreamCaptureImplicit : 0;
}
)"),
            "");
}

TEST(Declarations, TheDriverAsHostsUseItIsKnown) {
  EXPECT_EQ(errorsOf(R"(
#include <cuda.h>
#include <cudaTypedefs.h>
PFN_cuTensorMapEncodeTiled encode;
int run(CUfunction f, CUtensorMap* map, void* p) {
  cuuint64_t sizes[2] = {1, 2}, strides[1] = {2};
  cuuint32_t box[2] = {1, 1}, steps[2] = {1, 1};
  encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
         CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000);
  CUmemAllocationProp prop = {};
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle;
  CUdeviceptr at;
  CUmemAccessDesc access;
  cuMemCreate(&handle, 4, &prop, 0);
  cuMemAddressReserve(&at, 4, 0, 0, 0);
  cuMemMap(at, 4, 0, handle, 0);
  cuMemSetAccess(at, 4, &access, 1);
  cuMemUnmap(at, 4);
  CUlaunchAttribute attribute;
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  CUlaunchConfig config = {};
  config.attrs = &attribute;
  cuLaunchKernelEx(&config, f, nullptr, nullptr);
  return CUDA_ERROR_DEINITIALIZED;
}
)"),
            "");
}

}  // namespace
}  // namespace kadvise::source
