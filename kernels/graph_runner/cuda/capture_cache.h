// The graphs of one module by signature: a bounded number, and what is known of signatures that have none.
#pragma once

#include "kernels/graph_runner/cuda/captured_call.h"
#include "kernels/graph_runner/cuda/in_place_graphs.h"
#include "kernels/graph_runner/cuda/signature.h"

#include <map>

namespace kadvise {

class CaptureCache {
 public:
  // One graph with results of its own.
  struct Recorded {
    std::shared_ptr<Pool> pool;  // before the call, which lives in it
    std::unique_ptr<CapturedCall> call;
    OutputMode mayBe = OutputMode::Copied;
    bool mayWorkLater = false;  // there is no call, for a reason that passes
  };
  struct Entry {
    Signature signature;
    bool readsInPlace = false;  // some input is bound
    std::vector<Recorded> sets;
    InPlaceGraphs inPlace;
    std::string noMoreLeases, noMoreSets;  // why the last attempt to add one failed
  };
  // A set whose results may be overwritten now, and how its results may be given out.
  struct Set {
    CapturedCall* call = nullptr;
    OutputMode mode = OutputMode::Copied;
  };

  CaptureCache(ModuleCall module, c10::Device device) : module_(std::move(module)), device_(device) {}

  Entry* find(const Signature& signature);

  // Whether an unknown signature is worth a capture now; else the reason.
  bool admits(const Signature& signature, std::string& reason);

  // Null with the reason when the capture failed, which is remembered. The GPU must have done all calls
  // before, since this runs the module.
  Entry* make(const Signature&, const Tensors& inputs, const std::vector<const void*>& readInPlace,
              OutputMode mode, std::string& reason);

  // For one call: a set that nobody holds, captured now where there is none and may be one more. One without
  // a call, and the reason, when that failed.
  Set setFor(Entry& entry, OutputMode wanted, std::string& reason);

  // A graph of the entry that reads these inputs where they lie and writes its results to this memory; null
  // where that failed, which is remembered. The GPU must have done all calls before.
  const Recording* recordInPlace(Entry&, const InPlaceGraphs::Places&, const Tensors& inputs,
                                 const std::vector<c10::Storage>& results);

  // The GPU must have done all calls before these, too: they free memory.
  void dropInPlace();
  void setLimit(std::size_t signatures);
  void clear(AfterPool after);

  CaptureCounts counts() const;  // of captures; the calls are not known here

 private:
  static Set freeSet(const Entry& entry, OutputMode mode);
  bool addSet(Entry& entry, OutputMode mode, std::string& reason);
  std::shared_ptr<Pool> poolFor(OutputMode mode);
  Recorded capture(std::shared_ptr<const GraphInputs> inputs, const Tensors& like,
                   const std::vector<const void*>& readInPlace, OutputMode mode, std::string& reason);
  void evictOldest();
  void noteFailure(const Signature& signature, const std::string& reason);

  ModuleCall module_;
  c10::Device device_;
  std::size_t limit_ = 8;
  std::shared_ptr<Pool> pool_;                   // of all graphs whose results are copied
  std::vector<std::unique_ptr<Entry>> entries_;  // used last first
  std::map<Signature, std::string> failed_;
  std::map<Signature, std::size_t> sightings_;  // of signatures that wait for a place
  std::string gaveUp_;                          // why this module is no longer tried
  std::size_t evictions_ = 0, pressure_ = 0, made_ = 0;
  double captureMs_ = 0;
};

}  // namespace kadvise
