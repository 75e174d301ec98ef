// The results of a graph: which memory each of them lies in, and how a call's results are made of it.
#pragma once

#include "kernels/graph_runner/captured_calls.h"
#include "kernels/graph_runner/cuda/layout_copy.h"
#include "kernels/graph_runner/cuda/pool.h"

namespace kadvise {

class GraphOutputs {
 public:
  // `outputs` and `inputs` are tensors of the capture, made in the pool. Throws c10::Error where the results
  // of later calls could not be told from these.
  GraphOutputs(const Tensors& outputs, const Tensors& inputs, const Pool& pool);

  // Whether no leased result of an earlier call is alive.
  bool isFree() const;

  // The stream on which the results leased last were read: it may still read them after they are free.
  const std::optional<c10::Stream>& readOn() const { return readOn_; }

  // Memory for the results of one call: of its own, or what the graph writes, only when isFree(), on the
  // stream where the call is.
  std::vector<c10::Storage> freshMemory() const;
  std::vector<c10::Storage> lease(const c10::Stream&);

  // What the graph has written into fresh memory, on this stream, which is torch's current one.
  void copyTo(const std::vector<c10::Storage>&, cudaStream_t stream) const;
  // The same inside a graph that is being recorded, by kernels: a copy's node takes longer than theirs.
  void recordCopiesTo(const std::vector<c10::Storage>&) const;

  // The results of the call with these inputs, in memory that holds them.
  Tensors resultsIn(const std::vector<c10::Storage>&, const Tensors& inputs) const;

  // How many pieces of memory the results lie in, and their sizes.
  std::vector<std::size_t> blockBytes() const;

 private:
  // Memory that one output lies in, or several that are views of each other.
  struct Block {
    std::shared_ptr<c10::Storage> memory;  // held once by this, and once by each lease
    std::size_t begin, end;                // the bytes of it that outputs use
    std::optional<at::Tensor> sparse;      // the one output, where its elements are a small part of the bytes
    bool isInGroup = false;
  };
  // Small blocks that are copied together, seen as rows of numbers.
  struct Group {
    std::vector<std::size_t> blocks;
    Tensors rows;
  };
  enum class From { Block, Input, ViewOfInput, Module };
  struct Output {
    From from;
    std::size_t index;     // of the block or the input
    std::int64_t offset;   // elements from the begin of the block, or of the input
    at::Tensor prototype;  // sizes, strides, dtype; for Block without memory; for Module the result itself
  };

  void addFresh(const at::Tensor& output);
  void noteReader(const c10::Stream&);
  at::Tensor make(const Output&, const std::vector<c10::Storage>& memory, const Tensors& inputs) const;
  c10::Storage leaseOf(const Block&) const;
  void groupSmallBlocks();

  c10::Device device_;
  std::vector<Block> blocks_;
  std::vector<Group> groups_;
  std::vector<Output> outputs_;
  std::optional<c10::Stream> readOn_;
};

}  // namespace kadvise
