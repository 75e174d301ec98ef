#include "profiler/case_arguments.h"

#include <algorithm>
#include <functional>

#include "profiler/values.h"

namespace kadvise {
namespace {

using c10::IValue;
using ArgumentMap = std::function<IValue(const std::string& at, const IValue&)>;

constexpr std::size_t kMostCases = 16;
constexpr std::int64_t kLargest = std::int64_t{1} << 62;  // beyond it one more might overflow

bool isWhole(const IValue& v) { return v.isInt() || v.isIntList(); }
bool isArgument(const IValue& v) {
  return isWhole(v) || v.isDouble() || v.isBool() || v.isDoubleList() || v.isBoolList();
}

// The same structure with every argument that is no tensor replaced. Entries of a dictionary are counted.
IValue mapArguments(const IValue& value, const std::string& at, const ArgumentMap& f) {
  if (isArgument(value)) return f(at, value);
  std::size_t i = 0;
  auto mapped = [&](const IValue& e) { return mapArguments(e, at + "[" + std::to_string(i++) + "]", f); };
  if (value.isTuple()) {
    std::vector<IValue> elements;
    for (const IValue& e : value.toTupleRef().elements()) elements.push_back(mapped(e));
    auto type = value.type()->cast<c10::TupleType>();
    if (type && type->schema()) return c10::ivalue::Tuple::createNamed(std::move(elements), type);
    return c10::ivalue::Tuple::create(std::move(elements));
  }
  if (value.isList()) {
    c10::impl::GenericList out(value.toList().elementType());
    for (const IValue& e : value.toListRef()) out.push_back(mapped(e));
    return out;
  }
  if (value.isGenericDict()) {
    auto dict = value.toGenericDict();
    c10::impl::GenericDict out(dict.keyType(), dict.valueType());
    for (const auto& entry : dict) out.insert(entry.key(), mapped(entry.value()));
    return out;
  }
  return value;
}

Values mapArguments(const Values& values, const ArgumentMap& f) {
  Values out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back(mapArguments(values[i], "input " + std::to_string(i), f));
  return out;
}

// Neither is 0. One less than 1 is -2 because as a dimension that is the one before, in tensors of two.
std::int64_t oneMore(std::int64_t n) { return n >= kLargest ? n : n == -1 ? 1 : n + 1; }
std::int64_t oneLess(std::int64_t n) { return n <= -kLargest ? n : n == 1 ? -2 : n - 1; }
double otherNumber(double x) { return 1.5 * x + 0.25; }

template <class T, class Change>
IValue each(std::vector<T> values, Change change) {
  c10::List<T> out;
  for (T v : values) out.push_back(change(v));
  return out;
}

std::vector<IValue> othersOf(const IValue& v) {
  if (v.isBool()) return {IValue(!v.toBool())};
  if (v.isInt()) return {IValue(oneMore(v.toInt())), IValue(oneLess(v.toInt()))};
  if (v.isDouble()) return {IValue(otherNumber(v.toDouble()))};
  if (v.isDoubleList()) return {each(v.toDoubleVector(), otherNumber)};
  if (v.isBoolList()) {
    c10::List<bool> out;
    for (bool b : v.toBoolList()) out.push_back(!b);
    return {IValue(out)};
  }
  std::vector<std::int64_t> whole = v.toIntVector(), reversed(whole.rbegin(), whole.rend()), shorter = whole;
  if (shorter.size() > 1) shorter.pop_back();
  return {IValue(reversed), each(whole, oneMore), each(whole, oneLess), IValue(shorter)};
}

}  // namespace

std::vector<ArgumentChange> argumentChanges(const Values& batch) {
  std::vector<std::vector<ArgumentChange>> byArgument;
  mapArguments(batch, [&](const std::string& at, const IValue& value) {
    std::vector<ArgumentChange> changes;
    for (const IValue& other : othersOf(value))
      if (describe(other) != describe(value)) changes.push_back({at, other});
    byArgument.push_back(std::move(changes));
    return value;
  });
  std::vector<ArgumentChange> out;
  bool more = true;
  for (std::size_t rank = 0; more; ++rank) {
    more = false;
    for (const auto& changes : byArgument)
      if (rank < changes.size() && out.size() < kMostCases) out.push_back(changes[rank]), more = true;
  }
  return out;
}

std::string nameOf(const ArgumentChange& c) { return c.at + " as " + describe(c.to); }

// The batch itself is "inputs".
bool changesArgument(const std::string& caseName) { return caseName.starts_with("input "); }

bool changesWholeNumbers(const std::string& caseName, const Values& batch) {
  auto changes = argumentChanges(batch);
  return std::any_of(changes.begin(), changes.end(),
                     [&](const ArgumentChange& c) { return isWhole(c.to) && nameOf(c) == caseName; });
}

Values withArgument(const ArgumentChange& c, const Values& batch) {
  return mapArguments(cloneOf(batch),
                      [&](const std::string& at, const IValue& value) { return at == c.at ? c.to : value; });
}

}  // namespace kadvise
