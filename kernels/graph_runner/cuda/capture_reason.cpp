#include "kernels/graph_runner/cuda/capture_reason.h"

#include <c10/util/Exception.h>

#include <utility>

namespace kadvise {
namespace {

constexpr const char* kWaits =
    "it waits for the GPU or asks it for a value (.item(), nonzero, a branch on a tensor)";
constexpr const char* kRandom = "it draws random numbers";
constexpr const char* kCopies = "it copies from or to the CPU";
constexpr const char* kMemory = "the GPU's memory did not suffice for the graph";

// TorchScript throws every error of an operator as another type, so that only its text tells them apart.
constexpr std::pair<const char*, const char*> kKnown[] = {
    {"out of memory", kMemory},
    {"Offset increment outside graph capture", kRandom},
    {"CUDAGeneratorImpl", kRandom},
    {"Cannot copy between CPU and CUDA", kCopies},
    {"operation not permitted when stream is capturing", kWaits},
    {"operation failed due to a previous error during capture", kWaits},
};

// The line below TorchScript's traceback, which names the error; the first line of any other message.
std::string essenceOf(const std::string& message) {
  constexpr std::string_view kMark = "Error: ";
  std::size_t begin = message.rfind("\nRuntimeError: ");
  begin = begin == std::string::npos ? 0 : message.find(kMark, begin) + kMark.size();
  return message.substr(begin, message.find('\n', begin) - begin);
}

}  // namespace

std::string captureReason(const std::exception& error) {
  const auto* ours = dynamic_cast<const c10::Error*>(&error);
  const std::string message = ours ? ours->what_without_backtrace() : error.what();
  for (const auto& [mark, words] : kKnown) {
    if (message.find(mark) != std::string::npos) return words;
  }
  return essenceOf(message);
}

}  // namespace kadvise
