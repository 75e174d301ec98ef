#include "profiler/contract.h"

#include <algorithm>
#include <map>

#include "profiler/attributes.h"
#include "profiler/inputs.h"

namespace kadvise {
namespace {

using at::Tensor;
using c10::IValue;

std::string text(at::IntArrayRef list) {
  std::string out;
  for (auto v : list) out += (out.empty() ? "" : ",") + std::to_string(v);
  return "[" + out + "]";
}

bool isTensor(const Leaf& leaf) { return leaf.value.isTensor() && leaf.value.toTensor().defined(); }

const void* storageOf(const Tensor& t) { return t.has_storage() && t.numel() ? t.storage().data() : nullptr; }

// For each output: the input whose memory it shares, or "" for its own.
std::vector<std::string> sharedInputs(const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs) {
  std::map<const void*, std::string> owner;
  for (const Leaf& leaf : inputs)
    if (isTensor(leaf) && storageOf(leaf.value.toTensor()))
      owner.emplace(storageOf(leaf.value.toTensor()), leaf.at);
  std::vector<std::string> out;
  for (const Leaf& leaf : outputs) {
    auto found = isTensor(leaf) ? owner.find(storageOf(leaf.value.toTensor())) : owner.end();
    out.push_back(found == owner.end() ? "" : found->second);
  }
  return out;
}

std::optional<std::string> typeBreach(const Leaf& a, const Leaf& b, DifferenceWords differs) {
  const Tensor &x = a.value.toTensor(), &y = b.value.toTensor();
  if (x.scalar_type() != y.scalar_type())
    return differs(a.at, "dtype", wordOf(y.scalar_type()), wordOf(x.scalar_type()));
  if (x.sizes() != y.sizes()) return differs(a.at, "shape", text(y.sizes()), text(x.sizes()));
  if (x.device() != y.device()) return differs(a.at, "device", y.device().str(), x.device().str());
  if (x.layout() != y.layout()) return differs(a.at, "layout", c10::str(y.layout()), c10::str(x.layout()));
  return std::nullopt;
}

std::optional<std::string> exactBreach(const Leaf& a, const Leaf& b, DifferenceWords differs) {
  bool inexact = isTensor(a) ? a.value.toTensor().is_floating_point() || a.value.toTensor().is_complex()
                             : a.value.isDouble();
  if (inexact || sameBits(a.value, b.value)) return std::nullopt;
  if (!isTensor(a)) return differs(a.at, "value", describe(b.value), describe(a.value));
  auto wrong = a.value.toTensor().ne(b.value.toTensor()).sum().item<std::int64_t>();
  return a.at + " (" + wordOf(a.value.toTensor().scalar_type()) + ") differs in " + std::to_string(wrong) +
         " of " + std::to_string(a.value.toTensor().numel()) + " elements";
}

// Strides of dimensions of size 1 are never used.
bool sameLayout(const Tensor& x, const Tensor& y) {
  for (std::int64_t d = 0; d < x.dim(); ++d)
    if (x.size(d) > 1 && x.stride(d) != y.stride(d)) return false;
  return true;
}

// Whether one element of the memory belongs to both. Halves of one tensor share a storage and no element.
bool overlap(const Tensor& x, const Tensor& y) {
  if (!storageOf(x) || storageOf(x) != storageOf(y) || x.element_size() != y.element_size()) return false;
  if (x.data_ptr() == y.data_ptr()) return true;
  auto elements = static_cast<std::int64_t>(x.storage().nbytes() / x.element_size());
  Tensor taken = at::zeros({elements}, at::kBool);
  taken.as_strided(x.sizes(), x.strides(), x.storage_offset()).fill_(true);
  return taken.as_strided(y.sizes(), y.strides(), y.storage_offset()).any().item<bool>();
}

std::optional<std::string> sharingBreach(const std::vector<Leaf>& originalOutputs,
                                         const std::vector<Leaf>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      auto same = [&](const std::vector<Leaf>& l) {
        return isTensor(l[i]) && isTensor(l[j]) && overlap(l[i].value.toTensor(), l[j].value.toTensor());
      };
      bool shared = same(outputs);
      if (shared == same(originalOutputs)) continue;
      // Who writes into the one sees it in the other, or no longer does.
      return outputs[j].at + " and " + outputs[i].at +
             (shared ? " are the same memory, those of the original are not"
                     : " are not the same memory, those of the original are");
    }
  return std::nullopt;
}

}  // namespace

std::string originalHas(const std::string& at, const std::string& what, const std::string& candidate,
                        const std::string& original) {
  return at + " has " + what + " " + candidate + " where the original has " + original;
}

std::optional<std::string> leafBreach(const std::vector<Leaf>& a, const std::vector<Leaf>& b,
                                      const LeafPlaces& excused, DifferenceWords differs) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (isTensor(a[i]) != isTensor(b[i])) return a[i].at + " is a tensor on one side only";
    if (isTensor(a[i]))
      if (auto breach = typeBreach(a[i], b[i], differs)) return breach;
    if (excused.contains(i)) continue;
    if (auto breach = exactBreach(a[i], b[i], differs)) return breach;
  }
  return std::nullopt;
}

LeafPlaces ownLeaves(const Run& run) {
  auto shares = sharedInputs(leavesOf(run.inputs, "input"), leavesOf(run.output, "output"));
  LeafPlaces out;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i].empty()) out.insert(i);
  return out;
}

