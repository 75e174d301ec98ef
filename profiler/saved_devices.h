// Where a file's tensors were when it was saved.
#pragma once

#include <filesystem>

#include <torch/script.h>

namespace kadvise {

// What of the constants in its code lies on the host, of a file that was saved on a GPU. A trace keeps the
// numbers there that arithmetic on the host's tensors needs.
enum class OnHost { Nothing, Numbers, Constants };

struct SavedDevices {
  bool isThere = false;     // torch.jit.load puts the module on the device by itself
  bool isAllThere = false;  // and none of its weights anywhere else
  OnHost onHost = OnHost::Nothing;
};

SavedDevices savedDevices(const std::filesystem::path&, c10::Device);

// Of a module that was brought to a device whole: what `onHost` says goes back, as long as nobody called it.
void bringBackToHost(torch::jit::Module&, OnHost);

}  // namespace kadvise
