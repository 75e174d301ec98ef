#include "profiler/same_memory.h"

#include <ATen/ATen.h>

#include "profiler/case_roles.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

Tensor touchedOf(const Tensor& t) {
  Tensor out = cloneOf(t);
  Role role = roleOf(t);
  if (!isDrawn(role) && role != Role::Integer) return out;
  // In the tensor's own layout; a repeated dimension has one element to change.
  Tensor first = out, last = out;
  for (std::int64_t d = 0; d < out.dim(); ++d)
    first = first.select(0, 0), last = last.select(0, last.size(0) - 1);
  if (role == Role::Integer) last.copy_(first);
  else last.mul_(2).add_(1);
  return out;
}

}  // namespace

SameMemory::SameMemory(const Values& batch) : batch_(batch) {
  mapTensors(batch, [this](const Tensor& t) { return memory_.emplace_back(cloneOf(t)); });
}

Values SameMemory::values() const {
  auto next = memory_.begin();
  return mapTensors(batch_, [&](const Tensor&) { return (next++)->detach(); });
}

Values SameMemory::touched() const { return mapTensors(batch_, touchedOf); }

void SameMemory::write(const Values& values) {
  auto next = memory_.begin();
  mapTensors(values, [&](const Tensor& from) {
    Tensor target = *next++, source = from;
    for (std::int64_t d = 0; d < target.dim(); ++d)
      if (target.stride(d) == 0 && target.size(d) > 0)
        target = target.narrow(d, 0, 1), source = source.narrow(d, 0, 1);
    target.copy_(source);
    return from;
  });
}

}  // namespace kadvise
