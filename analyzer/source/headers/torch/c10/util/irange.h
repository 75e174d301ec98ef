#pragma once
#include <kadvise_torch.h>
namespace c10 {
template <class T> struct ka_range {
  struct iterator { T operator*() const; iterator &operator++(); bool operator!=(const iterator &) const; };
  iterator begin() const; iterator end() const;
};
template <class T> ka_range<T> irange(T);
template <class A, class B> ka_range<B> irange(A, B);
}
