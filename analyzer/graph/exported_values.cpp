#include "analyzer/graph/exported_values.h"

#include "analyzer/core/error.h"
#include "analyzer/graph/exported_archive.h"

namespace kadvise::graph {
namespace {

using c10::IValue;
using c10::TypeKind;
using jit::Value;

// The schema numbers memory formats and layouts in its own order.
constexpr at::MemoryFormat kMemoryFormats[] = {at::MemoryFormat::Contiguous, at::MemoryFormat::Contiguous,
                                               at::MemoryFormat::ChannelsLast,
                                               at::MemoryFormat::ChannelsLast3d, at::MemoryFormat::Preserve};
constexpr at::Layout kLayouts[] = {at::kStrided,   at::kSparse,    at::kSparseCsr, at::kSparseCsc,
                                   at::kSparseBsr, at::kSparseBsc, at::kMkldnn,    at::kStrided};

template <class T, std::size_t N>
T numbered(const T (&table)[N], const Json& number, const char* what) {
  auto i = number.get<std::size_t>();
  if (i >= N) throw Error("", std::string("holds a ") + what + " that kadvise does not know");
  return table[i];
}

c10::Device device(const Json& j) {
  auto index = j.contains("index") && !j["index"].is_null() ? j["index"].get<int>() : -1;
  return {c10::Device(j.at("type").get<std::string>()).type(), static_cast<c10::DeviceIndex>(index)};
}

c10::TypePtr required(const c10::TypePtr& type) {
  auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

Value* constant(const ExportedValues& v, const IValue& value) { return v.graph.insertConstant(value); }

// A number where the schema wants a float, or a list of so many.
Value* integer(const ExportedValues& v, std::int64_t n, const c10::Argument& formal) {
  auto type = required(formal.real_type());
  if (type->kind() == TypeKind::FloatType) return constant(v, static_cast<double>(n));
  if (type->kind() == TypeKind::BoolType) return constant(v, n != 0);
  if (type->kind() == TypeKind::ListType)
    return constant(v, std::vector<std::int64_t>(static_cast<std::size_t>(formal.N().value_or(1)), n));
  return constant(v, n);
}

Value* integers(const ExportedValues& v, const Json& list, const c10::Argument& formal) {
  auto type = required(formal.real_type())->cast<c10::ListType>();
  if (type && type->getElementType()->kind() == TypeKind::FloatType)
    return constant(v, list.get<std::vector<double>>());
  return constant(v, list.get<std::vector<std::int64_t>>());
}

Value* listOf(const ExportedValues& v, const c10::TypePtr& type, const std::vector<Value*>& items) {
  return v.graph.insertNode(v.graph.createList(type, items))->output();
}

Value* numbers(const ExportedValues& v, const Json& list, const c10::TypePtr& type) {
  std::vector<Value*> items;
  for (auto& item : list) items.push_back(numberValue(v, item));
  return listOf(v, type, items);
}

Value* tensors(const ExportedValues& v, const Json& list,
               const c10::TypePtr& element = c10::TensorType::get()) {
  std::vector<Value*> items;
  for (auto& item : list) items.push_back(v.at(item.at("name")));
  return listOf(v, element, items);
}

bool wantsOptionalTensors(const c10::Argument& formal) {
  auto list = required(formal.real_type())->cast<c10::ListType>();
  return list && list->getElementType()->kind() == TypeKind::OptionalType;
}

Value* optionalTensors(const ExportedValues& v, const Json& list) {
  std::vector<Value*> items;
  for (auto& item : list)
    items.push_back(item.contains("as_tensor") ? v.at(item["as_tensor"].at("name")) : constant(v, IValue()));
  return listOf(v, c10::OptionalType::ofTensor(), items);
}

c10::List<bool> bools(const Json& list) {
  c10::List<bool> out;
  for (auto& b : list) out.push_back(b.get<bool>());
  return out;
}

Value* computed(const ExportedValues& v, const Json& symbolic, const c10::Argument& formal) {
  Value* out = numberValue(v, symbolic);
  bool wantsFloat = required(formal.real_type())->kind() == TypeKind::FloatType;
  return wantsFloat && out->type()->kind() == TypeKind::IntType ? v.graph.insert(jit::aten::Float, {out})
                                                                : out;
}

[[noreturn]] void refuse(const std::string& tag) {
  if (tag == "as_graph")
    throw Error("", "holds a branch or loop as an operator of higher order, which kadvise does not read yet");
  if (tag == "as_custom_obj")
    throw Error("", "passes an object of a custom class to an operator, which kadvise does not read yet");
  throw Error("", "passes an argument of the kind " + tag + ", which kadvise does not read");
}

}  // namespace

Value* ExportedValues::at(const std::string& name) const {
  auto it = byName.find(name);
  if (it == byName.end())
    throw Error("", "is damaged: its program uses the value " + name + ", which nothing computes");
  return it->second;
}

Tagged tagged(const Json& argument) {
  if (!argument.is_object() || argument.size() != 1)
    throw Error("", "is damaged: an argument in its program has no kind");
  return {argument.begin().key(), argument.begin().value()};
}

Value* numberValue(const ExportedValues& v, const Json& symbolic) {
  auto [tag, value] = tagged(symbolic);
  if (tag == "as_name") return v.at(value);
  if (tag == "as_int") return constant(v, value.get<std::int64_t>());
  if (tag == "as_float") return constant(v, value.get<double>());
  if (tag == "as_bool") return constant(v, value.get<bool>());
  refuse(tag);
}

Value* argumentValue(const ExportedValues& v, const Json& argument, const c10::Argument& formal) {
  auto [tag, value] = tagged(argument);
  if (tag == "as_int") return integer(v, value.get<std::int64_t>(), formal);
  if (tag == "as_ints") return integers(v, value, formal);
  if (tag == "as_sym_int" || tag == "as_sym_float") return computed(v, value, formal);
  if (tag == "as_tensors" && wantsOptionalTensors(formal))
    return tensors(v, value, c10::OptionalType::ofTensor());
  return plainValue(v, argument);
}

Value* plainValue(const ExportedValues& v, const Json& argument) {
  auto [tag, value] = tagged(argument);
  if (tag == "as_tensor") return v.at(value.at("name"));
  if (tag == "as_tensors") return tensors(v, value);
  if (tag == "as_optional_tensor")
    return value.contains("as_tensor") ? v.at(value["as_tensor"].at("name")) : constant(v, IValue());
  if (tag == "as_optional_tensors") return optionalTensors(v, value);
  if (tag == "as_none") return constant(v, IValue());
  if (tag == "as_int") return constant(v, value.get<std::int64_t>());
  if (tag == "as_float")
    return constant(v, value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>());
  if (tag == "as_bool") return constant(v, value.get<bool>());
  if (tag == "as_string") return constant(v, value.get<std::string>());
  if (tag == "as_ints") return constant(v, value.get<std::vector<std::int64_t>>());
  if (tag == "as_floats") return constant(v, value.get<std::vector<double>>());
  if (tag == "as_bools") return constant(v, bools(value));
  if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") return numberValue(v, value);
  if (tag == "as_sym_ints") return numbers(v, value, c10::IntType::get());
  if (tag == "as_sym_floats") return numbers(v, value, c10::FloatType::get());
  if (tag == "as_sym_bools") return numbers(v, value, c10::BoolType::get());
  if (tag == "as_scalar_type")
    return constant(v, static_cast<std::int64_t>(dtypeOfSchema(value.get<std::int64_t>())));
  if (tag == "as_memory_format")
    return constant(v, static_cast<std::int64_t>(numbered(kMemoryFormats, value, "memory format")));
  if (tag == "as_layout") return constant(v, static_cast<std::int64_t>(numbered(kLayouts, value, "layout")));
  if (tag == "as_device") return constant(v, device(value));
  if (tag == "as_complex")
    return constant(v, c10::complex<double>(value.at("real").get<double>(), value.at("imag").get<double>()));
  refuse(tag);
}

}  // namespace kadvise::graph