std::optional<std::string> breachOf(const Run& original, const Run& candidate, const LeafPlaces& excused,
                                    const LeafPlaces& ownInRun) {
  auto was = leavesOf(original.inputs, "input"), is = leavesOf(candidate.inputs, "input");
  for (std::size_t i = 0; i < was.size() && i < is.size(); ++i)
    if (!sameBits(was[i].value, is[i].value)) return was[i].at + " is not left as the original leaves it";

  std::string structure = structureOf(original.output), other = structureOf(candidate.output);
  if (structure != other) return "it returns " + other + " where the original returns " + structure;
  auto a = leavesOf(original.output, "output"), b = leavesOf(candidate.output, "output");
  if (auto breach = leafBreach(a, b, excused)) return breach;
  auto shares = sharedInputs(was, a), shared = sharedInputs(is, b);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (shares[i] != shared[i] && !(shared[i].empty() && ownInRun.contains(i)))
      return originalHas(a[i].at, "memory", shared[i].empty() ? "of its own" : "of " + shared[i],
                         shares[i].empty() ? "its own" : "that of " + shares[i]);
  return sharingBreach(a, b);
}

std::optional<std::string> ownedOutput(const IValue& output, const torch::jit::Module& module) {
  std::map<const void*, std::string> owner;
  for (const auto& [name, tensor] : tensorAttributes(module))
    if (const void* memory = storageOf(tensor)) owner.emplace(memory, name);
  for (const Leaf& leaf : leavesOf(output, "output")) {
    if (!isTensor(leaf)) continue;
    auto found = owner.find(storageOf(leaf.value.toTensor()));
    if (found != owner.end()) return leaf.at + " is the memory of " + found->second;
  }
  return std::nullopt;
}

std::string sharingNote(const Run& run) {
  auto outputs = leavesOf(run.output, "output");
  auto shares = sharedInputs(leavesOf(run.inputs, "input"), outputs);
  std::string out;
  auto add = [&](const std::string& clause) { out += (out.empty() ? "" : "; ") + clause; };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!shares[i].empty()) add(outputs[i].at + " is the memory of " + shares[i]);
    for (std::size_t j = 0; j < i; ++j)
      if (isTensor(outputs[i]) && isTensor(outputs[j]) &&
          overlap(outputs[i].value.toTensor(), outputs[j].value.toTensor()))
        add(outputs[j].at + " and " + outputs[i].at + " are the same memory");
  }
  return out;
}

DomainDifference domainFrom(const std::string& text) {
  DomainDifference out;
  for (std::size_t from = 0; from < text.size();) {
    auto end = std::min(text.find("; ", from), text.size());
    std::string part = text.substr(from, end - from);
    auto become = part.find("become");
    std::string was = part.substr(0, become);
    if (auto colon = was.rfind(':'); colon != std::string::npos) was.erase(0, colon + 1);
    out.nan |= become == std::string::npos || was.find("NaN") != std::string::npos;
    out.infinity |= become != std::string::npos && was.find("inf") != std::string::npos;
    from = end + 2;
  }
  return out;
}

std::optional<std::string> specialsBreach(const Tensor& original, const Tensor& candidate,
                                          const Tensor& truth, DomainDifference allowed) {
  if (original.numel() == 0) return std::nullopt;
  Tensor x = original.is_complex() ? at::view_as_real(original.resolve_conj()) : original;
  Tensor y = candidate.is_complex() ? at::view_as_real(candidate.resolve_conj()) : candidate;
  Tensor wrongNan = x.isnan().ne(y.isnan()), wrongInf = x.isinf().logical_or(y.isinf()).logical_and_(x.ne(y));
  // NaN on one side makes ne() true for an infinity on the other; that is counted once, as NaN.
  wrongInf.logical_and_(wrongNan.logical_not());
  Tensor finite = y.isfinite();
  if (allowed.nan) wrongNan.logical_and_(x.isnan().logical_and_(finite).logical_not_());
  if (allowed.infinity) wrongInf.logical_and_(x.isinf().logical_and_(finite).logical_not_());
  if (truth.defined() && truth.sizes() == x.sizes()) {
    double largest = x.scalar_type() == c10::kHalf     ? 65504.0
                     : x.scalar_type() == c10::kDouble ? 1.7976931348623157e308
                                                       : 3.4028234663852886e38;
    Tensor fits = truth.abs().lt(0.9 * largest), atLimit = truth.abs().ge(0.9 * largest);
    // An original that overflows on its way says nothing about how; a finite candidate is held to the truth.
    Tensor overflowed = x.isfinite().logical_not_().logical_and_(truth.isfinite());
    overflowed.logical_and_(y.isfinite().logical_and_(fits).logical_or_(y.isfinite().logical_not_()));
    Tensor sameSide = y.isnan().logical_not_().logical_and_(y.sign().eq(truth.sign().to(y.scalar_type())));
    Tensor fine = overflowed.logical_or_(atLimit.logical_and_(truth.isfinite()).logical_and_(sameSide));
    wrongNan.logical_and_(fine.logical_not());
    wrongInf.logical_and_(fine.logical_not());
  }
  auto nans = wrongNan.sum().item<std::int64_t>(), infs = wrongInf.sum().item<std::int64_t>();
  if (nans)
    return "NaN differs in " + std::to_string(nans) + " of " + std::to_string(x.numel()) + " elements";
  if (infs)
    return "infinities differ in " + std::to_string(infs) + " of " + std::to_string(x.numel()) + " elements";
  return std::nullopt;
}

std::string stridesNote(const IValue& original, const IValue& candidate) {
  auto a = leavesOf(original, "output"), b = leavesOf(candidate, "output");
  std::string out;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!isTensor(a[i]) || !isTensor(b[i])) continue;
    const Tensor &x = a[i].value.toTensor(), &y = b[i].value.toTensor();
    if (x.layout() != c10::kStrided || y.layout() != c10::kStrided || sameLayout(x, y)) continue;
    out += (out.empty() ? "" : "; ") + originalHas(a[i].at, "strides", text(y.strides()), text(x.strides()));
  }
  return out;
}

}  // namespace kadvise
