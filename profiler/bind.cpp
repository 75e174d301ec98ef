#include "profiler/bind.h"

#include <ATen/CPUGeneratorImpl.h>

#include "analyzer/core/error.h"
#include "profiler/attributes.h"
#include "profiler/failure.h"
#include "profiler/inputs.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Module;

constexpr const char* kFold = "kadvise_fold";

std::string shapeText(const Tensor& t) {
  std::string out;
  for (auto s : t.sizes()) out += (out.empty() ? "" : ",") + std::to_string(s);
  return "[" + out + "]";
}

// From its name and the seed alone, so that an attribute has the same values before, after, and in the
// reference.
std::uint64_t seedFor(const std::string& name, const Session& s) {
  std::uint64_t seed = s.seed;
  for (unsigned char c : name) seed = (seed ^ c) * 1099511628211ull;
  return seed;
}

// Values of the form that a rule page gives for its parameter: "weight float[64]>0".
Tensor valuesOfForm(const std::string& name, const std::string& form, const Session& s,
                    const Binding& binding) {
  auto floatMeans = binding.floatMeans.empty() ? "float32" : binding.floatMeans;
  return inputsFromSpecs({form}, floatMeans, s.device, seedFor(name, s)).at(0).toTensor();
}

Tensor randomValues(const std::string& name, const Tensor& like, const Session& s, const Binding& binding) {
  std::uint64_t seed = seedFor(name, s);
  auto random = at::make_generator<at::CPUGeneratorImpl>(seed);
  if (like.scalar_type() == at::kBool) return at::rand(like.sizes(), random).lt(0.5).to(s.device.torch);
  if (!like.is_floating_point())
    return at::randint(0, 2, like.sizes(), random, like.scalar_type()).to(s.device.torch);
  // The fp64 twin declares double: its values are still those that the other two hold.
  auto type = binding.floatMeans.empty() ? (binding.toDouble ? at::kFloat : like.scalar_type())
                                         : dtypeFrom("float", binding.floatMeans);
  return at::randn(like.sizes(), random).mul_(0.5).to(type).to(s.device.torch);
}

// The value for one attribute, or nothing when its stored value is its own.
std::optional<Tensor> valueFor(const std::string& attribute, const Tensor& stored, const Session& s,
                               const ModuleRef& ref, const Binding& binding) {
  auto named = ref.names.find(attribute);
  if (named != ref.names.end() && named->second.empty()) return randomValues(attribute, stored, s, binding);
  if (named != ref.names.end() && named->second[0] == '=')
    return valuesOfForm(attribute, named->second.substr(1), s, binding);
  const std::string& source = named == ref.names.end() ? attribute : named->second;
  auto found = s.parameters.find(source);
  if (found == s.parameters.end()) {
    if (named == ref.names.end()) return std::nullopt;
    throw Error(ref.path, "wants the parameter " + source + ", which the module does not have");
  }
  if (stored.numel() == 0 && found->second.numel() != 0)
    return std::nullopt;  // a buffer that the fold will fill
  if (found->second.sizes() != stored.sizes())
    throw Error(ref.path, "attribute " + attribute + " has shape " + shapeText(stored) + ", the parameter " +
                              source + " has " + shapeText(found->second));
  return found->second;
}

Tensor inPrecision(const Tensor& t, const Binding& binding) {
  return binding.toDouble && t.is_floating_point() ? t.to(at::kDouble) : t;
}

Module inPrecision(Module module, const Binding& binding) {
  if (binding.toDouble) module.to(at::kDouble);
  return module;
}

void bindAttributes(const Module& module, const Session& s, const ModuleRef& ref, const Binding& binding) {
  for (const auto& [name, stored] : tensorAttributes(module)) {
    if (auto value = valueFor(name, stored, s, ref, binding))
      setAttribute(module, name, inPrecision(*value, binding));
    else if (isPlaceholder(stored)) throw Error(ref.path, "no value is known for its attribute " + name);
  }
}

}  // namespace

ModuleRef moduleRefFrom(const Json& j) {
  ModuleRef ref{j.at("path"), {}};
  if (j.contains("names")) ref.names = j.at("names").get<std::map<std::string, std::string>>();
  return ref;
}

bool isPlaceholder(const Tensor& t) {
  if (!t.defined() || t.layout() != c10::kStrided || t.numel() < 2) return false;
  for (std::int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) > 1 && t.stride(d) != 0) return false;
  return true;
}

// A file that lies on this GPU is loaded as its users load it, so that what it has elsewhere is met here; any
// other is brought here whole.
Module loadForeign(const std::filesystem::path& path, const Device& device) {
  if (!device.isCuda()) return loadModule(path, device.torch);
  try {
    Module plain = loadModule(path, std::nullopt);
    for (const auto& [name, tensor] : tensorAttributes(plain))
      if (tensor.device() == device.torch) return plain;
  } catch (const Error&) {  // saved on a GPU that this machine does not have
  }
  return loadModule(path, device.torch);
}

Module loadBound(const Session& s, const ModuleRef& ref, const Binding& binding) {
  if (ref.path.empty()) {
    if (binding.toDouble) throw Error("measure", "the module as loaded has no fp64 twin");
    return s.model();
  }
  bool foreign = std::filesystem::path(ref.path).is_absolute();
  if (foreign) return inPrecision(loadForeign(ref.path, s.device), binding);
  Module module = loadModule(s.workDir / ref.path, s.device.torch);
  bringBackToHost(module, s.onHost);  // what kadvise-graph writes has all of it in one place
  // Not inference mode: tensors made there could not be written by a module that updates its buffers.
  at::NoGradGuard noGrad;
  try {
    bindAttributes(module, s, ref, binding);
    if (auto fold = module.find_method(kFold)) (*fold)({});
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(ref.path, "its values cannot be bound: " + reasonOf(e));
  }
  return module;
}

}  // namespace kadvise
