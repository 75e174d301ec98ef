// The border between the two halves of the runner. The class that torch knows is in libkadvise_kernels.so,
// which links no CUDA; what follows is in libkadvise_graph_runner.so, loaded from beside it at the first call
// on a GPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kadvise {

using Tensors = std::vector<at::Tensor>;
using ModuleCall = std::function<Tensors(const Tensors&)>;

// How the results of one call stay valid while the next runs.
//   Copied: every call returns memory of its own.
//   Leased: a call returns the memory that the graph wrote. It is written again only when nobody holds it,
//   and after what its stream has been given by then. While somebody holds it, further graphs with results
//   of their own are captured, kOutputSets in all; the last of them is only ever copied from, so that a call
//   always finds one. Each leased one has memory of its own for intermediate values, too. Who reads a leased
//   result on another stream makes the stream of the call wait before letting it go.
enum class OutputMode { Copied, Leased };
constexpr std::size_t kOutputSets = 3;

// What a call got from the captures: results, or the reason to run the module plainly.
struct Served {
  std::optional<Tensors> outputs;
  std::string reason;
};

struct CaptureCounts {
  // Alive: one a signature, one more for each further set of leased outputs, and those in place.
  std::size_t captures = 0;
  std::size_t signatures = 0, evictions = 0, replays = 0, inputCopies = 0, outputCopies = 0;
  std::size_t inPlace = 0;    // of the replays: those that read and wrote the caller's memory
  std::string whyNotInPlace;  // where such a graph could not be captured
  // Reserved on the GPU for all of them, without cuBLAS's workspace, of which all runners share one.
  std::size_t poolBytes = 0;
  double captureMs = 0;  // warm-up and capture, in all
};

// The captures of one module on one GPU. Any thread may call anything.
class CapturedCalls {
 public:
  virtual ~CapturedCalls() = default;
  // The inputs are ordinary strided tensors of the device. Work goes to the caller's current stream.
  virtual Served run(const Tensors& inputs) = 0;
  // Inputs that lie where these do are read in place from now on. Keeps them alive until the next bind.
  virtual void bind(Tensors inputs) = 0;
  virtual void setOutputs(OutputMode) = 0;
  // Whether a call whose inputs and results lie where those of earlier calls did gets a graph that reads and
  // writes there; with copied outputs. Where copies would cost more than the graph saves, a call that has
  // none runs plainly.
  virtual void setInPlace(bool) = 0;
  virtual void setLimit(std::size_t signatures) = 0;
  virtual void clear() = 0;  // drops the captures, their memory, and what is known of failed ones
  virtual CaptureCounts counts() const = 0;
};

// Raised whenever this file changes; halves of different builds refuse each other.
constexpr int kGraphRunnerAbi = 3;

// In the first half: throws c10::Error with the file and the remedy when the second half cannot be used here.
std::unique_ptr<CapturedCalls> makeCapturedCalls(ModuleCall captured, c10::Device device);

}  // namespace kadvise

// Exported by libkadvise_graph_runner.so.
extern "C" {
using KadviseGraphRunnerAbi = int();  // kadvise_graph_runner_abi
using KadviseGraphRunnerMake =        // kadvise_graph_runner_make: the caller owns what it returns
    kadvise::CapturedCalls*(kadvise::ModuleCall captured, c10::Device device);
}
