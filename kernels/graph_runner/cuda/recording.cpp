#include "kernels/graph_runner/cuda/recording.h"

namespace kadvise {

// Not with at::cuda::CUDAGraph: that takes the process's random generator along, which other threads may be
// using, and which a failed capture would leave broken. Here an operator that draws random numbers makes the
// capture fail.
Recording::Recording(cudaStream_t stream, const std::function<void()>& work) {
  // In this mode other threads may go on allocating, which the stricter one would punish.
  checkCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning the capture");
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph_);
  cudaGetLastError();
  try {
    if (failure) std::rethrow_exception(failure);
    checkCuda(ended, "ending the capture");
    checkCuda(cudaGraphGetNodes(graph_, nullptr, &nodes_), "counting the nodes of the graph");
    const BesideOtherCaptures beside;
    checkCuda(cudaGraphInstantiate(&executable_, graph_, 0), "instantiating the graph");
  } catch (...) {
    destroy();
    throw;
  }
}

Recording::~Recording() {
  const BesideOtherCaptures beside;
  destroy();
}

void Recording::destroy() {
  if (executable_) cudaGraphExecDestroy(executable_);
  if (graph_) cudaGraphDestroy(graph_);
  cudaGetLastError();
}

void Recording::launch(cudaStream_t stream) const {
  checkCuda(cudaGraphLaunch(executable_, stream), "launching the graph");
}

}  // namespace kadvise
