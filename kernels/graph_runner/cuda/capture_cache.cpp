#include "kernels/graph_runner/cuda/capture_cache.h"

#include "kernels/graph_runner/cuda/capture_reason.h"

#include <c10/core/StreamGuard.h>

#include <algorithm>
#include <chrono>

namespace kadvise {
namespace {

constexpr std::size_t kRemembered = 256;  // signatures, so that lists of endless shapes end
constexpr std::size_t kTries = 3;         // signatures of a module that never worked

}  // namespace

CaptureCache::Entry* CaptureCache::find(const Signature& signature) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry->signature == signature; });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return entries_.front().get();
}

// Shapes that change with every call would evict each other for ever, so each eviction doubles how often a
// newcomer must have come.
bool CaptureCache::admits(const Signature& signature, std::string& reason) {
  if (!gaveUp_.empty()) {
    reason = gaveUp_;
    return false;
  }
  if (const auto failed = failed_.find(signature); failed != failed_.end()) {
    reason = failed->second;
    return false;
  }
  if (entries_.size() < limit_) return true;
  if (sightings_.size() >= kRemembered) sightings_.clear();
  const std::size_t needed = std::size_t{1} << std::min<std::size_t>(pressure_, 10);
  if (++sightings_[signature] >= needed) return true;
  reason = "the cache of " + std::to_string(limit_) +
           " signatures is full and this one is new: set_limit() takes more";
  return false;
}

CaptureCache::Entry* CaptureCache::make(const Signature& signature, const Tensors& inputs,
                                        const std::vector<const void*>& readInPlace, OutputMode mode,
                                        std::string& reason) {
  while (entries_.size() >= limit_) {
    evictOldest();
    ++pressure_;
  }
  sightings_.erase(signature);
  Recorded recorded = capture(nullptr, inputs, readInPlace, mode, reason);
  if (!recorded.call) {
    if (!recorded.mayWorkLater) noteFailure(signature, reason);
    return nullptr;
  }
  auto entry = std::make_unique<Entry>();
  entry->signature = signature;
  entry->readsInPlace =
      std::any_of(readInPlace.begin(), readInPlace.end(), [](auto* at) { return at != nullptr; });
  entry->sets.push_back(std::move(recorded));
  entries_.insert(entries_.begin(), std::move(entry));
  ++made_;
  return entries_.front().get();
}

CaptureCache::Set CaptureCache::setFor(Entry& entry, OutputMode wanted, std::string& reason) {
  if (wanted == OutputMode::Leased) {
    Set set = freeSet(entry, OutputMode::Leased);
    if (!set.call && addSet(entry, OutputMode::Leased, reason)) set = freeSet(entry, OutputMode::Leased);
    if (set.call) return set;
  }
  const Set set = freeSet(entry, OutputMode::Copied);
  if (set.call || !addSet(entry, OutputMode::Copied, reason)) return set;
  return freeSet(entry, OutputMode::Copied);
}

// One that can be leased can be copied from, too.
CaptureCache::Set CaptureCache::freeSet(const Entry& entry, OutputMode mode) {
  for (const Recorded& set : entry.sets) {
    const bool serves = mode == OutputMode::Copied || set.mayBe == OutputMode::Leased;
    if (serves && set.call->outputs().isFree()) return {set.call.get(), mode};
  }
  return {};
}

bool CaptureCache::addSet(Entry& entry, OutputMode mode, std::string& reason) {
  const auto leases = std::count_if(entry.sets.begin(), entry.sets.end(),
                                    [](const Recorded& set) { return set.mayBe == OutputMode::Leased; });
  if (mode == OutputMode::Leased && leases + 1 >= static_cast<std::ptrdiff_t>(kOutputSets)) return false;
  std::string& problem = mode == OutputMode::Leased ? entry.noMoreLeases : entry.noMoreSets;
  if (problem.empty()) {
    Recorded recorded = capture(entry.sets.front().call->inputs(), {}, {}, mode, reason);
    if (recorded.call) {
      entry.sets.push_back(std::move(recorded));
      return true;
    }
    if (recorded.mayWorkLater) return false;
    problem = "no further set of outputs: " + reason;
  }
  reason = problem;
  return false;
}

// Results that are copied at once may lie in memory that other graphs write: all these share one pool. Leased
// ones must not: a graph puts them wherever its pool has room, and that is often where graphs captured before
// have their intermediate values, which would be written again while the results are held.
std::shared_ptr<Pool> CaptureCache::poolFor(OutputMode mode) {
  if (mode == OutputMode::Leased) return std::make_shared<Pool>(device_);
  if (!pool_) pool_ = std::make_shared<Pool>(device_);
  return pool_;
}

