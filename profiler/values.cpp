#include "profiler/values.h"

#include <torch/script.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace kadvise {
namespace {

using at::Tensor;
using c10::IValue;

constexpr std::int64_t kAlignBytes = 64;
constexpr std::int64_t kMostGapBytes = std::int64_t{1} << 30;

std::string keyText(const IValue& key) {
  if (key.isString()) return key.toStringRef();
  if (key.isInt()) return "int " + std::to_string(key.toInt());
  if (key.isBool()) return key.toBool() ? "true" : "false";
  if (key.isDouble()) return "float " + std::to_string(key.toDouble());
  return structureOf(key);
}

// By key: the order in which a dictionary was filled is no part of what it holds.
std::vector<std::pair<std::string, IValue>> entriesOf(const IValue& dictionary) {
  std::vector<std::pair<std::string, IValue>> out;
  for (const auto& entry : dictionary.toGenericDict()) out.emplace_back(keyText(entry.key()), entry.value());
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

void addLeaves(const IValue& value, const std::string& at, std::vector<Leaf>& out) {
  auto below = [&](std::size_t i) { return at + "[" + std::to_string(i) + "]"; };
  if (value.isTuple()) {
    std::size_t i = 0;
    for (const IValue& e : value.toTupleRef().elements()) addLeaves(e, below(i++), out);
  } else if (value.isList()) {
    std::size_t i = 0;
    for (const IValue& e : value.toListRef()) addLeaves(e, below(i++), out);
  } else if (value.isGenericDict()) {
    for (const auto& [key, entry] : entriesOf(value)) addLeaves(entry, at + "[" + key + "]", out);
  } else {
    out.push_back({at, value});
  }
}

// Elements from the first to the last that the tensor can reach.
std::int64_t extentOf(const Tensor& t) {
  std::int64_t last = 0;
  for (std::int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  return last + 1;
}

// Repeated dimensions cut to size 1.
Tensor withoutRepeats(const Tensor& t) {
  auto sizes = t.sizes().vec();
  for (std::int64_t d = 0; d < t.dim(); ++d)
    if (t.stride(d) == 0) sizes[static_cast<std::size_t>(d)] = 1;
  return t.as_strided(sizes, t.strides(), t.storage_offset());
}

}  // namespace

IValue mapTensors(const IValue& value, const TensorMap& f) {
  if (value.isTensor()) return value.toTensor().defined() ? IValue(f(value.toTensor())) : value;
  if (value.isTuple()) {
    std::vector<IValue> elements;
    for (const IValue& e : value.toTupleRef().elements()) elements.push_back(mapTensors(e, f));
    auto type = value.type()->cast<c10::TupleType>();
    if (type && type->schema()) return c10::ivalue::Tuple::createNamed(std::move(elements), type);
    return c10::ivalue::Tuple::create(std::move(elements));
  }
  if (value.isList()) {
    auto list = value.toList();
    c10::impl::GenericList out(list.elementType());
    for (const IValue& e : value.toListRef()) out.push_back(mapTensors(e, f));
    return out;
  }
  if (value.isGenericDict()) {
    auto dict = value.toGenericDict();
    c10::impl::GenericDict out(dict.keyType(), dict.valueType());
    for (const auto& entry : dict) out.insert(entry.key(), mapTensors(entry.value(), f));
    return out;
  }
  return value;
}

std::vector<IValue> mapTensors(const std::vector<IValue>& values, const TensorMap& f) {
  std::vector<IValue> out;
  for (const IValue& v : values) out.push_back(mapTensors(v, f));
  return out;
}

std::vector<Leaf> leavesOf(const std::vector<IValue>& values, const std::string& name) {
  std::vector<Leaf> out;
  for (std::size_t i = 0; i < values.size(); ++i) addLeaves(values[i], name + " " + std::to_string(i), out);
  return out;
}

std::vector<Leaf> leavesOf(const IValue& value, const std::string& name) {
  if (value.isTuple()) return leavesOf(value.toTupleRef().elements().vec(), name);
  return leavesOf(std::vector<IValue>{value}, name);
}

std::string structureOf(const IValue& value) {
  auto joined = [](const auto& elements) {
    std::string out;
    for (const IValue& e : elements) out += (out.empty() ? "" : ", ") + structureOf(e);
    return out;
  };
  if (value.isTuple()) return "(" + joined(value.toTupleRef().elements()) + ")";
  if (value.isList()) return "[" + joined(value.toListRef()) + "]";
  if (value.isGenericDict()) {
    std::string out;
    for (const auto& [key, entry] : entriesOf(value))
      out += (out.empty() ? "" : ", ") + key + ": " + structureOf(entry);
    return "{" + out + "}";
  }
  if (value.isString()) return "str";
  return value.tagKind();
}

Tensor laidOutLike(const Tensor& model, const TensorMap& values) {
  if (model.layout() != c10::kStrided || model.numel() == 0 || model.is_quantized())
    return values(model).clone();
  Tensor reduced = withoutRepeats(model);
  std::int64_t extent = extentOf(reduced), bytes = static_cast<std::int64_t>(model.element_size());
  bool gaps = (extent - reduced.numel()) * bytes > kMostGapBytes;
  bool overlaps = extent < reduced.numel();
  if (gaps || overlaps) return values(model).clone(at::MemoryFormat::Contiguous);
  auto misaligned =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(model.const_data_ptr()) % kAlignBytes);
  std::int64_t offset = misaligned / bytes;
  Tensor storage = at::empty({extent + offset}, model.options().memory_format(std::nullopt));
  storage.as_strided(reduced.sizes(), reduced.strides(), offset).copy_(values(reduced));
  return storage.as_strided(model.sizes(), model.strides(), offset);
}

Tensor cloneOf(const Tensor& t) {
  return laidOutLike(t, [](const Tensor& v) { return v; });
}

std::vector<IValue> cloneOf(const std::vector<IValue>& values) {
  return mapTensors(values, [](const Tensor& t) { return cloneOf(t); });
}

IValue toDouble(const IValue& value) {
  return mapTensors(value, [](const Tensor& t) { return t.is_floating_point() ? t.to(at::kDouble) : t; });
}

bool sameBits(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return false;
  if (!a.defined()) return true;
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes() || a.device() != b.device()) return false;
  if (a.numel() == 0) return true;
  auto bytes = [](const Tensor& t) {
    Tensor plain = t.layout() == c10::kStrided ? t : t.to_dense();
    plain = plain.resolve_conj().resolve_neg().contiguous();
    // A single element may keep any stride, and a view of another dtype wants 1.
    return plain.as_strided({plain.numel()}, {1}).view(at::kByte);
  };
  return at::equal(bytes(a), bytes(b));
}

bool sameBits(const IValue& a, const IValue& b) {
  if (a.isTensor() && b.isTensor()) return sameBits(a.toTensor(), b.toTensor());
  if (a.tagKind() != b.tagKind()) return false;
  // As bits, because a NaN equals nothing.
  if (a.isDouble())
    return std::bit_cast<std::uint64_t>(a.toDouble()) == std::bit_cast<std::uint64_t>(b.toDouble());
  return a == b;
}

}  // namespace kadvise
