#include "analyzer/graph/values.h"

#include "analyzer/core/error.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

struct Name {
  const char* text;
  c10::ScalarType type;
};
constexpr Name kNames[] = {{"float32", at::kFloat},
                           {"float16", at::kHalf},
                           {"bfloat16", at::kBFloat16},
                           {"float64", at::kDouble},
                           {"int64", at::kLong},
                           {"int32", at::kInt},
                           {"int16", at::kShort},
                           {"int8", at::kChar},
                           {"uint8", at::kByte},
                           {"bool", at::kBool},
                           {"complex64", at::kComplexFloat},
                           {"complex128", at::kComplexDouble}};

TracedValue parse(const Json& j) {
  TracedValue v;
  v.kind = j.at("kind").get<std::string>();
  v.varies = j.value("varies", false);
  if (v.kind == "tensor") {
    v.dtype = dtypeNamed(j.at("dtype").get<std::string>()).value_or(c10::ScalarType::Undefined);
    j.at("shape").get_to(v.shape);
    if (j.contains("strides")) j["strides"].get_to(v.strides);
    v.device = j.value("device", "cpu");
  } else if (j.contains("value")) {
    v.scalar = j["value"];
  } else if (j.contains("items")) {
    v.scalar = Json::array();  // numbers as they are; what a list of tensors holds is not looked at
    for (auto& item : j["items"])
      if (item.contains("value")) v.scalar.push_back(item["value"]);
    if (v.scalar.size() != j.value("length", v.scalar.size())) v.scalar = nullptr;
  }
  return v;
}

}  // namespace

std::optional<c10::ScalarType> dtypeNamed(const std::string& text) {
  for (auto& n : kNames)
    if (text == n.text) return n.type;
  return std::nullopt;
}

std::string nameOf(c10::ScalarType type) {
  for (auto& n : kNames)
    if (type == n.type) return n.text;
  return c10::toString(type);
}

TracedValues TracedValues::read(const std::string& path) {
  TracedValues out;
  Json document = readJson(path);
  try {
    for (auto& [id, value] : document.at("values").items()) out.values_[id] = parse(value);
  } catch (const Json::exception& e) {
    throw Error(path, std::string("is not a trace of values: ") + e.what());
  }
  return out;
}

const TracedValue* TracedValues::find(const torch::jit::Value* v) const {
  auto it = values_.find(valueId(v));
  if (it == values_.end()) it = values_.find(traceName(v));
  return it == values_.end() || it->second.varies ? nullptr : &it->second;
}

void TracedValues::forget(const torch::jit::Value* v) {
  values_.erase(valueId(v));
  values_.erase(traceName(v));
}

std::optional<std::int64_t> TracedValues::rank(const torch::jit::Value* v) const {
  auto* traced = find(v);
  if (!traced || traced->kind != "tensor") return std::nullopt;
  return static_cast<std::int64_t>(traced->shape.size());
}

std::string describe(const TracedValue* v) {
  if (!v) return "unknown";
  if (v->kind != "tensor") return v->scalar.is_null() ? v->kind : v->scalar.dump();
  std::string out = nameOf(v->dtype) + "[";
  for (std::size_t i = 0; i < v->shape.size(); ++i) out += (i ? "," : "") + std::to_string(v->shape[i]);
  return out + "]";
}

}  // namespace kadvise::graph
