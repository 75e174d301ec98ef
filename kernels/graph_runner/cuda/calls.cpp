// The captures of one module: finds the graph of a call, makes it, or says why there is none.
#include "kernels/graph_runner/cuda/capture_cache.h"

#include "kernels/graph_runner/cuda/stream_order.h"
#include "kernels/kernels.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace kadvise {
namespace {

c10::Stream currentStream(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

// What a node saves: the launch of a kernel and torch's work in front of it, some 3 us. A copy reads and
// writes some 3 TB/s, so in that time it moves about so much.
constexpr std::size_t kBytesAsDearAsANode = 4 << 20;

constexpr const char* kDearCopies =
    "copying its inputs and results would cost more than its graph saves, and no call had them there before";
constexpr const char* kBusyStream = "the stream of the call before is capturing";

class Calls final : public CapturedCalls {
 public:
  Calls(ModuleCall module, c10::Device device)
      : device_(device),
        order_(StreamOrder::of(device)),
        cache_(std::make_shared<CaptureCache>(std::move(module), device)) {}

  ~Calls() override {
    order_.endWhenDone([cache = std::move(cache_)] { cache->clear(AfterPool::KeepsCached); });
  }

  Served run(const Tensors& inputs) override {
    if (CaptureRoom::holdsThisThread()) return {{}, "it is part of a module that is being captured"};
    if (inputs.front().device() != device_) return {{}, "its graphs are of " + device_.str()};
    const c10::DeviceGuard onDevice(device_);
    const c10::Stream stream = currentStream(device_);
    if (isCapturing(rawStream(stream)))
      return {{}, "the caller is capturing: it becomes a part of that graph"};
    const std::lock_guard lock(mutex_);
    placeBound(inputs);
    writeSignature(inputs, readInPlace_, signature_);
    // Nobody knows how long a foreign stream can be waited for.
    const OutputMode wanted = isForeign(stream) ? OutputMode::Copied : outputs_;
    std::string reason;
    const auto turn = order_.turn();
    CaptureCache::Entry* entry = cache_->find(signature_);
    if (!entry) entry = make(inputs, wanted, stream, reason);
    if (!entry) return {{}, reason};
    const CaptureCache::Set set = cache_->setFor(*entry, wanted, reason);
    if (!set.call) return {{}, reason};
    if (set.mode == OutputMode::Copied) return runToFreshMemory(*entry, *set.call, inputs, stream);
    if (!order_.enter(stream, set.call->outputs().readOn())) return {{}, kBusyStream};
    return {replayLeased(*set.call, inputs, stream), ""};
  }

  void bind(Tensors inputs) override {
    const std::lock_guard lock(mutex_);
    const auto turn = order_.turn();
    order_.wait();
    cache_->dropInPlace();
    // The earlier ones end with this call, when nothing is locked any more: that may wait for Python.
    std::swap(bound_, inputs);
    boundAt_.clear();
    for (const at::Tensor& input : bound_)
      boundAt_.push_back(input.defined() ? input.const_data_ptr() : nullptr);
  }

  void setOutputs(OutputMode mode) override {
    const std::lock_guard lock(mutex_);
    outputs_ = mode;
  }

  void setInPlace(bool on) override {
    const std::lock_guard lock(mutex_);
    inPlace_ = on;
  }

  void setLimit(std::size_t signatures) override {
    const std::lock_guard lock(mutex_);
    const auto turn = order_.turn();
    order_.wait();
    cache_->setLimit(signatures);
  }

  void clear() override {
    const std::lock_guard lock(mutex_);
    const c10::DeviceGuard onDevice(device_);
    const auto turn = order_.turn();
    order_.wait();
    cache_->clear(AfterPool::GivesBack);
  }

  CaptureCounts counts() const override {
    const std::lock_guard lock(mutex_);
    CaptureCounts counts = cache_->counts();
    counts.replays = replays_;
    counts.inPlace = inPlaceReplays_;
    counts.inputCopies = inputCopies_;
    counts.outputCopies = outputCopies_;
    return counts;
  }

 private:
  // An input that lies where its bound one did at bind() is read there: the graph never reads that place for
  // a call that has not passed it.
  void placeBound(const Tensors& inputs) {
    readInPlace_.assign(inputs.size(), nullptr);
    for (std::size_t i = 0; i < std::min(inputs.size(), boundAt_.size()); ++i) {
      if (inputs[i].const_data_ptr() == boundAt_[i]) readInPlace_[i] = boundAt_[i];
    }
  }

  // Warm-up and capture run on a stream of their own, after everything that the caller has given to its
  // stream, and after the calls before, whose memory they use again.
  CaptureCache::Entry* make(const Tensors& inputs, OutputMode mode, const c10::Stream& stream,
                            std::string& reason) {
    if (!cache_->admits(signature_, reason)) return nullptr;
    if (!order_.wait()) {
      reason = kBusyStream;
      return nullptr;
    }
    waitFor(rawStream(stream), "waiting for the caller's stream before the capture");
    return cache_->make(signature_, inputs, readInPlace_, mode, reason);
  }

  // Between what is launched for two calls. Also when an error cuts a call short: the next one follows what
  // was launched.
  struct Leaving {
    StreamOrder& order;
    ~Leaving() { order.leave(); }
  };

  // With a graph of these places where there is one or should be; else with copies, unless those are dear.
  Served runToFreshMemory(CaptureCache::Entry& entry, CapturedCall& call, const Tensors& inputs,
                          const c10::Stream& stream) {
    const std::vector<c10::Storage> results = call.outputs().freshMemory();
    const Recording* graph = inPlace_ ? graphOfPlaces(entry, inputs, results) : nullptr;
    if (inPlace_ && !graph && areCopiesDear(call)) return {{}, kDearCopies};
    if (!order_.enter(stream, call.outputs().readOn())) return {{}, kBusyStream};
    const Leaving leaving{order_};
    if (graph) {
      graph->launch(rawStream(stream));
      ++inPlaceReplays_;
    } else {
      inputCopies_ += call.inputs()->copyFrom(inputs, rawStream(stream));
      call.recording().launch(rawStream(stream));
      call.outputs().copyTo(results, rawStream(stream));
      outputCopies_ += results.size();
    }
    ++replays_;
    return {call.outputs().resultsIn(results, inputs), ""};
  }

  const Recording* graphOfPlaces(CaptureCache::Entry& entry, const Tensors& inputs,
                                 const std::vector<c10::Storage>& results) {
    places_.clear();
    for (const at::Tensor& input : inputs) places_.push_back(input.const_data_ptr());
    for (const c10::Storage& memory : results) places_.push_back(memory.data());
    if (const Recording* graph = entry.inPlace.find(places_)) return graph;
    if (!entry.inPlace.isDue(places_) || !order_.wait()) return nullptr;
    return cache_->recordInPlace(entry, places_, inputs, results);
  }

  static bool areCopiesDear(CapturedCall& call) {
    std::size_t bytes = call.inputs()->copiedBytes();
    for (const std::size_t block : call.outputs().blockBytes()) bytes += block;
    return bytes > call.recording().nodes() * kBytesAsDearAsANode;
  }

  Tensors replayLeased(CapturedCall& call, const Tensors& inputs, const c10::Stream& stream) {
    const Leaving leaving{order_};
    ++replays_;
    inputCopies_ += call.inputs()->copyFrom(inputs, rawStream(stream));
    call.recording().launch(rawStream(stream));
    return call.outputs().resultsIn(call.outputs().lease(stream), inputs);
  }

  const c10::Device device_;
  mutable std::mutex mutex_;
  StreamOrder& order_;
  std::shared_ptr<CaptureCache> cache_;  // shared with what ends it
  OutputMode outputs_ = OutputMode::Copied;
  bool inPlace_ = true;
  Tensors bound_;
  std::vector<const void*> boundAt_;
  std::vector<const void*> readInPlace_;  // of the current call
  Signature signature_;                   // of the current call
  InPlaceGraphs::Places places_;          // of the current call
  std::size_t replays_ = 0, inPlaceReplays_ = 0, inputCopies_ = 0, outputCopies_ = 0;
};

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API int kadvise_graph_runner_abi() { return kadvise::kGraphRunnerAbi; }

extern "C" KADVISE_KERNELS_API kadvise::CapturedCalls* kadvise_graph_runner_make(kadvise::ModuleCall captured,
                                                                                 c10::Device device) {
  return new kadvise::Calls(std::move(captured), device);
}
