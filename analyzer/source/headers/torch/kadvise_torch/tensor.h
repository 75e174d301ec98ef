// at::Tensor and the operators over it: names that rules look at.
#pragma once
#include <kadvise_torch/c10.h>

struct cublasContext; struct cublasLtContext;
namespace at {
using namespace c10; class Tensor; using TensorBase = Tensor; using TensorList = ArrayRef<Tensor>;
template <class T, size_t N, template <class> class P = std::add_pointer_t,
  class I = int64_t> struct TensorAccessor { KA_THD T &operator[](int64_t) const; KA_THD I size(int) const;
KA_THD I stride(int) const; KA_THD T *data() const; };
#define KA_ACC(N) template <class T, template <class> class P, class I> struct TensorAccessor<T, N, P, \
  I> { KA_THD TensorAccessor<T, N - 1, P, I> operator[](I) const; KA_THD I size(int) const; KA_THD I stride(int) \
  const; KA_THD T *data() const; };
KA_ACC(2) KA_ACC(3) KA_ACC(4) KA_ACC(5) KA_ACC(6) KA_ACC(7) KA_ACC(8)
template <class T> struct DefaultPtrTraits { typedef T *PtrType; };
template <class T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits,
  class I = int64_t> struct GenericPackedTensorAccessor : TensorAccessor<T, N, P, I> {};
template <class T, size_t N,
  template <class> class P = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P,
  int32_t>;
template <class T, size_t N,
  template <class> class P = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P,
  int64_t>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits,
  class I = int64_t> using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;
namespace indexing { struct Slice { template <class... A> Slice(const A &...); }; enum class EllipsisType { Ellipsis };
constexpr auto Ellipsis = EllipsisType::Ellipsis; inline constexpr std::nullopt_t None = std::nullopt;
struct TensorIndex { TensorIndex(std::nullopt_t); TensorIndex(EllipsisType); TensorIndex(const char *);
TensorIndex(int64_t); TensorIndex(int); TensorIndex(bool); TensorIndex(Slice); TensorIndex(const Tensor &); }; }
struct DeprecatedTypeProperties { bool is_cuda() const; ScalarType scalarType() const; operator ScalarType() const;
};
// A Tensor operation takes anything; the second and third forms accept braced lists.
#define KA_OP(n) template <class... A> Tensor n(const A &...) const; template <class... A> Tensor n(IntArrayRef, \
  const A &...) const;
#define KA_OPS(X) X(add) X(sub) X(mul) X(div) X(pow) X(mm) X(bmm) X(matmul) X(addmm) X(dot) X(mv) X(sum) X(mean) \
  X(var) X(std) X(norm) X(argmax) X(argmin) X(softmax) X(log_softmax) X(exp) X(log) X(sqrt) X(rsqrt) X(abs) X(neg) \
  X(sin) X(cos) X(tanh) X(sigmoid) X(relu) \
  X(gelu) X(silu) X(clamp) X(clamp_min) X(clamp_max) X(where) X(masked_fill) X(gather) X(scatter) X(scatter_add) X(index_select) \
    X(select) X(slice) X(narrow) X(cumsum) X(nonzero) X(unique) X(reciprocal) X(floor) X(ceil) X(round) X(eq) X(ne) \
    X(lt) X(gt) X(le) X(ge) X(repeat_interleave) X(layer_norm) X(flip) X(roll) X(bitwise_and) \
  X(logical_and) X(logical_not) X(isnan) X(erf) X(baddbmm) X(outer) X(square) X(fmod) X(remainder) X(all) X(any) \
    X(transpose) X(permute) X(squeeze) X(unsqueeze) X(flatten) X(expand) X(repeat) X(reshape) X(view) X(t) X(clone) \
    X(detach) X(contiguous) X(argsort) X(amax) X(amin) X(logsumexp) X(bitwise_or) X(bitwise_xor) X(logical_or) X(isinf) \
    X(bincount) X(multinomial) X(diagonal) X(tril) X(triu) X(movedim) X(count_nonzero) X(cumprod) X(index_add)
