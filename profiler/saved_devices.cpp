#include "profiler/saved_devices.h"

#include <caffe2/serialize/inline_container.h>

#include <string_view>

#include "analyzer/core/archive.h"

namespace kadvise {
namespace {

using torch::jit::Block;
using torch::jit::Node;

constexpr std::string_view kGpu = "cuda:";

// A storage's place stands in the pickle as torch writes it: cuda:0.
struct Named {
  bool wanted = false, otherGpus = false, host = false;
};

Named namedIn(std::string_view pickle, std::string_view wanted) {
  Named named;
  named.host = pickle.find("cpu") != std::string_view::npos;
  for (auto at = pickle.find(kGpu); at != std::string_view::npos; at = pickle.find(kGpu, at + 1)) {
    auto rest = pickle.substr(at, wanted.size() + 1);
    bool isLonger = rest.size() > wanted.size() && rest.back() >= '0' && rest.back() <= '9';
    (rest.starts_with(wanted) && !isLonger ? named.wanted : named.otherGpus) = true;
  }
  return named;
}

Named namedIn(caffe2::serialize::PyTorchStreamReader& reader, const char* record, c10::Device device) {
  if (!reader.hasRecord(record)) return {};
  auto [bytes, count] = reader.getRecord(record);
  return namedIn({static_cast<const char*>(bytes.get()), count}, device.str());
}

void bringBack(Block* block, OnHost onHost) {
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) bringBack(inner, onHost);
    bool isTensor = n->kind() == c10::prim::Constant && n->hasAttribute(torch::jit::attr::value) &&
                    n->kindOf(torch::jit::attr::value) == torch::jit::AttributeKind::t;
    if (!isTensor) continue;
    const at::Tensor constant = n->t(torch::jit::attr::value);
    if (constant.is_cuda() && (onHost == OnHost::Constants || constant.dim() == 0))
      n->t_(torch::jit::attr::value, constant.cpu());
  }
}

}  // namespace

SavedDevices savedDevices(const std::filesystem::path& path, c10::Device device) {
  if (!device.is_cuda()) return {};
  readArchiveDirectory(path);
  Named data, constants;
  try {
    caffe2::serialize::PyTorchStreamReader reader(path.string());
    data = namedIn(reader, "data.pkl", device), constants = namedIn(reader, "constants.pkl", device);
  } catch (const c10::Error&) {
    return {};  // loading it says what is wrong
  }
  SavedDevices saved;
  saved.isThere = (data.wanted || constants.wanted) && !data.otherGpus && !constants.otherGpus;
  saved.isAllThere = saved.isThere && data.wanted && !data.host;
  if (saved.isThere && constants.host) saved.onHost = constants.wanted ? OnHost::Numbers : OnHost::Constants;
  return saved;
}

void bringBackToHost(torch::jit::Module& module, OnHost onHost) {
  if (onHost == OnHost::Nothing) return;
  for (const auto& method : module.get_methods()) bringBack(method.graph()->block(), onHost);
}

}  // namespace kadvise
