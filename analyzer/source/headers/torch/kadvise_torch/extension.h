// torch::, registrations, pybind11.
#pragma once
#include <kadvise_torch/tensor.h>
#ifndef Py_BEGIN_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS {
#define Py_END_ALLOW_THREADS }
#endif

namespace torch {
using namespace at; using at::Tensor; namespace nn { namespace functional { using namespace at; } }
constexpr ScalarType kFloat32 = kFloat, kFloat64 = kDouble, kFloat16 = kHalf, kInt8 = kChar, kUInt8 = kByte,
  kInt16 = kShort, kInt32 = kInt, kInt64 = kLong; using at::dtype; using c10::device;
namespace autograd { using variable_list = std::vector<Tensor>;
struct AutogradContext { template <class... A> void save_for_backward(A &&...);
variable_list get_saved_variables() const; std::map<std::string, Scalar> saved_data; }; using Variable = Tensor;
template <class T> struct Function { template <class... A> static Tensor apply(A &&...); }; }
struct Library { template <class F> Library &def(const char *, F &&) { return *this; } Library &def(const char *);
template <class F> Library &impl(const char *, F &&) { return *this; } };
template <class F> F &&dispatch(DeviceType, F &&f) { return (F &&)f; } template <class F> F &&dispatch(DispatchKey, F &&f) { return (F &&)f; }
}
namespace pybind11 { struct arg { explicit arg(const char *); template <class T> arg &operator=(T &&); };
struct object { template <class T> object &operator=(const T &); }; struct module_ { template <class F,
  class... A> module_ &def(const char *, F &&, const A &...) { return *this; } object &doc(); }; struct none {};
struct buffer_info { void *ptr; size_t size, itemsize, ndim; std::vector<size_t> shape, strides; };
template <class T, int F = 0> struct array_t { T *mutable_data(); const T *data() const; size_t size() const; template <class... A> array_t(A...); buffer_info request(); };
struct array { enum { c_style = 1, forcecast = 16 }; template <class... A> array(A...); }; struct dict : object {}; struct list : object {}; struct str : object {};
struct gil_scoped_release { gil_scoped_release(); }; template <class T> struct call_guard {}; namespace literals { arg operator""_a(const char *, size_t);
} }
namespace py = pybind11;
