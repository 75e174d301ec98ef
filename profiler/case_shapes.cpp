#include "profiler/case_shapes.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include "profiler/case_roles.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

constexpr std::size_t kMostSizes = 4;
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;  // of one input that is made larger

bool isPrime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

std::int64_t primeAbove(std::int64_t n) {
  while (!isPrime(++n)) {
  }
  return n;
}

std::vector<std::int64_t> changed(const ShapeChange& c, at::IntArrayRef sizes) {
  auto out = sizes.vec();
  for (std::size_t d = 0; d < (c.firstOnly ? std::min<std::size_t>(1, out.size()) : out.size()); ++d)
    if (out[d] == c.from) out[d] = c.to;
  return out;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t out = 1;
  for (auto s : sizes) out *= s;
  return out;
}

std::vector<Tensor> tensorsOf(const Values& batch) {
  std::vector<Tensor> out;
  for (const Leaf& leaf : leavesOf(batch, "input"))
    if (leaf.value.isTensor() && leaf.value.toTensor().defined() && leaf.value.toTensor().dim() > 0)
      out.push_back(leaf.value.toTensor());
  return out;
}

bool isTooLarge(const ShapeChange& c, const std::vector<Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& t) {
    return product(changed(c, t.sizes())) > std::max(kMostElements, 4 * t.numel());
  });
}

// As many as keep the inputs small; odd, so that no vector width divides it.
std::int64_t manyOf(std::int64_t from, bool firstOnly, const std::vector<Tensor>& tensors) {
  for (std::int64_t factor : {64, 16, 4})
    if (!isTooLarge({from, from * factor + 5, firstOnly}, tensors)) return from * factor + 5;
  return from;
}

// The values of a mask or of indices, again and again.
Tensor cycled(const Tensor& t, const std::vector<std::int64_t>& sizes) {
  if (t.numel() == 0) return t.new_zeros(sizes);
  Tensor index = at::arange(product(sizes), t.options().dtype(at::kLong)).remainder(t.numel());
  return t.contiguous().view({-1}).index_select(0, index).view(sizes);
}

// A table that gets shorter keeps its first rows: indices go round in them.
Tensor withinTables(const ShapeChange& c, const Tensor& integers) {
  return c.to > 0 && c.to < c.from ? integers.remainder(c.to) : integers;
}

Tensor resized(const ShapeChange& c, const Tensor& t) {
  if (t.layout() != c10::kStrided) return cloneOf(t);
  auto sizes = changed(c, t.sizes());
  Role role = roleOf(t);
  bool same = at::IntArrayRef(sizes) == t.sizes();
  if (c10::isIntegralType(t.scalar_type(), /*includeBool=*/false))
    return withinTables(c, same ? cloneOf(t) : cycled(t, sizes));
  if (same) return cloneOf(t);
  bool single = role == Role::Fixed && t.is_floating_point() && t.numel() < 2;
  if (!isDrawn(role) && !single) return cycled(t, sizes);
  auto type = t.scalar_type() == c10::kDouble ? c10::kDouble : c10::kFloat;
  Tensor values = at::randn(sizes, at::TensorOptions().device(t.device()).dtype(type));
  if (role == Role::Positive) values = values.abs_();
  return values.to(t.scalar_type());
}

}  // namespace

std::vector<ShapeChange> shapeChanges(const Values& batch) {
  auto tensors = tensorsOf(batch);
  std::vector<std::pair<std::int64_t, bool>> sizes;  // with: only the first dimension
  auto add = [&](std::int64_t size, bool firstOnly) {
    std::pair<std::int64_t, bool> one{size, firstOnly};
    if (size > 0 && std::find(sizes.begin(), sizes.end(), one) == sizes.end()) sizes.push_back(one);
  };
  for (const Tensor& t : tensors) add(t.size(0), false);
  for (const Tensor& t : tensors)
    for (auto size : t.sizes()) add(size, false);
  if (sizes.size() > kMostSizes) sizes.resize(kMostSizes);
  // A batch that is as large as another dimension.
  for (const Tensor& t : tensors)
    for (std::int64_t d = 1; d < t.dim(); ++d)
      if (t.size(d) == t.size(0)) add(t.size(0), true);

  std::vector<ShapeChange> out;
  auto propose = [&](auto to) {
    for (auto [from, firstOnly] : sizes) {
      ShapeChange c{from, to(from, firstOnly), firstOnly};
      bool known = std::any_of(out.begin(), out.end(), [&](const ShapeChange& o) {
        return o.from == c.from && o.to == c.to && o.firstOnly == c.firstOnly;
      });
      if (c.to != from && !known && !isTooLarge(c, tensors)) out.push_back(c);
    }
  };
  propose([](std::int64_t n, bool) { return n + 1; });
  propose([](std::int64_t, bool) { return 1; });
  propose([](std::int64_t n, bool) { return primeAbove(2 * n); });
  propose([](std::int64_t n, bool) { return n - 1; });
  propose([&](std::int64_t n, bool firstOnly) { return manyOf(n, firstOnly, tensors); });
  // At the end, since a division by a size of nothing ends the process: what is known by then can be said.
  propose([](std::int64_t, bool) { return 0; });
  return out;
}

std::string nameOf(const ShapeChange& c) {
  return (c.firstOnly ? "first dimension " : "size ") + std::to_string(c.from) + " as " +
         std::to_string(c.to);
}

namespace {

std::optional<std::pair<long long, long long>> changeNamed(const std::string& caseName) {
  long long from = 0, to = 0;
  bool shape = std::sscanf(caseName.c_str(), "size %lld as %lld", &from, &to) == 2 ||
               std::sscanf(caseName.c_str(), "first dimension %lld as %lld", &from, &to) == 2;
  return shape ? std::optional(std::pair(from, to)) : std::nullopt;
}

}  // namespace

bool changesShapes(const std::string& caseName) { return changeNamed(caseName).has_value(); }

bool mayLeaveTables(const std::string& caseName) {
  auto change = changeNamed(caseName);
  return change && (change->second > change->first || change->second == 0);
}

Values withShape(const ShapeChange& c, const Values& batch) {
  return mapTensors(batch, [&](const Tensor& t) { return resized(c, t); });
}

}  // namespace kadvise