#define KA_MEM(X) X(to) X(cpu) X(cuda) X(type_as) X(expand_as) X(view_as) X(unfold) X(as_strided) X(new_empty) \
  X(new_zeros) X(new_ones) X(new_full) X(toType) X(masked_select) X(addcmul) X(addcdiv) X(addcmul_) X(addcdiv_) X(addmm_) X(baddbmm_) X(sigmoid_) \
  X(tanh_) X(sqrt_) X(mT) X(bernoulli_) X(softplus) X(pin_memory) X(alias) X(copy_) X(fill_) X(zero_) X(add_) X(sub_) \
  X(mul_) X(div_) X(relu_) X(clamp_) X(exp_) X(resize_) X(scatter_) X(scatter_add_) X(index_add_) \
  X(normal_) X(uniform_) X(set_) X(half) X(grad) X(true_divide_) X(clamp_min_) X(clamp_max_) X(unsqueeze_) X(squeeze_) X(masked_fill_) X(requires_grad_) X(resize_as_) X(transpose_) X(t_) X(prod) X(lerp) X(lerp_) \
  X(pow_) X(index_copy_) X(index_fill_) X(index_put) X(abs_) X(neg_) X(log_) X(floor_) X(ceil_) X(round_) X(rsqrt_) X(random_) X(to_dense)
class Tensor {
public:
  Tensor(); Tensor(const Tensor &); Tensor &operator=(const Tensor &);
  template <class T> T *data_ptr() const; void *data_ptr() const; template <class T> const T *const_data_ptr()
  const; template <class T> T *mutable_data_ptr() const; const void *const_data_ptr() const;
  void *mutable_data_ptr() const;
  template <class T> [[deprecated]] T *data() const; Tensor data() const;
  [[deprecated]] DeprecatedTypeProperties &type() const;
  int64_t size(int64_t) const; int64_t stride(int64_t) const; IntArrayRef sizes() const; IntArrayRef strides()
  const; int64_t numel() const; int64_t dim() const; int64_t ndimension() const; int64_t storage_offset() const;
  size_t element_size() const; int64_t itemsize() const; size_t nbytes() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const; bool is_cuda() const; bool is_cpu() const; bool is_meta() const; bool is_xpu() const; bool is_privateuseone() const;
  bool is_floating_point() const; bool is_complex() const; bool is_sparse() const; bool defined() const;
  bool requires_grad() const; bool is_same(const Tensor &) const; bool equal(const Tensor &) const;
  ScalarType scalar_type() const; caffe2::TypeMeta dtype() const; Device device() const; DeviceIndex get_device() const;
  TensorOptions options() const; MemoryFormat suggest_memory_format() const;
  void record_stream(c10::cuda::CUDAStream) const; void reset(); void backward() const;
  Scalar item() const; template <class T> T item() const; template <class T, size_t N> TensorAccessor<T,
    N> accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
  PackedTensorAccessor<T, N, P, I> packed_accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits> PackedTensorAccessor32<T, N,
    P> packed_accessor32() const; template <class T, size_t N,
    template <class> class P = DefaultPtrTraits> PackedTensorAccessor64<T, N, P> packed_accessor64() const;
  Tensor operator[](int64_t) const; Tensor operator[](const Tensor &) const; Tensor operator-() const;
  Tensor operator~() const; Tensor &operator+=(const Tensor &); Tensor &operator-=(const Tensor &);
  Tensor &operator*=(const Tensor &); Tensor &operator/=(const Tensor &); Tensor &operator+=(const Scalar &);
  Tensor &operator*=(const Scalar &); Tensor &operator/=(const Scalar &);
  std::vector<Tensor> unbind(int64_t = 0) const; std::vector<Tensor> chunk(int64_t, int64_t = 0) const;
  template <class... A> std::vector<Tensor> split(const A &...) const;
  Tensor max() const; Tensor min() const; Tensor max(const Tensor &) const; Tensor min(const Tensor &) const;
  std::tuple<Tensor, Tensor> max(int64_t, bool = false) const; std::tuple<Tensor, Tensor> min(int64_t,
    bool = false) const;
  template <class... A> std::tuple<Tensor, Tensor> sort(const A &...) const;
  template <class... A> std::tuple<Tensor, Tensor> topk(const A &...) const;
  int64_t sym_size(int64_t) const; int64_t sym_numel() const; IntArrayRef sym_sizes() const; int64_t dense_dim() const; int64_t sparse_dim() const;
  const Tensor *expect_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  KA_OPS(KA_OP) KA_MEM(KA_OP)
  Tensor index(ArrayRef<indexing::TensorIndex>) const;
  template <class... A> Tensor index_put_(ArrayRef<indexing::TensorIndex>, const A &...) const;
}; std::ostream &operator<<(std::ostream &, const Tensor &);
Tensor max(const Tensor &); Tensor min(const Tensor &); Tensor max(const Tensor &, const Tensor &);
Tensor min(const Tensor &, const Tensor &); std::tuple<Tensor, Tensor> max(const Tensor &, int64_t, bool = false);
std::tuple<Tensor, Tensor> min(const Tensor &, int64_t, bool = false);
template <class... A> std::tuple<Tensor, Tensor> sort(const A &...); template <class... A> std::tuple<Tensor,
  Tensor> topk(const A &...); std::optional<Device> device_of(const Tensor &);
