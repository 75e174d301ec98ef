#include "profiler/residue.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/DefaultDtype.h>
#include <cuda_runtime_api.h>

#include <sstream>

#include "profiler/attributes.h"
#include "profiler/inputs.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

// Which tensor it is, and how often it was written; those made in inference mode do not count that.
std::string identityOf(const at::Tensor& t) {
  std::ostringstream text;
  text << t.unsafeGetTensorImpl() << ':' << (t.is_inference() ? 0 : t._version());
  return text.str();
}

void addValues(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& prefix,
               std::map<std::string, std::string>& out) {
  const auto& type = object->type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    const c10::IValue& value = object->getSlot(i);
    std::string name = prefix + type->getAttributeName(i);
    if (value.isModule()) addValues(value.toObject(), name + ".", out);
    else if (value.isInt() || value.isDouble() || value.isBool() || value.isString() || value.isNone() ||
             value.isIntList() || value.isDoubleList() || value.isBoolList())
      out[name] = describe(value);
    // The tensors in lists, dictionaries and tuples change hands, and not by name.
    else if (value.isList() || value.isGenericDict() || value.isTuple()) {
      std::ostringstream text;
      text << structureOf(value);
      for (const Leaf& leaf : leavesOf(value, "")) {
        if (!leaf.value.isTensor() || !leaf.value.toTensor().defined()) text << describe(leaf.value) << ' ';
        else text << identityOf(leaf.value.toTensor()) << ' ';
      }
      out[name] = text.str();
    }
  }
}

}  // namespace

ModuleState::ModuleState(const torch::jit::Module& module) {
  for (const auto& [name, tensor] : tensorAttributes(module))
    // Tensors made in inference mode count no versions.
    tensors_[name] = {tensor.unsafeGetTensorImpl(), tensor.is_inference() ? 0 : tensor._version()};
  addValues(module._ivalue(), "", values_);
}

std::vector<std::string> ModuleState::changesIn(const ModuleState& later) const {
  std::vector<std::string> out;
  for (const auto& [name, now] : tensors_)
    if (auto other = later.tensors_.find(name); other == later.tensors_.end() || other->second != now)
      out.push_back(name);
  for (const auto& [name, now] : values_)
    if (auto other = later.values_.find(name); other == later.values_.end() || other->second != now)
      out.push_back(name);
  return out;
}

std::optional<std::string> ModuleState::changedIn(const ModuleState& later) const {
  auto all = changesIn(later);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

ProcessState::ProcessState(const Device& device) {
  auto& context = at::globalContext();
  settings_["the number of threads"] = std::to_string(at::get_num_threads());
  settings_["the precision of float32 products"] =
      std::to_string(static_cast<int>(context.float32MatmulPrecision()));
  settings_["the default dtype"] = c10::toString(c10::typeMetaToScalarType(c10::get_default_dtype()));
  settings_["deterministic algorithms"] = context.deterministicAlgorithms() ? "on" : "off";
  if (!device.isCuda()) return;
  settings_["cuDNN's TF32"] = context.allowTF32CuDNN(at::Float32Op::CONV) ? "on" : "off";
  settings_["cuDNN's benchmark mode"] = context.benchmarkCuDNN() ? "on" : "off";
  settings_["reduced precision in half products"] =
      std::to_string(static_cast<int>(context.allowFP16ReductionCuBLAS()));
  int current = 0;
  if (cudaGetDevice(&current) == cudaSuccess) settings_["the current device"] = std::to_string(current);
  std::size_t bytes = 0;
  if (cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize) == cudaSuccess)
    settings_["the part of the L2 cache that is kept for persisting data"] = std::to_string(bytes);
}

std::optional<std::string> ProcessState::changedIn(const ProcessState& later) const {
  for (const auto& [name, was] : settings_)
    if (auto is = later.settings_.find(name); is != later.settings_.end() && is->second != was)
      return name + " (" + was + " before, " + is->second + " after)";
  return std::nullopt;
}

HeldOutput::HeldOutput(const c10::IValue& output)
    : output_(output), copy_(mapTensors(output, [](const at::Tensor& t) { return t.clone(); })) {}

void RepeatedRun::add(const c10::IValue& output) {
  if (!first_) first_.emplace(mapTensors(output, [](const at::Tensor& t) { return t.clone(); }));
  auto a = leavesOf(*first_, "output"), b = leavesOf(output, "output");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!sameBits(a[i].value, b[i].value))
      note_ = "two runs of the candidate differ in " + a[i].at + ", by rounding";
}

bool HeldOutput::overwritten() const {
  auto a = leavesOf(output_, ""), b = leavesOf(copy_, "");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!sameBits(a[i].value, b[i].value)) return true;
  return false;
}

}  // namespace kadvise
