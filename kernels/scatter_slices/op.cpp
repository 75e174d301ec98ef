// kadvise::scatter_slices: a new tensor with parts written into slices of it, all in one kernel. In torch
// that is torch.full, and for each part a chain of slice and select with copy_ behind it.
//
// `slices` has for each part the number of views, and for each of those a dimension, start, end and step, as
// torch.slice takes them; a step of 0 is torch.select at start. A later part lies over an earlier one.
// `sizes` are those of the result; what no part covers is `rest`. Dtype and device are those of the first
// part.
//
// Whatever the kernel does not serve is the composition: more than six dimensions or eight parts, parts of
// other dtypes, gradients, the CPU, other devices; so are all errors.
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/scatter_slices/enqueue.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <vector>

namespace kadvise {
namespace {

using at::IntArrayRef;

struct View {
  std::int64_t dim, start, end, step;
  bool selects() const { return step == 0; }
};

// By part.
std::vector<std::vector<View>> viewsOf(IntArrayRef slices, std::size_t parts) {
  std::vector<std::vector<View>> out;
  std::size_t at = 0;
  while (at < slices.size()) {
    const auto count = slices[at++];
    TORCH_CHECK(count >= 0 && count <= 64 && at + 4 * static_cast<std::size_t>(count) <= slices.size(),
                "kadvise::scatter_slices: slices end within a part, or ", count, " is no number of views");
    auto& views = out.emplace_back();
    for (std::int64_t i = 0; i < count; ++i, at += 4)
      views.push_back({slices[at], slices[at + 1], slices[at + 2], slices[at + 3]});
  }
  TORCH_CHECK(out.size() == parts, "kadvise::scatter_slices: slices for ", out.size(), " parts, ", parts,
              " were given");
  TORCH_CHECK(parts > 0, "kadvise::scatter_slices: there is no part, whose dtype the result would have");
  return out;
}

Tensor composition(at::TensorList parts, IntArrayRef slices, IntArrayRef sizes, const at::Scalar& rest) {
  const auto views = viewsOf(slices, parts.size());
  Tensor result = at::full(sizes, rest, parts[0].options());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Tensor to = result;
    for (const View& v : views[i])
      to = v.selects() ? to.select(v.dim, v.start) : to.slice(v.dim, v.start, v.end, v.step);
    to.copy_(parts[i]);
  }
  return result;
}

// Where a part lies in one dimension of the result.
struct Extent {
  std::int64_t begin, step, count, stride;
};

// Of the result's dimensions, and those of them that the views still have. False for what torch refuses.
bool narrow(const View& v, std::vector<Extent>& extents, std::vector<std::size_t>& left) {
  const auto rank = static_cast<std::int64_t>(left.size());
  const auto dim = v.dim < 0 ? v.dim + rank : v.dim;
  if (dim < 0 || dim >= rank || v.step < 0) return false;
  Extent& e = extents[left[static_cast<std::size_t>(dim)]];
  const auto from = v.start < 0 ? v.start + e.count : v.start;
  if (v.selects()) {
    if (from < 0 || from >= e.count) return false;
    e.begin += from * e.step;
    e.count = 1;
    left.erase(left.begin() + dim);
    return true;
  }
  const auto start = std::clamp<std::int64_t>(from, 0, e.count);
  const auto end = std::clamp<std::int64_t>(v.end < 0 ? v.end + e.count : v.end, start, e.count);
  e.begin += start * e.step;
  e.count = end == start ? 0 : (end - start - 1) / v.step + 1;
  e.step = e.count > 1 ? e.step * v.step : 1;  // of more than one below the size, whatever a caller says
  return true;
}

// The part's own dimensions stand for the last of those that are left.
bool broadcast(const Tensor& part, std::vector<Extent>& extents, const std::vector<std::size_t>& left) {
  const auto rank = static_cast<std::size_t>(part.dim());
  if (rank > left.size()) return false;
  for (std::size_t d = 0; d < rank; ++d) {
    Extent& e = extents[left[left.size() - rank + d]];
    const auto size = part.size(static_cast<std::int64_t>(d));
    if (size != e.count && size != 1) return false;
    if (size > 1) e.stride = part.stride(static_cast<std::int64_t>(d));
  }
  return true;
}

bool describe(const Tensor& part, const std::vector<View>& views, IntArrayRef sizes, ScatterArgs& args) {
  std::vector<Extent> extents;
  std::vector<std::size_t> left;
  for (const auto size : sizes) {
    left.push_back(extents.size());
    extents.push_back({0, 1, size, 0});
  }
  for (const View& v : views)
    if (!narrow(v, extents, left)) return false;
  if (!broadcast(part, extents, left)) return false;
  if (std::any_of(extents.begin(), extents.end(), [](auto& e) { return e.count == 0; })) return true;
  ScatterPart& out = args.part[args.parts++];
  out.data = part.const_data_ptr();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const Extent& e = extents[extents.size() - 1 - d];
    out.begin[d] = e.begin, out.step[d] = e.step, out.count[d] = e.count;
    out.stride[d] = e.count == 1 ? 1 : e.stride;
  }
  return true;
}

bool isServed(at::TensorList parts, IntArrayRef sizes) {
  if (parts.size() > kMostScatterParts || sizes.empty() || sizes.size() > kMostScatterDims) return false;
  if (std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size <= 0; })) return false;
  if (sizes.back() > INT32_MAX) return false;
  return std::all_of(parts.begin(), parts.end(), [&](const Tensor& part) {
    return isLike(part, parts[0]) && !part.is_conj() && !part.is_neg() && part.layout() == at::kStrided;
  });
}

// The result of a kernel, or nothing when only the composition can serve it.
std::optional<Tensor> launch(at::TensorList parts, IntArrayRef slices, IntArrayRef sizes,
                             const at::Scalar& rest) {
  const auto views = viewsOf(slices, parts.size());
  if (!isServed(parts, sizes)) return std::nullopt;
  ScatterArgs args{};
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!describe(parts[i], views[i], sizes, args)) return std::nullopt;
  Tensor result = at::empty(sizes, parts[0].options());
  enqueueScatter(args, rest, result);
  return result;
}

struct ScatterSlices {
  static constexpr const char* kName = "scatter_slices";
  static constexpr const char* kQualifiedName = "kadvise::scatter_slices";
  static constexpr const char* kSchema =
      "scatter_slices(Tensor[] parts, int[] slices, int[] sizes, Scalar rest) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::ChangesNothing;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onCpu = kadvise::composition;
  static constexpr auto& onMeta = kadvise::composition;

  static Tensor onCuda(at::TensorList parts, IntArrayRef slices, IntArrayRef sizes, const at::Scalar& rest) {
    TORCH_CHECK(!parts.empty(),
                "kadvise::scatter_slices: there is no part, whose dtype the result would have");
    const c10::DeviceGuard guard(parts[0].device());
    const auto result = launch(parts, slices, sizes, rest);
    return result ? *result : composition(parts, slices, sizes, rest);
  }
};

}  // namespace

extern const Operator kScatterSlices;
const Operator kScatterSlices = Dispatch<ScatterSlices>::entry();

}  // namespace kadvise