#define KA_BIN(o) Tensor operator o(const Tensor &, const Tensor &); Tensor operator o(const Tensor &, \
  const Scalar &); Tensor operator o(const Scalar &, const Tensor &);
KA_BIN(+) KA_BIN(-) KA_BIN(*) KA_BIN(/) KA_BIN(<) KA_BIN(>) KA_BIN(<=) KA_BIN(>=) KA_BIN(==) KA_BIN(!=) KA_BIN(&)
KA_BIN(|)
#define KA_FN(n) template <class... A> Tensor n(const A &...); template <class... A> Tensor n(IntArrayRef, \
  const A &...); template <class... A> Tensor n(const Tensor &, IntArrayRef, const A &...);
#define KA_FN_T(n) KA_FN(n) template <class... A> Tensor n(TensorList, const A &...);
KA_OPS(KA_FN) KA_FN(empty) KA_FN(zeros) KA_FN(ones) KA_FN(full) KA_FN(rand) KA_FN(randn) KA_FN(arange)
KA_FN(empty_like) KA_FN(zeros_like) KA_FN(ones_like) KA_FN(full_like) KA_FN(rand_like) KA_FN(randn_like)
KA_FN(empty_strided) KA_FN(tensor) KA_FN(from_blob) KA_FN(eye) KA_FN(linspace) KA_FN(scaled_dot_product_attention)
KA_FN(conv2d) KA_FN(linear) KA_FN(dropout) KA_FN(einsum) KA_FN(embedding) KA_FN(randint) KA_FN(randperm)
KA_FN(scalar_tensor) KA_FN(masked_select) KA_FN(addcmul) KA_FN(addcdiv) KA_FN(lerp)
KA_FN(sigmoid_) KA_FN(relu_) KA_FN(exp_) KA_FN(softplus) KA_FN(maximum) KA_FN(minimum) KA_FN(expm1) KA_FN(log1p)
KA_FN(index) KA_FN(mse_loss) KA_FN(group_norm) KA_FN(batch_norm) KA_FN(addmm_out) KA_FN(mm_out) KA_FN(add_out) KA_FN(mul_out) KA_FN(bmm_out) KA_FN(prod)
template <class... A> Tensor randint(int64_t, int64_t, IntArrayRef, const A &...); template <class... A> Tensor sum_out(const Tensor &, const Tensor &, IntArrayRef, const A &...); template <class... A> Tensor from_blob(void *, IntArrayRef, const A &...); template <class... A> Tensor from_blob(void *, IntArrayRef, IntArrayRef, const A &...);
KA_FN_T(cat) KA_FN_T(stack) KA_FN_T(concat) KA_FN_T(vstack) KA_FN_T(hstack)
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
  kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half, kFloat = ScalarType::Float,
  kDouble = ScalarType::Double, kBFloat16 = ScalarType::BFloat16, kBool = ScalarType::Bool,
  kFloat8_e4m3fn = ScalarType::Float8_e4m3fn, kFloat8_e5m2 = ScalarType::Float8_e5m2, kComplexFloat = ScalarType::ComplexFloat,
  kComplexDouble = ScalarType::ComplexDouble, kUInt16 = ScalarType::UInt16, kUInt32 = ScalarType::UInt32, kUInt64 = ScalarType::UInt64;
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta;
template <class T> struct OpMathType { typedef T type; }; template <> struct OpMathType<Half> { typedef float type;
}; template <> struct OpMathType<BFloat16> { typedef float type; };
template <class T> using opmath_type = typename OpMathType<T>::type; template <class T,
  bool> struct AccumulateType { typedef typename OpMathType<T>::type type; }; template <class T,
  bool C> using acc_type = typename AccumulateType<T, C>::type;
