// What kadvise's own headers declare of CUDA and LibTorch, as projects use it.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

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

// Every intrinsic of both types, in the four roundings where they have them.
TEST(Declarations, NumbersOf16BitsAndTheirConstantsAreKnown) {
  EXPECT_EQ(errorsOf(R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(half* x, half2* y, __nv_bfloat16* b, __nv_bfloat162* c, int* n, unsigned long long* u) {
  x[0] = __int2half_rd(n[0]), x[1] = __ull2half_rz(u[0]), x[2] = __ushort2half_rn(3), x[3] = __short_as_half(n[1]);
  n[0] = __half2int_ru(x[0]) + __half2short_rz(x[1]) + __half2uchar_rz(x[2]), u[0] = __half2ull_rn(x[3]);
  b[0] = __uint2bfloat16_rn(n[0]), b[1] = __ll2bfloat16_rd(n[1]), n[2] = __bfloat162int_rz(b[0]) + __bfloat16_as_short(b[1]);
  if (__hequ(x[0], x[1]) || __hbgeu2(y[0], y[1]) || __hgtu(b[0], b[1]) || y[0] == y[1]) x[0]++, --b[0];
  y[0] -= y[1], y[2] = __hfma2_sat(y[0], y[1], __hcmadd(y[0], y[1], y[2])), c[0] = __hsub2_sat(c[1], __hmul2_sat(c[2], c[3]));
  x[4] = htanh_approx(__hsub_sat(x[0], x[1])), c[4] = h2tanh_approx(c[5]), n[3] = __hltu2_mask(c[0], c[1]);
  x[5] = x[0] > CUDART_INF_FP16 ? CUDART_ONE_FP16 : CUDART_ZERO_FP16, b[2] = CUDART_NAN_BF16, b[3] = CUDART_MAX_NORMAL_BF16;
}
)"),
            "");
}

constexpr const char* kRanges = R"(
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
void run(cudaStream_t stream) {
  NVTX3_FUNC_RANGE();
  nvtx3::scoped_range range{"step", nvtx3::rgb{1, 2, 3}};
  nvtx3::mark("here");
  nvtxEventAttributes_t event = {0};
  event.version = NVTX_VERSION, event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, event.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  event.colorType = NVTX_COLOR_ARGB, event.messageType = NVTX_MESSAGE_TYPE_ASCII, event.message.ascii = "copy";
  event.payload.dValue = 1;
  auto domain = nvtxDomainCreateA("kernels");
  nvtxDomainRangePushEx(domain, &event), nvtxDomainRangePop(domain);
  nvtxMarkEx(&event), nvtxRangeEnd(nvtxRangeStartEx(&event)), nvtxRangePushW(L"wide"), nvtxRangePop();
  nvtxNameCudaStream(stream, "copies");
}
)";

TEST(Declarations, RangesOfProfilersAreKnown) {
  EXPECT_EQ(errorsOf(kRanges), "");
  EXPECT_EQ(errorsOf(kRanges, "test.cpp"), "");
}

TEST(Declarations, ViewsOfSeveralDimensionsAreKnown) {
  EXPECT_EQ(errorsOf(R"(
#include <cuda/std/mdspan>
using Matrix = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;
using Tile = cuda::std::mdspan<const float, cuda::std::extents<int, 32, cuda::std::dynamic_extent>, cuda::std::layout_left>;
static_assert(Matrix::rank() == 2 && Tile::rank_dynamic() == 1 && Tile::static_extent(0) == 32);
__global__ void k(Matrix m, Tile t) {
  int i = threadIdx.x;
  if (i < m.extent(0)) m(i, 1) = t(i, 2);
  auto row = cuda::std::submdspan(m, i, cuda::std::full_extent);
  static_assert(row.rank() == 1);
  row(2) = row.size();
}
void run(float* p, int n) {
  cuda::std::mdspan all(p, n, n);
  static_assert(all.rank() == 2);
  k<<<1, 32>>>(Matrix(p, n, n), Tile(p, n));
}
)"),
            "");
}

TEST(Declarations, FunctionsOfAutogradAndListsOfSizesAreKnown) {
  EXPECT_EQ(errorsOf(R"(
#include <torch/extension.h>
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
struct Twice : torch::autograd::Function<Twice> {
  static variable_list forward(AutogradContext* ctx, at::Tensor x, int64_t dim) {
    ctx->saved_data["dim"] = dim;
    ctx->save_for_backward({x}), ctx->save_for_backward({x, x}), ctx->mark_dirty({x}), ctx->mark_non_differentiable({x});
    at::DimVector sizes(x.sizes());
    sizes.append({1, 2});
    sizes.append(x.sizes().begin(), x.sizes().end());
    std::cout << x.options() << x.device() << x.sizes() << x << std::endl;
    AT_ASSERT(x.dim() == 2, "a matrix");
    (void)c10::cuda::getStreamFromExternal(nullptr, 0);
    return {at::empty(sizes, x.options())};
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) { return {g[0] * ctx->saved_data["dim"].toInt()}; }
};
at::Tensor run(at::Tensor x) { return x; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, py::arg("x").none(false)); }
)"),
            "");
}

TEST(Declarations, ErrorsDictionariesAndTypesOfElementsAreKnown) {
  EXPECT_EQ(errorsOf(R"(
#include <torch/extension.h>
using Tensors = c10::Dict<std::string, at::Tensor>;
template <class T> __global__ void copy(torch::PackedTensorAccessor32<T, 6> y) { y[0][0][0][0][0][threadIdx.x] = T(1); }
std::tuple<Tensors, at::Tensor> op(const Tensors& all, at::Tensor x) {
  auto dtype = x.dtype();
  if (dtype != at::kFloat || x.dtype() == all.at("x").dtype())
    throw c10::NotImplementedError({__func__, __FILE__, uint32_t(__LINE__)}, c10::str("no ", dtype.name(), " of ", x.sizes()));
  Tensors out;
  for (auto& kv : all) out.insert(kv.key(), kv.value().to(x.dtype()));
  auto options = at::TensorOptions().dtype(x.dtype());
  auto y = torch::empty({1, 1, 1, 1, 1, 8}, options), z = torch::zeros({2}, x.dtype());
  std::cout << x.dtype();
  if (torch::autograd::any_variable_requires_grad({x})) y.pow_(-1).index_copy_(0, torch::argsort(x), x);
  copy<<<1, 8>>>(y.packed_accessor32<float, 6>());
  cudaDeviceProp* p = at::cuda::getCurrentDeviceProperties();
  int clock = 0;
  cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, 0);
  int64_t grain = at::internal::GRAIN_SIZE + p->maxSurface2DLayered[1] + clock;
  cudaFuncSetAttribute(copy<float>, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  return {out, torch::multinomial(torch::randint(0, grain, {1}, options), 1, true)};
}
)"),
            "");
}

}  // namespace
}  // namespace kadvise::source
