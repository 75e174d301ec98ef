// Scalar types, devices, streams and guards.
#pragma once
#define KADVISE_TORCH_STUB 1
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <iostream>
#include <sstream>
#include <limits>
#include <map>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>
#ifndef __CUDA__
#include <cuda_runtime_api.h>
#define KA_THD
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define KA_THD __attribute__((host)) __attribute__((device))
#endif

namespace c10 {
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat,
  ComplexDouble, Bool, QInt8, QUInt8, QInt32, BFloat16, Float8_e5m2, Float8_e4m3fn, UInt16, UInt32, UInt64,
  Undefined };
enum class DeviceType : int8_t { CPU, CUDA, HIP, XPU, MPS, Meta };
enum class DispatchKey : uint16_t { Undefined, CPU, CUDA, HIP, XLA, MPS, XPU, Meta, PrivateUse1, SparseCPU, SparseCUDA, SparseCsrCPU, SparseCsrCUDA,
  CompositeImplicitAutograd, CompositeExplicitAutograd, BackendSelect, Functionalize, ADInplaceOrView, Autograd, AutogradCPU, AutogradCUDA, AutogradMeta,
  Autocast, AutocastCUDA };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : int8_t { Strided, Sparse, SparseCsr }; constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
typedef int8_t DeviceIndex;
}
namespace caffe2 { struct TypeMeta { std::string_view name() const; size_t itemsize() const; c10::ScalarType toScalarType() const; operator c10::ScalarType() const; };
std::ostream &operator<<(std::ostream &, TypeMeta); }
namespace c10 {
// As in c10: with a float or double the result is one, with a whole number it is of 16 bits.
#define KA_T16O(H, o) KA_THD H operator o(H, H); KA_THD float operator o(H, float); KA_THD float operator o(float, H); \
  KA_THD double operator o(H, double); KA_THD double operator o(double, H); KA_THD H operator o(H, int); KA_THD H operator o(int, H); \
  KA_THD H operator o(H, int64_t); KA_THD H operator o(int64_t, H);
#define KA_T16(H) \
  struct alignas(2) H { uint16_t x; H() = default; KA_THD H(float); KA_THD operator float() const; KA_T16_##H \
    KA_THD H &operator+=(H); KA_THD H &operator*=(H); KA_THD H &operator-=(H); KA_THD H &operator/=(H); }; \
  KA_T16O(H, +) KA_T16O(H, -) KA_T16O(H, *) KA_T16O(H, /) KA_THD H operator-(H);
#ifdef __CUDA__
#define KA_T16_Half KA_THD Half(const __half &); KA_THD operator __half() const;
#define KA_T16_BFloat16 KA_THD BFloat16(const __nv_bfloat16 &); KA_THD explicit operator __nv_bfloat16() const;
#else
#define KA_T16_Half
#define KA_T16_BFloat16
#endif
KA_T16(Half) KA_T16(BFloat16)
// Only between two of one type: with anything else it is floats that are compared.
template <class T> constexpr bool ka_is16 = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
#define KA_T16C(o) template <class T, std::enable_if_t<ka_is16<T>, int> = 0> KA_THD bool operator o(T, T);
KA_T16C(<) KA_T16C(>) KA_T16C(<=) KA_T16C(>=) KA_T16C(==) KA_T16C(!=)
template <class T> struct complex { T real_, imag_; KA_THD constexpr complex(T r = T(), T i = T()) : real_(r), imag_(i) {}
  KA_THD T real() const; KA_THD T imag() const; template <class U> KA_THD complex(const complex<U> &);
  KA_THD complex &operator+=(complex); KA_THD complex &operator-=(complex); KA_THD complex &operator*=(complex); KA_THD complex &operator/=(complex); };
#define KA_CO(o) template <class T> KA_THD complex<T> operator o(complex<T>, complex<T>); \
  template <class T> KA_THD complex<T> operator o(complex<T>, T); template <class T> KA_THD complex<T> operator o(T, complex<T>);
KA_CO(+) KA_CO(-) KA_CO(*) KA_CO(/) template <class T> KA_THD complex<T> operator-(complex<T>);
struct Device { Device(DeviceType, DeviceIndex = -1); Device(const std::string &); bool is_cuda() const;
bool is_cpu() const; bool is_meta() const; DeviceIndex index() const; DeviceType type() const; bool has_index() const; std::string str()
const; bool operator==(const Device &) const; bool operator!=(const Device &) const; };
template <class T> struct ArrayRef {
  ArrayRef(); ArrayRef(const T &); ArrayRef(const T *, size_t); ArrayRef(const std::vector<T> &);
  ArrayRef(std::initializer_list<T>);
  const T *begin() const; const T *end() const; const T *data() const; size_t size() const; bool empty() const;
  const T &operator[](size_t) const; const T &back() const; const T &front() const; std::vector<T> vec() const;
  ArrayRef slice(size_t, size_t) const; bool operator==(ArrayRef) const; bool operator!=(ArrayRef) const;
};
template <class T, unsigned N = 5> struct SmallVector : std::vector<T> { using std::vector<T>::vector; SmallVector(const std::vector<T> &); SmallVector(ArrayRef<T>);
  template <class I> void append(I, I); template <class R> void append(const R &); void append(std::initializer_list<T>); };
using DimVector = SmallVector<int64_t, 5>;
using IntArrayRef = ArrayRef<int64_t>; using SymInt = int64_t; using SymIntArrayRef = IntArrayRef;
template <class T> struct intrusive_ptr : std::shared_ptr<T> { using std::shared_ptr<T>::shared_ptr; }; struct intrusive_ptr_target {};
template <class T, class... A> intrusive_ptr<T> make_intrusive(A &&...);
template <class T> using optional = std::optional<T>; using std::nullopt; using std::nullopt_t;
struct Scalar { template <class T, class = decltype((double)T())> Scalar(T); template <class T> T to() const;
double toDouble() const; float toFloat() const; int64_t toLong() const; bool isFloatingPoint() const; bool isIntegral(bool) const; };
struct TensorOptions { TensorOptions(); TensorOptions(ScalarType); TensorOptions(caffe2::TypeMeta); TensorOptions(Device); TensorOptions(DeviceType);
  TensorOptions dtype(ScalarType) const; ScalarType dtype() const; TensorOptions device(Device) const;
  TensorOptions device(DeviceType, DeviceIndex = -1) const; Device device() const; TensorOptions layout(Layout)
  const; TensorOptions requires_grad(bool) const; TensorOptions memory_format(MemoryFormat) const;
  TensorOptions pinned_memory(bool) const; };
TensorOptions dtype(ScalarType); TensorOptions device(Device); TensorOptions device(DeviceType);
std::ostream &operator<<(std::ostream &, ScalarType); std::ostream &operator<<(std::ostream &, const TensorOptions &);
std::ostream &operator<<(std::ostream &, const Device &); std::ostream &operator<<(std::ostream &, DeviceType); std::ostream &operator<<(std::ostream &, const Scalar &);
std::ostream &operator<<(std::ostream &, MemoryFormat); template <class T> std::ostream &operator<<(std::ostream &, ArrayRef<T>);
const char *toString(ScalarType); size_t elementSize(ScalarType); bool isFloatingType(ScalarType);
bool isIntegralType(ScalarType, bool); bool isReducedFloatingType(ScalarType);
namespace detail { [[noreturn]] void torchCheckFail(const char *, const char *, unsigned, const std::string &);
template <class... A> std::string str(const A &...); }
using detail::str; struct SourceLocation { const char *function, *file; uint32_t line; };
struct Error : std::exception { Error(SourceLocation, std::string); Error(std::string, std::string, const void * = nullptr); std::string msg() const; };
struct TypeError : Error { using Error::Error; }; struct ValueError : Error { using Error::Error; }; struct IndexError : Error { using Error::Error; };
struct NotImplementedError : Error { using Error::Error; }; struct OutOfMemoryError : Error { using Error::Error; };
template <class K, class V> struct Dict { struct entry { const K &key() const; const V &value() const; template <class A> void setValue(A &&) const; }; typedef const entry *iterator;
  iterator begin() const; iterator end() const; iterator find(const K &) const; V at(const K &) const; bool contains(const K &) const; size_t size() const; bool empty() const;
  template <class A, class B> std::pair<iterator, bool> insert(A &&, B &&) const; template <class A, class B> std::pair<iterator, bool> insert_or_assign(A &&, B &&) const; };
template <class T> struct List : std::vector<T> { using std::vector<T>::vector; std::vector<T> vec() const; T get(size_t) const; void set(size_t, T); };
template <class T> struct CppTypeToScalarType { static constexpr ScalarType value = ScalarType::Float; };
struct DeviceGuard { explicit DeviceGuard(Device); }; struct OptionalDeviceGuard { OptionalDeviceGuard();
explicit OptionalDeviceGuard(std::optional<Device>); };
struct InferenceMode { InferenceMode(bool = true); };
struct DataPtr { void *get() const; void *mutable_get(); void clear(); Device device() const; explicit operator bool() const; };
struct Allocator { DataPtr allocate(size_t); void *raw_allocate(size_t); void raw_deallocate(void *); };
namespace cuda {
struct DeviceAssertionsData;
struct CUDAStream { operator cudaStream_t() const; cudaStream_t stream() const; DeviceIndex device_index() const;
void synchronize() const; bool query() const; long long id() const; Device device() const; };
CUDAStream getCurrentCUDAStream(DeviceIndex = -1); CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1); CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex); void setCurrentCUDAStream(CUDAStream);
struct CUDAGuard { explicit CUDAGuard(DeviceIndex); explicit CUDAGuard(Device); void set_index(DeviceIndex);
void set_device(Device); };
struct OptionalCUDAGuard { OptionalCUDAGuard(); explicit OptionalCUDAGuard(DeviceIndex); explicit OptionalCUDAGuard(std::optional<Device>);
explicit OptionalCUDAGuard(Device); void set_index(DeviceIndex); };
struct CUDAStreamGuard { explicit CUDAStreamGuard(CUDAStream); };
DeviceIndex current_device(); DeviceIndex device_count(); void set_device(DeviceIndex); void device_synchronize();
cudaError_t SetDevice(DeviceIndex); cudaError_t MaybeSetDevice(DeviceIndex); DeviceIndex ExchangeDevice(DeviceIndex);
void stream_synchronize(cudaStream_t);
namespace CUDACachingAllocator { Allocator *get(); void *raw_alloc(size_t); void *raw_alloc_with_stream(size_t, cudaStream_t); void raw_delete(void *);
void emptyCache(); void recordStream(const DataPtr &, CUDAStream); }
void c10_cuda_check_implementation(int, const char *, const char *, unsigned, bool);
} }