template <class F> void parallel_for(int64_t, int64_t, int64_t, const F &) {} int get_num_threads(); int get_thread_num(); bool in_parallel_region();
namespace internal { constexpr int64_t GRAIN_SIZE = 32768; }
template <class T> KA_THD T ceil_div(T a, T b); struct NoGradGuard { NoGradGuard(); };
struct Context { static void alertNotDeterministic(const char *); bool deterministicAlgorithms() const;
bool allowTF32CuBLAS() const; }; Context &globalContext();
namespace cuda { using namespace c10::cuda; typedef ::cudaDeviceProp DevProp;
DevProp *getCurrentDeviceProperties(); DevProp *getDeviceProperties(int64_t); 
::cublasContext *getCurrentCUDABlasHandle(); ::cublasLtContext *getCurrentCUDABlasLtHandle(); bool is_available(); }
}
#ifdef __CUDA__
#define KA_GA(n) template <class T, class U> __attribute__((device)) T n(T *, U);
KA_GA(gpuAtomicAdd) KA_GA(gpuAtomicAddNoReturn) KA_GA(gpuAtomicMul) KA_GA(gpuAtomicMax) KA_GA(gpuAtomicMin)
namespace at { using ::gpuAtomicAddNoReturn; }
#endif
// What extensions check arguments with, draw random numbers from, and shuffle in a warp by.
namespace at {
typedef const char *CheckedFrom; struct TensorArg { TensorArg(const Tensor &, const char *, int); Tensor tensor; const char *name; int pos;
const Tensor *operator->() const; const Tensor &operator*() const; };
typedef std::initializer_list<TensorArg> KA_Args;
void checkAllSameGPU(CheckedFrom, KA_Args); void checkAllSameType(CheckedFrom, KA_Args); void checkSameType(CheckedFrom, const TensorArg &,
  const TensorArg &); void checkAllContiguous(CheckedFrom, KA_Args); void checkAllDefined(CheckedFrom, KA_Args);
void checkSize(CheckedFrom, const TensorArg &, IntArrayRef); void checkDim(CheckedFrom, const TensorArg &, int64_t);
void checkContiguous(CheckedFrom, const TensorArg &); void checkScalarType(CheckedFrom, const TensorArg &, ScalarType);
void checkSameGPU(CheckedFrom, const TensorArg &, const TensorArg &); void checkSameSize(CheckedFrom, const TensorArg &, const TensorArg &);
struct Generator { std::mutex &mutex() const; }; struct PhiloxCudaState { uint64_t seed, offset; };
struct CUDAGeneratorImpl { std::mutex mutex_; PhiloxCudaState philox_cuda_state(uint64_t);
std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t); };
template <class T> T *get_generator_or_default(const std::optional<Generator> &, const Generator &); template <class T> T *check_generator(Generator);
namespace cuda { namespace detail { bool canUse32BitIndexMath(const TensorBase &, int64_t = 2147483647);
  const Generator &getDefaultCUDAGenerator(DeviceIndex = -1); }
namespace philox { KA_THD std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState); } int warp_size(); }
#ifdef __CUDA__
struct Philox4_32 { __attribute__((device)) Philox4_32(uint64_t, uint64_t, uint64_t); __attribute__((device)) uint32_t operator()(); };
#endif
using std::numeric_limits;
}
#ifdef __CUDA__
#define KA_WS(n) template <class T> __attribute__((device)) T n(T, int, int = 32, unsigned = 0xffffffffu);
KA_WS(WARP_SHFL) KA_WS(WARP_SHFL_XOR) KA_WS(WARP_SHFL_UP) KA_WS(WARP_SHFL_DOWN)
__attribute__((device)) unsigned WARP_BALLOT(int, unsigned = 0xffffffffu); __attribute__((device)) unsigned ACTIVE_MASK();
template <class T> __attribute__((device)) T doLdg(const T *);
#endif
