#include "profiler/longest_sum.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <string_view>

namespace kadvise {
namespace {

using Arguments = c10::ArrayRef<const c10::IValue>;
using Terms = std::int64_t(const Arguments&);

// Sums of whole numbers are exact.
const at::Tensor* tensor(const Arguments& a, std::size_t i) {
  bool isThere = i < a.size() && a[i].isTensor() && a[i].toTensor().defined();
  return isThere && !at::isIntegralType(a[i].toTensor().scalar_type(), true) ? &a[i].toTensor() : nullptr;
}

std::int64_t sizeAt(const Arguments& a, std::size_t i, std::int64_t dim) {
  const at::Tensor* t = tensor(a, i);
  return t && t->dim() >= (dim < 0 ? -dim : dim + 1) ? t->size(dim) : 1;
}

std::int64_t columnsOfFirst(const Arguments& a) { return sizeAt(a, 0, -1); }
std::int64_t columnsOfSecond(const Arguments& a) { return sizeAt(a, 1, -1); }

// Of a weight [out, in / groups, ...], or [in, out / groups, ...] where the seventh argument says transposed.
std::int64_t windowOfSecond(const Arguments& a) {
  const at::Tensor* weight = tensor(a, 1);
  bool isTransposed = a.size() > 6 && a[6].isBool() && a[6].toBool();
  std::int64_t outputs = sizeAt(a, 1, isTransposed ? 1 : 0);
  return weight && outputs > 0 ? weight->numel() / outputs : 1;
}

std::int64_t keys(const Arguments& a) { return std::max(sizeAt(a, 1, -2), sizeAt(a, 0, -1)); }

// Over one dimension, a list of them, or all, as the argument at this place says.
std::int64_t overDimsAt(const Arguments& a, std::size_t place) {
  const at::Tensor* t = tensor(a, 0);
  if (!t) return 1;
  if (a.size() > place && a[place].isInt()) return sizeAt(a, 0, a[place].toInt());
  if (a.size() <= place || !a[place].isIntList() || a[place].toIntVector().empty()) return t->numel();
  std::int64_t terms = 1;
  for (std::int64_t dim : a[place].toIntVector()) terms *= sizeAt(a, 0, dim);
  return terms;
}

std::int64_t overDims(const Arguments& a) { return overDimsAt(a, 1); }
std::int64_t overDimsBehindPower(const Arguments& a) { return overDimsAt(a, 2); }

std::int64_t overGroup(const Arguments& a) {
  const at::Tensor* t = tensor(a, 0);
  std::int64_t groups = t && a.size() > 1 && a[1].isInt() ? sizeAt(a, 0, 0) * a[1].toInt() : 0;
  return groups > 0 ? t->numel() / groups : 1;
}

std::int64_t overNormalized(const Arguments& a) {
  std::int64_t terms = 1;
  if (a.size() > 1 && a[1].isIntList())
    for (std::int64_t size : a[1].toIntVector()) terms *= size;
  return terms;
}

struct Sum {
  std::string_view name;
  Terms* terms;
};

// What the operators that models call come down to.
constexpr Sum kSums[] = {
    {"aten::mm", columnsOfFirst},
    {"aten::bmm", columnsOfFirst},
    {"aten::mv", columnsOfFirst},
    {"aten::dot", columnsOfFirst},
    {"aten::addmm", columnsOfSecond},
    {"aten::baddbmm", columnsOfSecond},
    {"aten::addmv", columnsOfSecond},
    {"aten::linear", columnsOfFirst},
    {"aten::convolution", windowOfSecond},
    {"aten::_convolution", windowOfSecond},
    {"aten::scaled_dot_product_attention", keys},
    {"aten::softmax", overDims},
    {"aten::log_softmax", overDims},
    {"aten::_softmax", overDims},
    {"aten::_log_softmax", overDims},
    {"aten::sum", overDims},
    {"aten::mean", overDims},
    {"aten::var", overDims},
    {"aten::std", overDims},
    {"aten::norm", overDimsBehindPower},
    {"aten::cumsum", overDims},
    {"aten::logsumexp", overDims},
    {"aten::layer_norm", overNormalized},
    {"aten::rms_norm", overNormalized},
    {"aten::group_norm", overGroup},
};

thread_local std::int64_t longest = 1;

std::unique_ptr<at::ObserverContext> see(const at::RecordFunction& call) {
  std::string_view name = call.name();
  const auto* sum =
      std::find_if(std::begin(kSums), std::end(kSums), [&](const Sum& s) { return s.name == name; });
  if (sum != std::end(kSums)) longest = std::max(longest, sum->terms(call.inputs()));
  return nullptr;
}

struct Watching {
  at::CallbackHandle handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(see).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  Watching() = default;
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() { at::removeCallback(handle); }
};

}  // namespace

std::int64_t longestSum(const std::function<void()>& call) {
  longest = 1;
  const Watching watching;
  call();
  return longest;
}

}  // namespace kadvise
