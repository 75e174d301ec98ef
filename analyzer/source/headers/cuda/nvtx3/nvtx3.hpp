// Ranges for a profiler that end with their scope.
#pragma once
#include <nvtx3/nvToolsExt.h>
#include <string>
namespace nvtx3 { inline namespace v1 {
struct domain { struct global {}; template <class D = global> static const domain &get(); operator nvtxDomainHandle_t() const; };
struct rgb { template <class T> constexpr rgb(T, T, T); }; struct argb { template <class T> constexpr argb(T, T, T, T); };
struct color { constexpr explicit color(unsigned); constexpr color(rgb); constexpr color(argb); };
struct category { constexpr explicit category(uint32_t); };
template <class D = domain::global> struct named_category_in : category { template <class T> named_category_in(uint32_t, T);
  template <class C> static const named_category_in &get(); };
template <class D = domain::global> struct registered_string_in { template <class T> explicit registered_string_in(T);
  template <class M> static const registered_string_in &get(); };
struct payload { template <class T> constexpr explicit payload(T); };
struct message { constexpr message(const char *); constexpr message(const wchar_t *); message(const std::string &);
  template <class D> constexpr message(const registered_string_in<D> &); };
struct event_attributes { template <class... A> constexpr event_attributes(const A &...); };
struct range_handle { operator nvtxRangeId_t() const; };
template <class D = domain::global> struct scoped_range_in { template <class... A> explicit scoped_range_in(const A &...); ~scoped_range_in(); };
template <class D = domain::global> struct unique_range_in { template <class... A> explicit unique_range_in(const A &...); ~unique_range_in(); };
using scoped_range = scoped_range_in<>; using unique_range = unique_range_in<>; using named_category = named_category_in<>;
using registered_string = registered_string_in<>; template <class D> using domain_thread_range = scoped_range_in<D>; using thread_range = scoped_range;
template <class D = domain::global, class... A> void mark_in(const A &...); template <class... A> void mark(const A &...);
template <class D = domain::global, class... A> range_handle start_range_in(const A &...); template <class... A> range_handle start_range(const A &...);
template <class D = domain::global> void end_range_in(range_handle); void end_range(range_handle); } }
#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range const nvtx3_func_range__{__func__}
#define NVTX3_FUNC_RANGE_IN(D) ::nvtx3::scoped_range_in<D> const nvtx3_func_range__{__func__}
#define NVTX3_FUNC_RANGE_IF(C) ((void)(C))
