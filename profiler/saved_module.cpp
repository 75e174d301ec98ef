#include "profiler/saved_module.h"

#include <caffe2/serialize/inline_container.h>

#include <string_view>

namespace kadvise {
namespace {

// What the pickle of the weights says of their devices: all on this one.
bool isSavedFor(const std::string& path, const c10::Device& device) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  auto [data, size] = reader.getRecord("data.pkl");
  std::string_view pickle(static_cast<const char*>(data.get()), size);
  return pickle.find(device.str()) != std::string_view::npos && pickle.find("cpu") == std::string_view::npos;
}

}  // namespace

torch::jit::Module loadAsSaved(const Session& session, const ModuleRef& ref) {
  if (!ref.path.empty() || !session.device.isCuda() || session.path.empty()) return loadBound(session, ref);
  try {
    if (!isSavedFor(session.path, session.device.torch)) return loadBound(session, ref);
    auto module = torch::jit::load(session.path);
    module.eval();
    return module;
  } catch (const std::exception&) {
    return loadBound(session, ref);  // it has been read in that way before
  }
}

}  // namespace kadvise
