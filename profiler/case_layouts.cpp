#include "profiler/case_layouts.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

Tensor contiguous(const Tensor& t) { return t.clone(at::MemoryFormat::Contiguous); }

// A part of a wider tensor along the last dimension, one element in.
Tensor sliced(const Tensor& t) {
  auto sizes = t.sizes().vec();
  sizes.back() += 3;
  return at::empty(sizes, t.options()).narrow(-1, 1, t.size(-1)).copy_(t);
}

Tensor everyOther(const Tensor& t) {
  auto sizes = t.sizes().vec();
  sizes.back() *= 2;
  return at::empty(sizes, t.options()).slice(-1, 0, std::nullopt, 2).copy_(t);
}

Tensor transposed(const Tensor& t) {
  return t.transpose(-1, -2).clone(at::MemoryFormat::Contiguous).transpose(-1, -2);
}

Tensor misaligned(const Tensor& t) {
  return at::empty({t.numel() + 1}, t.options()).narrow(0, 1, t.numel()).view(t.sizes()).copy_(t);
}

// All along the first dimension as its first.
Tensor repeated(const Tensor& t) { return contiguous(t.narrow(0, 0, 1)).expand_as(t); }

Tensor channelsLast(const Tensor& t) { return t.clone(at::MemoryFormat::ChannelsLast); }

const std::string kLayout = "layout ";

struct Layout {
  const char* name;
  std::int64_t leastDimensions, mostDimensions;
  Tensor (*of)(const Tensor&);
};
constexpr Layout kLayouts[] = {{"contiguous", 1, 64, contiguous},  {"sliced", 1, 64, sliced},
                               {"transposed", 2, 64, transposed},  {"misaligned", 1, 64, misaligned},
                               {"every other", 1, 64, everyOther}, {"channels-last", 4, 4, channelsLast},
                               {"repeated", 2, 64, repeated}};

bool fits(const Layout& l, const Tensor& t) {
  if (!t.defined() || t.layout() != c10::kStrided || t.numel() < 2 || t.is_quantized()) return false;
  if (std::string(l.name) == "contiguous") return !t.is_contiguous();
  return t.dim() >= l.leastDimensions && t.dim() <= l.mostDimensions;
}

}  // namespace

bool changesLayout(const std::string& caseName) { return caseName.starts_with(kLayout); }

std::vector<std::string> layoutNames(const Values& batch) {
  std::vector<std::string> out;
  auto leaves = leavesOf(batch, "input");
  for (const Layout& l : kLayouts)
    if (std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
          return leaf.value.isTensor() && fits(l, leaf.value.toTensor());
        }))
      out.push_back(kLayout + l.name);
  return out;
}

Values withLayout(const std::string& name, const Values& batch) {
  for (const Layout& l : kLayouts)
    if (name == kLayout + l.name)
      return mapTensors(batch, [&](const Tensor& t) { return fits(l, t) ? l.of(t) : cloneOf(t); });
  return cloneOf(batch);
}

}  // namespace kadvise
