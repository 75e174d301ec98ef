#include "analyzer/core/source_record.h"

namespace kadvise {
namespace {

Json numberOf(const std::optional<std::int64_t>& v) { return v ? Json(*v) : Json(nullptr); }

std::optional<std::int64_t> numberFrom(const Json& j) {
  return j.is_null() ? std::nullopt : std::optional(j.get<std::int64_t>());
}

Json extentOf(const Extent& e) { return {numberOf(e[0]), numberOf(e[1]), numberOf(e[2])}; }

Extent extentFrom(const Json& j) { return {numberFrom(j.at(0)), numberFrom(j.at(1)), numberFrom(j.at(2))}; }

}  // namespace

bool isSame(const FunctionName& a, const FunctionName& b) {
  return a.name == b.name && a.parameters == b.parameters;
}

void to_json(Json& j, const FunctionName& v) { j = {v.name, v.parameters, v.declaredIn}; }
void from_json(const Json& j, FunctionName& v) {
  j.at(0).get_to(v.name), j.at(1).get_to(v.parameters), j.at(2).get_to(v.declaredIn);
}

void to_json(Json& j, const LaunchRecord& v) {
  j = {{"kernel", v.kernel},
       {"line", v.line},
       {"caller", v.caller},
       {"grid", extentOf(v.grid)},
       {"block", extentOf(v.block)},
       {"isRoundedUp", v.isRoundedUp},
       {"sharedBytes", numberOf(v.sharedBytes)},
       {"stream", v.stream},
       {"templateArguments", v.templateArguments}};
}

void from_json(const Json& j, LaunchRecord& v) {
  j.at("kernel").get_to(v.kernel), j.at("line").get_to(v.line), j.at("caller").get_to(v.caller);
  v.grid = extentFrom(j.at("grid")), v.block = extentFrom(j.at("block"));
  j.at("isRoundedUp").get_to(v.isRoundedUp);
  v.sharedBytes = numberFrom(j.at("sharedBytes"));
  j.at("stream").get_to(v.stream), j.at("templateArguments").get_to(v.templateArguments);
}

void to_json(Json& j, const CallRecord& v) {
  j = {{"callee", v.callee},
       {"line", v.line},
       {"guardsDevice", v.guardsDevice},
       {"guardsStream", v.guardsStream},
       {"isBinding", v.isBinding},
       {"arguments", v.arguments}};
}

void from_json(const Json& j, CallRecord& v) {
  j.at("callee").get_to(v.callee), j.at("line").get_to(v.line);
  j.at("guardsDevice").get_to(v.guardsDevice), j.at("guardsStream").get_to(v.guardsStream);
  j.at("isBinding").get_to(v.isBinding), j.at("arguments").get_to(v.arguments);
}

void to_json(Json& j, const FunctionRecord& v) {
  j = {{"name", v.name},
       {"line", v.line},
       {"isInternal", v.isInternal},
       {"isEntry", v.isEntry},
       {"takesTensor", v.takesTensor},
       {"launches", v.launches},
       {"guardsDevice", v.guardsDevice},
       {"checksLaunches", v.checksLaunches},
       {"calls", v.calls}};
}

void from_json(const Json& j, FunctionRecord& v) {
  j.at("name").get_to(v.name), j.at("line").get_to(v.line), j.at("isInternal").get_to(v.isInternal);
  j.at("isEntry").get_to(v.isEntry), j.at("takesTensor").get_to(v.takesTensor);
  j.at("launches").get_to(v.launches), j.at("guardsDevice").get_to(v.guardsDevice);
  j.at("checksLaunches").get_to(v.checksLaunches), j.at("calls").get_to(v.calls);
}

void to_json(Json& j, const SourceRecord& v) {
  j = {{"kernels", v.kernels},
       {"requested", v.requested},
       {"launches", v.launches},
       {"functions", v.functions}};
}

void from_json(const Json& j, SourceRecord& v) {
  j.at("kernels").get_to(v.kernels), j.at("requested").get_to(v.requested);
  j.at("launches").get_to(v.launches), j.at("functions").get_to(v.functions);
}

void to_json(Json& j, const LaunchElsewhere& v) { j = {{"file", v.file}, {"launch", v.launch}}; }
void from_json(const Json& j, LaunchElsewhere& v) {
  j.at("file").get_to(v.file), j.at("launch").get_to(v.launch);
}

void to_json(Json& j, const CallElsewhere& v) {
  j = {{"file", v.file}, {"caller", v.caller}, {"call", v.call}, {"isGuarded", v.isGuarded}};
}
void from_json(const Json& j, CallElsewhere& v) {
  j.at("file").get_to(v.file), j.at("caller").get_to(v.caller), j.at("call").get_to(v.call);
  j.at("isGuarded").get_to(v.isGuarded);
}

void to_json(Json& j, const Surroundings& v) {
  j = {{"launches", v.launches}, {"calls", v.calls}, {"requested", v.requested}};
}
void from_json(const Json& j, Surroundings& v) {
  j.at("launches").get_to(v.launches), j.at("calls").get_to(v.calls), j.at("requested").get_to(v.requested);
}

}  // namespace kadvise
