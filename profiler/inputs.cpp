#include "profiler/inputs.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/script.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/input_spec.h"
#include "analyzer/core/json.h"
#include "profiler/value_archive.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;
using c10::IValue;

struct DtypeWord {
  const char* word;
  c10::ScalarType type;
};
constexpr DtypeWord kDtypes[] = {{"float16", c10::kHalf},
                                 {"bfloat16", c10::kBFloat16},
                                 {"float32", c10::kFloat},
                                 {"float64", c10::kDouble},
                                 {"int8", c10::kChar},
                                 {"uint8", c10::kByte},
                                 {"int16", c10::kShort},
                                 {"int32", c10::kInt},
                                 {"int64", c10::kLong},
                                 {"bool", c10::kBool},
                                 {"complex64", c10::kComplexFloat},
                                 {"complex128", c10::kComplexDouble}};

// Drawing takes a CPU 16 ns an element. Of large tensors these are drawn and repeated: a prime number, so
// that rows differ.
constexpr std::int64_t kDrawn = 16'777'213;

Tensor drawnFrom(const InputSpec& spec, c10::ScalarType type, std::int64_t count, at::Generator& random) {
  if (type == c10::kBool) return at::rand({count}, random).lt(0.5);
  if (c10::isIntegralType(type, false)) {
    std::int64_t below = spec.below.value_or(2);
    return at::randint(spec.positive ? std::min<std::int64_t>(1, below - 1) : 0, below, {count}, random,
                       at::kLong)
        .to(type);
  }
  Tensor normal = at::randn({count}, random);
  if (c10::isComplexType(type)) return at::complex(normal, at::randn({count}, random)).to(type);
  if (spec.positive) normal = normal.abs_().add_(0.125);
  if (spec.below) normal = at::rand({count}, random).mul_(static_cast<double>(*spec.below));
  if (spec.weight) normal = normal.mul_(0.5);
  return normal.to(type);
}

Tensor tensorFrom(const InputSpec& spec, const std::string& floatMeans, const Device& device,
                  at::Generator& random) {
  std::int64_t count = c10::multiply_integers(spec.shape);
  std::int64_t drawn = std::min(count, kDrawn);
  Tensor values = drawnFrom(spec, dtypeFrom(spec.dtype, floatMeans), drawn, random).to(device.torch);
  if (drawn == count) return values.reshape(spec.shape);
  Tensor all = at::empty({count}, values.options());
  for (std::int64_t at = 0; at < count; at += drawn) {
    std::int64_t rest = std::min(drawn, count - at);
    Tensor repeated = all.narrow(0, at, rest).copy_(values.narrow(0, 0, rest));
    // A little smaller each time, so that the largest number is one, and not the first of many.
    if (repeated.is_floating_point()) repeated.mul_(1 - std::ldexp(static_cast<double>(at / drawn), -14));
  }
  return all.reshape(spec.shape);
}

