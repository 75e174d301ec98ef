// What stays in the process between requests: the user's module on the device, its inputs, the work
// directory.
#pragma once

#include <torch/script.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "analyzer/core/channel.h"
#include "profiler/device.h"
#include "profiler/inputs.h"
#include "profiler/nvml.h"
#include "profiler/saved_devices.h"

namespace kadvise {

struct Session {
  std::filesystem::path workDir;
  std::string path;  // of the resident
  Device device;
  std::optional<torch::jit::Module>
      resident;  // the user's file as loaded, eval(), on the device; none for path ""
  std::unordered_map<std::string, at::Tensor>
      parameters;                   // of the resident: parameters, buffers, tensor attributes
  OnHost onHost = OnHost::Nothing;  // of the resident's constants
  bool isSavedInTraining = false;   // the resident, before eval()
  std::string fuserNote;            // see fuser_limits.h
  Values inputs;
  std::uint64_t seed = 0;
  std::shared_ptr<const Nvml> nvml;  // of the device; none on a CPU

  const torch::jit::Module& model() const;  // throws Error when none is open
};

// The verb `open`: fills the session and answers the body of `done`.
Json open(Session&, const Json& arguments);

// Loads a TorchScript file to the device, or where it was saved, in eval mode. Throws Error in words for a
// user: not an archive, an operator that no loaded library has.
torch::jit::Module loadModule(const std::filesystem::path&, std::optional<c10::Device>);

}  // namespace kadvise
