#include "profiler/saved_module.h"

#include "profiler/saved_devices.h"

namespace kadvise {

torch::jit::Module loadAsSaved(const Session& session, const ModuleRef& ref) {
  if (!ref.path.empty() || !session.device.isCuda() || session.path.empty()) return loadBound(session, ref);
  try {
    if (!savedDevices(session.path, session.device.torch).isAllThere) return loadBound(session, ref);
    auto module = torch::jit::load(session.path);
    module.eval();
    return module;
  } catch (const std::exception&) {
    return loadBound(session, ref);  // it has been read in that way before
  }
}

}  // namespace kadvise
