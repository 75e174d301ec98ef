#include "kernels/graph_runner/cuda/small_copies.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_foreach_copy.h>

#include <algorithm>
#include <map>

namespace kadvise {
namespace {

// One block of threads copies a tensor of this size in a few microseconds; more goes faster by itself.
constexpr std::size_t kSmallBytes = 32 << 10;

// What torch copies in one launch, whatever its version: the newer dtypes came one by one.
constexpr at::ScalarType kDtypes[] = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte,
                                      at::kChar,  at::kShort,  at::kInt,  at::kLong,     at::kBool};

bool isSmall(const at::Tensor& layout) {
  if (!layout.defined() || layout.numel() == 0 || layout.nbytes() > kSmallBytes) return false;
  const bool isKnown =
      std::find(std::begin(kDtypes), std::end(kDtypes), layout.scalar_type()) != std::end(kDtypes);
  return isKnown && layout.is_non_overlapping_and_dense();
}

}  // namespace

std::vector<std::vector<std::size_t>> smallGroups(const std::vector<at::Tensor>& layouts) {
  std::map<at::ScalarType, std::vector<std::size_t>> byDtype;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (isSmall(layouts[i])) byDtype[layouts[i].scalar_type()].push_back(i);
  }
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [dtype, group] : byDtype) {
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

// Below autograd, which has no part in this: the tensors of a graph are nobody's but the runner's.
void copyTogether(const std::vector<at::Tensor>& to, const std::vector<at::Tensor>& from) {
  const at::AutoDispatchBelowADInplaceOrView belowAutograd;
  at::_foreach_copy_(to, from, /*non_blocking=*/true);
}

}  // namespace kadvise
