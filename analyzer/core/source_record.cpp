#include "analyzer/core/source_record.h"

#include <concepts>
#include <type_traits>

namespace kadvise {
namespace {

// A field from JSON and one to it: fields() below lists those of each struct once, for both ways.
struct Reader {
  const Json& json;

  template <class T>
  void operator()(const char* name, T& value) const {
    json.at(name).get_to(value);
  }
  void operator()(const char* name, std::optional<std::int64_t>& value) const {
    value = numberFrom(json.at(name));
  }
  void operator()(const char* name, Extent& value) const {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = numberFrom(json.at(name).at(i));
  }

 private:
  static std::optional<std::int64_t> numberFrom(const Json& j) {
    return j.is_null() ? std::nullopt : std::optional(j.get<std::int64_t>());
  }
};

struct Writer {
  Json& json;

  template <class T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
  void operator()(const char* name, const std::optional<std::int64_t>& value) const {
    json[name] = numberOf(value);
  }
  void operator()(const char* name, const Extent& value) const {
    json[name] = {numberOf(value[0]), numberOf(value[1]), numberOf(value[2])};
  }

 private:
  static Json numberOf(const std::optional<std::int64_t>& v) { return v ? Json(*v) : Json(nullptr); }
};

// V is the struct, const where it is written.
template <class V, class Struct>
concept Either = std::same_as<std::remove_const_t<V>, Struct>;

template <Either<LaunchRecord> V>
void fields(V& v, const auto& field) {
  field("kernel", v.kernel), field("line", v.line), field("caller", v.caller);
  field("grid", v.grid), field("block", v.block), field("isRoundedUp", v.isRoundedUp);
  field("sharedBytes", v.sharedBytes), field("stream", v.stream);
  field("templateArguments", v.templateArguments), field("overlaps", v.overlaps);
  field("ofBlocks", v.ofBlocks), field("ofWarps", v.ofWarps), field("narrow", v.narrow);
}

template <Either<CallRecord> V>
void fields(V& v, const auto& field) {
  field("callee", v.callee), field("line", v.line), field("guardsDevice", v.guardsDevice);
  field("guardsStream", v.guardsStream), field("isBinding", v.isBinding), field("arguments", v.arguments);
  field("overlaps", v.overlaps), field("narrow", v.narrow);
}

template <Either<FunctionRecord> V>
void fields(V& v, const auto& field) {
  field("name", v.name), field("line", v.line), field("isInternal", v.isInternal);
  field("isEntry", v.isEntry), field("takesTensor", v.takesTensor), field("launches", v.launches);
  field("guardsDevice", v.guardsDevice), field("checksLaunches", v.checksLaunches), field("calls", v.calls);
}

template <Either<SourceRecord> V>
void fields(V& v, const auto& field) {
  field("kernels", v.kernels), field("requested", v.requested), field("launches", v.launches);
  field("functions", v.functions);
}

template <Either<LaunchElsewhere> V>
void fields(V& v, const auto& field) {
  field("file", v.file), field("launch", v.launch);
}

template <Either<CallElsewhere> V>
void fields(V& v, const auto& field) {
  field("file", v.file), field("caller", v.caller), field("call", v.call), field("isGuarded", v.isGuarded);
  field("isReached", v.isReached);
}

template <Either<LauncherElsewhere> V>
void fields(V& v, const auto& field) {
  field("function", v.function), field("kernel", v.kernel), field("file", v.file), field("line", v.line);
}

template <Either<Surroundings> V>
void fields(V& v, const auto& field) {
  field("launches", v.launches), field("calls", v.calls), field("requested", v.requested);
  field("launchers", v.launchers);
}

// Even one without fields is an object.
template <class V>
void write(Json& j, const V& v) {
  j = Json::object();
  fields(v, Writer{j});
}

}  // namespace

bool isSame(const FunctionName& a, const FunctionName& b) {
  return a.name == b.name && a.parameters == b.parameters;
}

void to_json(Json& j, const FunctionName& v) { j = {v.name, v.parameters, v.declaredIn}; }
void from_json(const Json& j, FunctionName& v) {
  j.at(0).get_to(v.name), j.at(1).get_to(v.parameters), j.at(2).get_to(v.declaredIn);
}

void to_json(Json& j, const LaunchRecord& v) { write(j, v); }
void from_json(const Json& j, LaunchRecord& v) { fields(v, Reader{j}); }

void to_json(Json& j, const CallRecord& v) { write(j, v); }
void from_json(const Json& j, CallRecord& v) { fields(v, Reader{j}); }

void to_json(Json& j, const FunctionRecord& v) { write(j, v); }
void from_json(const Json& j, FunctionRecord& v) { fields(v, Reader{j}); }

void to_json(Json& j, const SourceRecord& v) { write(j, v); }
void from_json(const Json& j, SourceRecord& v) { fields(v, Reader{j}); }

void to_json(Json& j, const LaunchElsewhere& v) { write(j, v); }
void from_json(const Json& j, LaunchElsewhere& v) { fields(v, Reader{j}); }

void to_json(Json& j, const CallElsewhere& v) { write(j, v); }
void from_json(const Json& j, CallElsewhere& v) { fields(v, Reader{j}); }

void to_json(Json& j, const LauncherElsewhere& v) { write(j, v); }
void from_json(const Json& j, LauncherElsewhere& v) { fields(v, Reader{j}); }

void to_json(Json& j, const Surroundings& v) { write(j, v); }
void from_json(const Json& j, Surroundings& v) { fields(v, Reader{j}); }

}  // namespace kadvise