IValue literalFrom(const Json& j, const std::string& text) {
  if (j.is_null()) return IValue();
  if (j.is_boolean()) return IValue(j.get<bool>());
  if (j.is_number_integer()) return IValue(j.get<std::int64_t>());
  if (j.is_number()) return IValue(j.get<double>());
  if (j == "inf" || j == "-inf")
    return IValue((j == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity());
  if (j.is_string()) return IValue(j.get<std::string>());
  if (!j.is_array())
    throw Error("input \"" + text + "\"", "is neither a tensor nor a number, bool, string or list");
  auto all = [&](auto is) { return std::all_of(j.begin(), j.end(), is); };
  if (all([](const Json& e) { return e.is_boolean(); }) && !j.empty()) {
    c10::List<bool> out;
    for (const Json& e : j) out.push_back(e.get<bool>());
    return out;
  }
  if (all([](const Json& e) { return e.is_number_integer(); }))
    return IValue(j.get<std::vector<std::int64_t>>());
  if (all([](const Json& e) { return e.is_number(); })) return IValue(j.get<std::vector<double>>());
  throw Error("input \"" + text + "\"", "lists may hold numbers or bools");
}

IValue asDeclared(const IValue& value, const c10::TypePtr& type);

// Dict[Any, Any], as Python's pickle leaves it. What does not fit stays as it is, for forward to name.
IValue dictionaryAsDeclared(const IValue& value, const c10::DictType& type) {
  c10::impl::GenericDict out(type.getKeyType(), type.getValueType());
  for (const auto& entry : value.toGenericDict()) {
    IValue element = asDeclared(entry.value(), type.getValueType());
    bool fits = entry.key().type()->isSubtypeOf(*type.getKeyType()) &&
                element.type()->isSubtypeOf(*type.getValueType());
    if (!fits) return value;
    out.insert(entry.key(), element);
  }
  return out;
}

// List[Any], as Python's pickle leaves it, or a list of ints where floats are declared.
IValue asDeclared(const IValue& value, const c10::TypePtr& type) {
  if (auto optional = type->cast<c10::OptionalType>())
    return value.isNone() ? value : asDeclared(value, optional->getElementType());
  if (type->kind() == c10::TypeKind::FloatType && value.isInt())
    return IValue(static_cast<double>(value.toInt()));
  // A trace computes with tensors what a region takes as a number.
  bool isNumber = type->kind() == c10::TypeKind::FloatType || type->kind() == c10::TypeKind::IntType;
  if (isNumber && value.isTensor() && value.toTensor().defined() && value.toTensor().dim() == 0) {
    auto number = value.toTensor().item();
    if (type->kind() == c10::TypeKind::FloatType) return IValue(number.toDouble());
    if (number.isIntegral(/*includeBool=*/false)) return IValue(number.toLong());
  }
  if (auto list = type->cast<c10::ListType>(); list && value.isList()) {
    c10::impl::GenericList out(list->getElementType());
    for (const IValue& e : value.toListRef()) out.push_back(asDeclared(e, list->getElementType()));
    return out;
  }
  if (auto list = type->cast<c10::ListType>(); list && value.isTuple()) {
    c10::impl::GenericList out(list->getElementType());
    for (const IValue& e : value.toTupleRef().elements())
      out.push_back(asDeclared(e, list->getElementType()));
    return out;
  }
  if (auto dict = type->cast<c10::DictType>(); dict && value.isGenericDict())
    return dictionaryAsDeclared(value, *dict);
  if (auto tuple = type->cast<c10::TupleType>(); tuple && value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    if (elements.size() != tuple->elements().size()) return value;
    std::vector<IValue> out;
    for (std::size_t i = 0; i < elements.size(); ++i)
      out.push_back(asDeclared(elements[i], tuple->elements()[i]));
    return c10::ivalue::Tuple::create(std::move(out));
  }
  return value;
}

std::string parametersOf(const c10::FunctionSchema& schema) {
  std::string out;
  for (std::size_t i = 1; i < schema.arguments().size(); ++i) {
    const auto& a = schema.arguments()[i];
    out += (i > 1 ? ", " : "") + a.name() + ": " + a.type()->annotation_str() +
           (a.default_value() ? " = …" : "");
  }
  return out;
}

}  // namespace

c10::ScalarType dtypeFrom(const std::string& word, const std::string& floatMeans) {
  const std::string& wanted = word == "float" ? floatMeans : word;
  for (const auto& d : kDtypes)
    if (wanted == d.word) return d.type;
  throw Error("dtype", "\"" + wanted + "\" is not a dtype");
}

std::string wordOf(c10::ScalarType type) {
  for (const auto& d : kDtypes)
    if (type == d.type) return d.word;
  return c10::toString(type);
}

Values inputsFromSpecs(const std::vector<std::string>& texts, const std::string& floatMeans,
                       const Device& device, std::uint64_t seed) {
  auto random = at::make_generator<at::CPUGeneratorImpl>(seed);
  Values out;
  for (const std::string& text : texts) {
    if (Json literal = Json::parse(text, nullptr, /*allow_exceptions=*/false); !literal.is_discarded())
      out.push_back(literalFrom(literal, text));
    else out.push_back(tensorFrom(parseInputSpec(text), floatMeans, device, random));
  }
  return out;
}

