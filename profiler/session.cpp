#include "profiler/session.h"

#include <dlfcn.h>

#include "analyzer/core/error.h"
#include "profiler/attributes.h"
#include "profiler/failure.h"

namespace kadvise {
namespace {

namespace fs = std::filesystem;

void loadOpLibraries(const Json& paths) {
  for (const std::string& path : paths.get<std::vector<std::string>>())
    if (!::dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_GLOBAL))
      throw Error(path, std::string("the operator library cannot be loaded: ") + ::dlerror());
}

// "Unknown builtin op: kadvise::add_norm." -> kadvise::add_norm
std::string nameAfter(const std::string& text, const std::string& mark) {
  auto at = text.find(mark);
  if (at == std::string::npos) return "";
  auto end = text.find_first_of(" \n'\"", at + mark.size());
  std::string name = text.substr(at + mark.size(), end - at - mark.size());
  while (!name.empty() && (name.back() == '.' || name.back() == ':')) name.pop_back();
  return name;
}

[[noreturn]] void explain(const fs::path& path, const std::exception& e) {
  std::string text = e.what();
  if (auto op = nameAfter(text, "Unknown builtin op: "); !op.empty())
    throw Error(path.string(),
                "needs the operator " + op + ", which no loaded library has; give --op-library FILE");
  if (auto type = nameAfter(text, "Unknown type name '__torch__.torch.classes."); !type.empty())
    throw Error(path.string(),
                "needs the class " + type + ", which no loaded library has; give --op-library FILE");
  if (text.find("PytorchStreamReader") != std::string::npos ||
      text.find("constants.pkl") != std::string::npos)
    throw Error(path.string(), "is not a TorchScript archive; write it with torch.jit.save");
  throw Error(path.string(), "cannot be loaded: " + reasonOf(e));
}

std::string inputsInto(Session& s, const Json& arguments) {
  auto file = arguments.at("inputsFile").get<std::string>();
  auto specs = arguments.at("inputs").get<std::vector<std::string>>();
  s.inputs.clear();
  if (!file.empty()) s.inputs = onDevice(readValues(file), s.device);
  else if (!specs.empty()) s.inputs = inputsFromSpecs(specs, "float32", s.device, s.seed);
  if (s.resident) {
    auto forward = s.resident->find_method("forward");
    if (!forward) throw Error(arguments.at("path"), "has no forward method, so there is nothing to run");
    s.inputs = fitted(s.inputs, forward->function().getSchema());
  }
  return !file.empty() ? "file" : !specs.empty() ? "options" : "none";
}

}  // namespace

const torch::jit::Module& Session::model() const {
  if (!resident) throw Error("measure", "no module is open");
  return *resident;
}

torch::jit::Module loadModule(const fs::path& path, const Device& device) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec))
    throw Error(path.string(), fs::exists(path, ec) ? "is not a file" : "no such file");
  try {
    auto module = torch::jit::load(path.string(), device.torch);
    module.eval();
    return module;
  } catch (const std::exception& e) {
    explain(path, e);
  }
}

Json open(Session& session, const Json& arguments) {
  Session s;
  s.workDir = arguments.at("workDir").get<std::string>();
  s.seed = arguments.at("seed").get<std::uint64_t>();
  // The device first: LibTorch's CUDA half must be there before anything else of LibTorch asks for it.
  s.device = chooseDevice(arguments.at("device"));
  loadOpLibraries(arguments.at("opLibraries"));
  auto path = arguments.at("path").get<std::string>();
  session = Session();  // the old module's memory goes before the new one comes
  if (!path.empty()) {
    s.resident = loadModule(path, s.device);
    for (auto& [name, tensor] : tensorAttributes(*s.resident)) s.parameters.emplace(name, tensor);
  }
  std::string from = inputsInto(s, arguments);
  session = std::move(s);

  std::vector<std::string> described;
  for (const auto& v : session.inputs) described.push_back(describe(v));
  const Device& d = session.device;
  return {{"device",
           {{"kind", d.isCuda() ? "cuda" : "cpu"},
            {"index", d.isCuda() ? int(d.torch.index()) : 0},
            {"name", d.name},
            {"arch", d.arch}}},
          {"environment", environmentOf(d)},
          {"inputs", described},
          {"inputsFrom", from}};
}

}  // namespace kadvise
