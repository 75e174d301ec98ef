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
  kInt16 = kShort, kInt32 = kInt, kInt64 = kLong; using at::dtype; using c10::device; using Dtype = c10::ScalarType;
namespace autograd { using variable_list = std::vector<Tensor>;
struct ka_kept { template <class T> ka_kept &operator=(const T &); template <class T> T to() const; int64_t toInt() const; double toDouble() const; bool toBool() const;
  std::vector<int64_t> toIntVector() const; std::vector<int64_t> toIntList() const; Tensor toTensor() const; std::string toStringRef() const; bool isNone() const; };
struct AutogradContext { template <class... A> void save_for_backward(A &&...); void save_for_backward(variable_list); void mark_dirty(const variable_list &);
void mark_non_differentiable(const variable_list &); void set_materialize_grads(bool); bool needs_input_grad(size_t) const;
variable_list get_saved_variables() const; std::map<std::string, ka_kept> saved_data; }; using Variable = Tensor;
bool any_variable_requires_grad(const variable_list &); template <class T> struct Function { template <class... A> static Tensor apply(A &&...); }; }
struct Library { template <class F> Library &def(const char *, F &&) { return *this; } Library &def(const char *);
template <class F> Library &impl(const char *, F &&) { return *this; } };
struct RegisterOperators { RegisterOperators(); template <class F, class... A> explicit RegisterOperators(const std::string &, F &&, const A &...);
template <class F, class... A> RegisterOperators &op(const std::string &, F &&, const A &...) { return *this; } };
namespace jit { using torch::RegisterOperators; }
template <class F> F &&dispatch(DeviceType, F &&f) { return (F &&)f; } template <class F> F &&dispatch(DispatchKey, F &&f) { return (F &&)f; }
}
namespace pybind11 { struct arg { explicit arg(const char *); arg &none(bool = true); arg &noconvert(bool = true); template <class T> arg &operator=(T &&); };
struct object { template <class T> object &operator=(const T &); template <class T> T cast() const; object attr(const char *) const;
  bool is_none() const; template <class... A> object operator()(A &&...) const; }; typedef object handle, function, bytes, tuple, buffer, bytearray;
struct module_ : object { template <class F, class... A> module_ &def(const char *, F &&, const A &...) { return *this; } object &doc();
  module_ def_submodule(const char *, const char * = nullptr); static module_ import(const char *); }; struct none {}; template <class T> size_t len(const T &);
typedef module_ module; template <class... A> struct init_of {}; template <class... A> init_of<A...> init(); template <class F> init_of<F> init(F &&);
template <class T, class... O> struct class_ : object { template <class... A> class_(handle, const char *, const A &...);
  template <class F, class... A> class_ &def(const char *, F &&, const A &...) { return *this; }
  template <class... I, class... A> class_ &def(init_of<I...>, const A &...) { return *this; }
  template <class F, class... A> class_ &def_static(const char *, F &&, const A &...) { return *this; }
  template <class... A> class_ &def_readwrite(const A &...); template <class... A> class_ &def_readonly(const A &...);
  template <class... A> class_ &def_property(const A &...); template <class... A> class_ &def_property_readonly(const A &...); };
template <class T> struct enum_ : object { template <class... A> enum_(handle, const char *, const A &...);
  enum_ &value(const char *, T, const char * = nullptr); enum_ &export_values(); };
enum class return_value_policy { automatic, automatic_reference, take_ownership, copy, move, reference, reference_internal };
template <int N, int P> struct keep_alive {}; template <class... A> struct ka_overload { template <class R, class C> constexpr auto operator()(R (C::*f)(A...)) const { return f; }
  template <class R, class C> constexpr auto operator()(R (C::*f)(A...) const) const { return f; } template <class R> constexpr auto operator()(R (*f)(A...)) const { return f; } };
template <class... A> constexpr ka_overload<A...> overload_cast{}; template <class T, class V> T cast(V &&); template <class V> object cast(V &&);
struct buffer_info { void *ptr; size_t size, itemsize, ndim; std::vector<size_t> shape, strides; };
template <class T, int F = 0> struct array_t { T *mutable_data(); const T *data() const; size_t size() const; template <class... A> array_t(A...); buffer_info request(); };
struct array { enum { c_style = 1, forcecast = 16 }; template <class... A> array(A...); }; struct dict : object {}; struct list : object {}; struct str : object {};
struct arithmetic {}; struct gil_scoped_acquire { gil_scoped_acquire(); }; struct gil_scoped_release { gil_scoped_release(); }; template <class T> struct call_guard {}; namespace literals { arg operator""_a(const char *, size_t);
} }
namespace py = pybind11;