namespace {

// "Unpickler found unknown type torch.nn.modules.linear.Linear"
std::string strangerIn(std::string_view message) {
  constexpr std::string_view kUnknown = "unknown type ";
  auto at = message.find(kUnknown);
  if (at == std::string_view::npos) return "what is neither a tensor nor a number";
  auto name = message.substr(at + kUnknown.size());
  if (name.starts_with("torch.serialization._get_layout"))
    return "a sparse tensor, which only Python can load";
  return "an object of type " + std::string(name.substr(0, name.find_first_of(" \n")));
}

std::string plainKind(const IValue& value) {
  if (value.isInt() || value.isDouble()) return "a number";
  if (value.isBool()) return "a bool";
  if (value.isString()) return "a string";
  return value.isNone() ? "nothing (None)" : "no tensor";
}

}  // namespace

IValue readValue(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path.string(), "cannot be read");
  char begin[4] = {};
  if (!in.read(begin, sizeof begin) || std::string_view(begin, 2) != "PK")
    throw Error(path.string(), "is not a file of torch.save; write it with torch.save((x, y), path)");
  try {
    return readArchive(path);
  } catch (const std::exception& e) {  // says what kind it met, or speaks of LibTorch's own source
    throw Error(path.string(), "holds " + strangerIn(e.what()) +
                                   ", or is damaged; save tensors or a tuple of them: torch.save((x, y), "
                                   "path)");
  }
}

Values argumentsIn(const IValue& value, const std::filesystem::path& path) {
  if (value.isTensor()) return {value};
  if (value.isTuple()) return value.toTupleRef().elements().vec();
  if (value.isList()) return value.toListRef().vec();
  if (value.isGenericDict())
    throw Error(
        path.string(),
        "holds a dict, and arguments go by their order; save a tuple of them: torch.save((x, y), path)");
  throw Error(path.string(), "holds " + plainKind(value) + ", not a tensor or a tuple of them");
}

void writeValues(const std::filesystem::path& path, const Values& values) {
  const auto temporary = temporaryBeside(path);
  try {
    writeArchive(temporary, c10::ivalue::Tuple::create(values));
  } catch (const std::exception& e) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error(path.string(), std::string("cannot be written: ") + e.what());
  }
  commitFile(temporary, path);
}

Values onDevice(const Values& values, const Device& device) {
  return mapTensors(values, [&](const Tensor& t) { return t.to(device.torch); });
}

Values fitted(const Values& values, const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  std::size_t most = arguments.size() - 1, least = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) least += arguments[i].default_value() ? 0 : 1;
  if (values.size() < least || values.size() > most) {
    std::string given = values.empty()       ? "no inputs are given"
                        : values.size() == 1 ? "1 input is given"
                                             : std::to_string(values.size()) + " inputs are given";
    std::string remedy = most == 0 ? "; leave out --input and --inputs"
                                   : "; give one --input float32[2,3] for each, or --inputs FILE";
    throw Error("inputs", given + ", " + schema.name() + " takes (" + parametersOf(schema) + ")" + remedy);
  }
  Values out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back(asDeclared(values[i], arguments[i + 1].type()));
  return out;
}

std::string describe(const IValue& value) {
  if (value.isTensor() && value.toTensor().defined()) {
    const Tensor& t = value.toTensor();
    if (t.is_nested()) return "nested " + wordOf(t.scalar_type());
    InputSpec spec;
    spec.dtype = wordOf(t.scalar_type());
    spec.shape = t.sizes().vec();
    if (t.layout() != c10::kStrided) return "sparse " + toString(spec);
    if (c10::isIntegralType(t.scalar_type(), false) && t.numel() > 0)
      spec.below = std::clamp<std::int64_t>(t.max().item<std::int64_t>(), 0, INT64_MAX - 1) + 1;
    return toString(spec);
  }
  if (value.isInt()) return std::to_string(value.toInt());
  if (value.isDouble()) return Json(value.toDouble()).dump();
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isString()) return Json(value.toStringRef()).dump();
  if (value.isNone()) return "null";
  if (value.isList() || value.isTuple()) {
    std::string out;
    for (const auto& leaf : leavesOf(value, "")) out += (out.empty() ? "" : ",") + describe(leaf.value);
    return "[" + out + "]";
  }
  if (value.isGenericDict()) {
    std::string out;
    for (const auto& entry : value.toGenericDict())
      out += (out.empty() ? "" : ",") + describe(entry.key()) + ":" + describe(entry.value());
    return "{" + out + "}";
  }
  return value.tagKind();
}

}  // namespace kadvise
