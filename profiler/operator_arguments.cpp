#include "profiler/operator_arguments.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>

#include "analyzer/core/error.h"
#include "profiler/inputs.h"

namespace kadvise {
namespace {

using c10::IValue;
using c10::TypeKind;

// How the shape of a further tensor follows from that of the first.
enum class Follows { Same, LastDimension, SquareOfLast, Transposed };

struct NamedShape {
  const char* operatorPart;  // of the operator's name; "" for any
  const char* argument;
  Follows follows;
};

// The first that fits. What is not listed has the shape of the first tensor.
constexpr NamedShape kShapes[] = {
    {"norm", "weight", Follows::LastDimension},  {"norm", "bias", Follows::LastDimension},
    {"norm", "gamma", Follows::LastDimension},   {"norm", "beta", Follows::LastDimension},
    {"linear", "weight", Follows::SquareOfLast}, {"linear", "bias", Follows::LastDimension},
    {"mm", "mat2", Follows::Transposed},         {"matmul", "other", Follows::Transposed},
    {"bmm", "mat2", Follows::Transposed},        {"prelu", "weight", Follows::LastDimension},
    {"", "bias", Follows::LastDimension},
};

struct NamedInt {
  const char* argument;
  std::int64_t value;
};
constexpr NamedInt kInts[] = {{"dim", -1}, {"dim0", -1}, {"dim1", -2}, {"k", 1}, {"n", 1}};

struct NamedFloat {
  const char* argument;
  double value;
};
constexpr NamedFloat kFloats[] = {{"eps", 1e-5}, {"p", 0.0}, {"dropout_p", 0.0}, {"scale", 1.0}};

template <class Row>
const Row* named(const Row* begin, const Row* end, const std::string& argument) {
  auto* at = std::find_if(begin, end, [&](const Row& r) { return argument == r.argument; });
  return at == end ? nullptr : at;
}

std::vector<std::int64_t> shapeOf(const std::string& op, const std::string& argument,
                                  const std::vector<std::int64_t>& first) {
  auto fits = [&](const NamedShape& n) {
    return argument == n.argument && op.find(n.operatorPart) != std::string::npos;
  };
  auto* at = std::find_if(std::begin(kShapes), std::end(kShapes), fits);
  if (at == std::end(kShapes) || first.empty()) return first;
  auto out = first;
  switch (at->follows) {
    case Follows::Same:
      return first;
    case Follows::LastDimension:
      return {first.back()};
    case Follows::SquareOfLast:
      return {first.back(), first.back()};
    case Follows::Transposed:
      if (out.size() > 1) std::swap(out[out.size() - 1], out[out.size() - 2]);
      return out;
  }
  return first;
}

at::Tensor tensorOf(const std::vector<std::int64_t>& shape, const ArgumentPlan& plan) {
  return at::randn(shape, at::TensorOptions().dtype(plan.dtype).device(plan.device));
}

// Places in the last dimension, one for each row.
at::Tensor indicesOf(const ArgumentPlan& plan) {
  auto options = at::TensorOptions().dtype(c10::ScalarType::Long).device(plan.device);
  return at::randint(0, std::max<std::int64_t>(1, plan.shape.back()), {plan.shape.front()}, options);
}

bool isIndex(const std::string& argument) { return argument == "index" || argument == "indices"; }

// Of the types that an operator's number may have; none when its name says nothing.
std::optional<IValue> numberFor(const c10::Argument& a, const ArgumentPlan& plan) {
  switch (a.type()->kind()) {
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      if (auto* known = named(std::begin(kInts), std::end(kInts), a.name())) return IValue(known->value);
      return std::nullopt;
    case TypeKind::FloatType:
      if (auto* known = named(std::begin(kFloats), std::end(kFloats), a.name())) return IValue(known->value);
      return std::nullopt;
    case TypeKind::NumberType:
      return IValue(1.0);
    case TypeKind::BoolType:
      return IValue(false);
    case TypeKind::ListType: {
      bool isShape = a.name() == "normalized_shape";
      bool isDims = a.name() == "dim" || a.name() == "dims";
      if (isShape && !plan.shape.empty()) return IValue(std::vector<std::int64_t>{plan.shape.back()});
      if (isDims) return IValue(std::vector<std::int64_t>{-1});
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// A weight is optional to many an operator whose cost it is part of.
bool isWantedTensor(const c10::Argument& a) {
  bool isTensor = a.type()->kind() == TypeKind::TensorType;
  auto optional = a.type()->cast<c10::OptionalType>();
  bool isWeight = a.name() == "weight" || a.name() == "bias";
  return isTensor || (optional && optional->getElementType()->kind() == TypeKind::TensorType && isWeight);
}

}  // namespace

std::vector<IValue> argumentsFor(const c10::FunctionSchema& schema, const ArgumentPlan& plan) {
  std::vector<IValue> out;
  bool isFirst = true;
  for (const auto& a : schema.arguments()) {
    if (isWantedTensor(a)) {
      if (!isFirst && isIndex(a.name())) out.emplace_back(indicesOf(plan));
      else
        out.emplace_back(tensorOf(isFirst ? plan.shape : shapeOf(schema.name(), a.name(), plan.shape), plan));
      isFirst = false;
    } else if (a.default_value()) {
      out.push_back(*a.default_value());
    } else if (a.type()->kind() == TypeKind::OptionalType) {
      out.emplace_back();
    } else if (auto number = numberFor(a, plan)) {
      out.push_back(*number);
    } else {
      throw Error(
          schema.name(),
          "its argument " + a.name() + " (" + a.type()->str() +
              ") has no default, and bench cannot make one; put the call into a module and profile that");
    }
  }
  if (isFirst) throw Error(schema.name(), "takes no tensor");
  return out;
}

std::string argumentWords(const std::vector<IValue>& values) {
  std::string out;
  for (const IValue& v : values) {
    if (!v.isTensor() && !v.isInt() && !v.isDouble() && !v.isIntList()) continue;
    std::string word = v.isTensor() || v.isInt() || v.isDouble() ? describe(v) : c10::str(v);
    out += (out.empty() ? "" : ", ") + word;
  }
  return out;
}

std::vector<std::int64_t> shapeFrom(const std::string& text) {
  std::vector<std::int64_t> out;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    std::int64_t n = 0;
    auto [next, error] = std::from_chars(at, end, n);
    bool isSeparated = next == end || *next == 'x' || *next == ',';
    if (error != std::errc() || n < 1 || n > (std::int64_t{1} << 40) || !isSeparated || next + 1 == end)
      throw Error("--shapes", "\"" + text + "\" is not a shape such as 4096x4096");
    out.push_back(n);
    at = next == end ? end : next + 1;
  }
  if (out.empty()) throw Error("--shapes", "an empty shape");
  return out;
}

}  // namespace kadvise
