#include "profiler/session.h"

#include <ATen/Parallel.h>

#include "analyzer/core/archive.h"
#include "analyzer/core/error.h"
#include "analyzer/core/operator_library.h"
#include "profiler/attributes.h"
#include "profiler/failure.h"
#include "profiler/fuser_limits.h"

namespace kadvise {
namespace {

namespace fs = std::filesystem;

void loadOpLibraries(const Json& paths) {
  for (const std::string& path : paths.get<std::vector<std::string>>()) loadOperatorLibrary(path);
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

// What torch.utils.bundled_inputs put into the file: the first set of arguments. It may be drawn anew, and a
// process that is started again must ask the same of what it compares.
std::optional<Values> bundledInputs(const Session& s) {
  auto method = s.resident ? s.resident->find_method("get_all_bundled_inputs") : std::nullopt;
  if (!method) return std::nullopt;
  try {
    seedAll(s.device, s.seed);
    auto sets = (*method)({});
    if (!sets.isList() || sets.toListRef().empty() || !sets.toListRef()[0].isTuple())
      throw Error("inputs", "the module's bundled inputs are not a list of tuples; give --input or --inputs");
    return onDevice(sets.toListRef()[0].toTupleRef().elements().vec(), s.device);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error("inputs",
                "the module's bundled inputs cannot be made: " + reasonOf(e) + "; give --input or --inputs");
  }
}

// Returns where they come from.
constexpr const char* kFromOptions = "options";

std::string chooseInputs(Session& s, const std::string& file, const std::vector<std::string>& specs) {
  if (!file.empty()) {
    s.inputs = onDevice(readValues(file), s.device);
    return "file";
  }
  if (!specs.empty()) {
    s.inputs = inputsFromSpecs(specs, "float32", s.device, s.seed);
    return kFromOptions;
  }
  auto bundled = bundledInputs(s);
  s.inputs = bundled.value_or(Values());
  return bundled ? "bundled" : "none";
}

std::string inputsInto(Session& s, const Json& arguments) {
  auto from = chooseInputs(s, arguments.at("inputsFile"), arguments.at("inputs"));
  if (s.resident) {
    auto forward = s.resident->find_method("forward");
    if (!forward) throw Error(arguments.at("path"), "has no forward method, so there is nothing to run");
    s.inputs = fitted(s.inputs, forward->function().getSchema());
  }
  return from;
}

bool isOpen(const Session& s, const std::string& path, const Device& device) {
  return s.resident && s.path == path && s.device.torch == device.torch;
}

}  // namespace

const torch::jit::Module& Session::model() const {
  if (!resident) throw Error("measure", "no module is open");
  return *resident;
}

namespace {

// LibTorch compares all constants of a module while it reads it: threads that wait for the next comparison
// would use up, on a machine with many processors, the computing that a file is allowed.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = at::get_num_threads();
};

torch::jit::Module loadAsItIs(const fs::path& path, std::optional<c10::Device> device) {
  readArchiveDirectory(path);
  const OneThread alone;
  try {
    return torch::jit::load(path.string(), device);
  } catch (const std::exception& e) {
    explain(path, e);
  }
}

// Frozen modules and converted programs have no mode.
bool isInTraining(const torch::jit::Module& module) {
  constexpr const char* kMode = "training";
  return module.hasattr(kMode) && module.attr(kMode).isBool() && module.attr(kMode).toBool();
}

void takeResident(Session& s, const std::string& path) {
  SavedDevices saved = savedDevices(path, s.device.torch);
  s.resident = loadAsItIs(path, saved.isThere ? std::nullopt : std::optional(s.device.torch));
  if (saved.isThere) s.resident->to(s.device.torch);
  s.onHost = saved.onHost;
  s.isSavedInTraining = isInTraining(*s.resident);
  s.resident->eval();
  s.fuserNote = keepFuserFromLargeCats(*s.resident);
  for (auto& [name, tensor] : tensorAttributes(*s.resident)) s.parameters.emplace(name, tensor);
}

std::vector<std::string> notesOf(const Session& s) {
  std::vector<std::string> notes;
  if (s.isSavedInTraining)
    notes.push_back("the module was saved in training mode; kadvise runs it in eval mode");
  if (!s.fuserNote.empty()) notes.push_back(s.fuserNote);
  return notes;
}

}  // namespace

torch::jit::Module loadModule(const fs::path& path, std::optional<c10::Device> device) {
  auto module = loadAsItIs(path, device);
  module.eval();
  return module;
}

Json open(Session& session, const Json& arguments) {
  Session s;
  s.workDir = arguments.at("workDir").get<std::string>();
  s.seed = arguments.at("seed").get<std::uint64_t>();
  // The device first: LibTorch's CUDA half must be there before anything else of LibTorch asks for it.
  s.device = chooseDevice(arguments.at("device"));
  if (s.device.isCuda()) s.nvml = std::make_shared<const Nvml>(busIdOf(s.device));
  loadOpLibraries(arguments.at("opLibraries"));
  auto path = arguments.at("path").get<std::string>();
  s.path = path;
  if (isOpen(session, path, s.device)) {
    s.resident = session.resident, s.parameters = session.parameters;
    s.isSavedInTraining = session.isSavedInTraining, s.onHost = session.onHost;
    s.fuserNote = session.fuserNote;
  }
  session = Session();  // the old module's memory goes before the new one comes
  if (!path.empty() && !s.resident) takeResident(s, path);
  session = std::move(s);  // kept even when the inputs are refused: others may follow
  std::string from = inputsInto(session, arguments);

  std::vector<std::string> described;
  if (from == kFromOptions) arguments.at("inputs").get_to(described);  // as the user wrote them
  else
    for (const auto& v : session.inputs) described.push_back(describe(v));
  const Device& d = session.device;
  return {{"device",
           {{"kind", d.isCuda() ? "cuda" : "cpu"},
            {"index", d.isCuda() ? int(d.torch.index()) : 0},
            {"name", d.name},
            {"arch", d.arch}}},
          {"environment", environmentOf(d)},
          {"inputs", described},
          {"inputsFrom", from},
          {"notes", notesOf(session)}};
}

}  // namespace kadvise