CaptureCache::Recorded CaptureCache::capture(std::shared_ptr<const GraphInputs> inputs, const Tensors& like,
                                             const std::vector<const void*>& readInPlace, OutputMode mode,
                                             std::string& reason) {
  const auto begin = std::chrono::steady_clock::now();
  Recorded recorded;
  recorded.mayBe = mode;
  try {
    CaptureRoom room(device_);
    recorded.pool = poolFor(mode);
    const WarmUp warmUp = inputs ? WarmUp::Done : WarmUp::Needed;
    if (!inputs) {
      const c10::StreamGuard onStream(room.stream());
      const cudaStream_t stream = rawStream(room.stream());
      std::shared_ptr<GraphInputs> made;
      recorded.pool->serve(stream, [&] { made = std::make_shared<GraphInputs>(like, readInPlace); });
      made->copyFrom(like, stream);  // the warm-up shall see values that the module can take, such as indices
      inputs = std::move(made);
    }
    recorded.call = std::make_unique<CapturedCall>(module_, std::move(inputs), warmUp, room, *recorded.pool);
  } catch (const Pool::Elsewhere& error) {
    reason = error.what();
    recorded.mayWorkLater = true;
  } catch (const std::exception& error) {
    reason = captureReason(error);
  }
  cudaGetLastError();
  if (!recorded.call) {
    if (recorded.pool && recorded.pool != pool_) recorded.pool->setAfter(AfterPool::GivesBack);
    recorded.pool.reset();
  }
  if (entries_.empty() && !recorded.call) pool_.reset();
  captureMs_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return recorded;
}

// The module has run with this signature, so it needs no warm-up.
const Recording* CaptureCache::recordInPlace(Entry& entry, const InPlaceGraphs::Places& places,
                                             const Tensors& inputs,
                                             const std::vector<c10::Storage>& results) {
  const auto begin = std::chrono::steady_clock::now();
  const Recording* recorded = nullptr;
  Tensors read;  // no part of anybody's autograd
  for (const at::Tensor& input : inputs) read.push_back(input.detach());
  try {
    CaptureRoom room(device_);
    const WithoutAutocastCache withoutCache;
    const c10::StreamGuard onStream(room.stream());
    const cudaStream_t stream = rawStream(room.stream());
    std::shared_ptr<Pool> pool = poolFor(OutputMode::Copied);
    std::unique_ptr<Recording> recording;
    pool->serve(stream, [&] {
      recording = std::make_unique<Recording>(stream, [&] {
        const GraphOutputs made(module_(read), read, *pool);
        TORCH_CHECK(made.blockBytes() == entry.sets.front().call->outputs().blockBytes(),
                    "the results lie in memory otherwise than those of the call before");
        made.recordCopiesTo(results);
      });
    });
    recorded = entry.inPlace.add(places, std::move(pool), std::move(recording));
  } catch (const std::exception& error) {
    entry.inPlace.noteFailure(captureReason(error));
  }
  cudaGetLastError();
  captureMs_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return recorded;
}

void CaptureCache::evictOldest() {
  for (const Recorded& set : entries_.back()->sets) {
    if (set.pool != pool_) set.pool->setAfter(AfterPool::GivesBack);  // nothing else would use it again
  }
  entries_.pop_back();
  ++evictions_;
}

void CaptureCache::noteFailure(const Signature& signature, const std::string& reason) {
  if (failed_.size() >= kRemembered) failed_.clear();
  failed_[signature] = reason;
  if (made_ == 0 && failed_.size() >= kTries) gaveUp_ = reason;
}

void CaptureCache::dropInPlace() {
  std::erase_if(entries_, [](const auto& entry) { return entry->readsInPlace; });
}

void CaptureCache::setLimit(std::size_t signatures) {
  limit_ = signatures;
  while (entries_.size() > limit_) evictOldest();
}

void CaptureCache::clear(AfterPool after) {
  for (const auto& entry : entries_) {
    for (const Recorded& set : entry->sets) set.pool->setAfter(after);
  }
  entries_.clear();
  failed_.clear();
  sightings_.clear();
  gaveUp_.clear();
  pressure_ = 0;
  if (pool_) pool_->setAfter(after);
  pool_.reset();
}

CaptureCounts CaptureCache::counts() const {
  CaptureCounts counts;
  counts.signatures = entries_.size();
  counts.poolBytes = pool_ ? pool_->bytes() : 0;
  for (const auto& entry : entries_) {
    counts.captures += entry->sets.size() + entry->inPlace.size();
    if (!entry->inPlace.lastFailure().empty()) counts.whyNotInPlace = entry->inPlace.lastFailure();
    for (const Recorded& set : entry->sets) {
      if (set.pool != pool_) counts.poolBytes += set.pool->bytes();
    }
  }
  counts.evictions = evictions_;
  counts.captureMs = captureMs_;
  return counts;
}

}  // namespace kadvise
