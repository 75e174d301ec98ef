#include "profiler/saved_devices.h"

#include <string_view>

#include <caffe2/serialize/inline_container.h>

namespace kadvise {
namespace {

constexpr const char* kPickles[] = {"data.pkl", "constants.pkl"};
constexpr std::string_view kGpu = "cuda:";

// A storage's place stands in the pickle as it is written in torch: cuda:0.
struct Named {
  bool wanted = false, others = false;
};

void lookIn(std::string_view pickle, std::string_view wanted, Named& named) {
  for (auto at = pickle.find(kGpu); at != std::string_view::npos; at = pickle.find(kGpu, at + 1)) {
    auto rest = pickle.substr(at, wanted.size() + 1);
    bool isLonger = rest.size() > wanted.size() && rest.back() >= '0' && rest.back() <= '9';
    (rest.starts_with(wanted) && !isLonger ? named.wanted : named.others) = true;
  }
}

}  // namespace

bool isSavedFor(const std::filesystem::path& path, c10::Device device) {
  if (!device.is_cuda()) return false;
  Named named;
  caffe2::serialize::PyTorchStreamReader reader(path.string());
  for (const char* name : kPickles) {
    if (!reader.hasRecord(name)) continue;
    auto [bytes, count] = reader.getRecord(name);
    lookIn({static_cast<const char*>(bytes.get()), count}, device.str(), named);
  }
  return named.wanted && !named.others;
}

}  // namespace kadvise
