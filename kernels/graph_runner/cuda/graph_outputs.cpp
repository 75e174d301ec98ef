#include "kernels/graph_runner/cuda/graph_outputs.h"

#include "kernels/graph_runner/cuda/small_copies.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/bitwise_or.h>

#include <algorithm>
#include <atomic>

namespace kadvise {
namespace {

constexpr std::size_t kAlignment = 16;

// A tensor of its own over this memory.
at::Tensor over(c10::Storage memory, const at::Tensor& like, std::int64_t offset) {
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(memory), like.key_set(), like.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), offset);
  return made;
}

// The widest numbers, in bytes, of which these bytes of a memory are a row.
std::int64_t rowWidth(std::size_t begin, std::size_t end) { return begin % 8 == 0 && end % 8 == 0 ? 8 : 1; }

at::Tensor rowOver(c10::Storage memory, std::size_t begin, std::size_t end, std::int64_t width) {
  const std::int64_t size[] = {static_cast<std::int64_t>(end - begin) / width}, stride[] = {1};
  at::Tensor row = at::detail::make_tensor<c10::TensorImpl>(
      std::move(memory), c10::DispatchKeySet(c10::DispatchKey::CUDA),
      width == 8 ? caffe2::TypeMeta::Make<std::int64_t>() : caffe2::TypeMeta::Make<std::uint8_t>());
  row.unsafeGetTensorImpl()->set_sizes_and_strides(at::IntArrayRef(size), at::IntArrayRef(stride),
                                                   static_cast<std::int64_t>(begin) / width);
  return row;
}

bool sharesMemory(const at::Tensor& a, const at::Tensor& b) {
  return a.storage().unsafeGetStorageImpl() == b.storage().unsafeGetStorageImpl();
}

bool liesIn(const std::vector<Pool::Range>& ranges, const at::Tensor& tensor) {
  const auto place = reinterpret_cast<std::size_t>(tensor.storage().data());
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Pool::Range& r) { return place >= r.begin && place < r.begin + r.bytes; });
}

std::size_t firstByte(const at::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.storage_offset()) * tensor.element_size();
}

}  // namespace

GraphOutputs::GraphOutputs(const Tensors& outputs, const Tensors& inputs, const Pool& pool)
    : device_(inputs.front().device()) {
  const std::vector<Pool::Range> ranges = pool.ranges();
  for (const at::Tensor& output : outputs) {
    TORCH_CHECK(output.defined() && output.layout() == at::kStrided && output.device() == device_ &&
                    !output.is_conj() && !output.is_neg(),
                "a result is not an ordinary strided tensor of ", device_);
    const auto input = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const at::Tensor& one) { return sharesMemory(one, output); });
    if (input != inputs.end()) {
      TORCH_CHECK(input->scalar_type() == output.scalar_type(), "a result is an input seen as another dtype");
      const From from = output.is_same(*input) ? From::Input : From::ViewOfInput;
      outputs_.push_back({from, static_cast<std::size_t>(input - inputs.begin()),
                          output.storage_offset() - input->storage_offset(), output});
    } else if (output.numel() > 0 && !liesIn(ranges, output)) {
      outputs_.push_back({From::Module, 0, 0, output});
    } else {
      addFresh(output);
    }
  }
  // Only now is every block's begin known. The tensors go, so that the memory is held by nothing but the
  // blocks.
  for (Output& output : outputs_) {
    if (output.from != From::Block) continue;
    output.offset -= static_cast<std::int64_t>(blocks_[output.index].begin / output.prototype.element_size());
    output.prototype = over(c10::Storage(c10::Storage::use_byte_size_t(), 0, at::DataPtr(nullptr, device_)),
                            output.prototype, 0);
  }
  groupSmallBlocks();
}

// A row shares the block's memory, but holds no lease of it.
void GraphOutputs::groupSmallBlocks() {
  Tensors rows(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (!block.sparse)
      rows[i] = rowOver(*block.memory, block.begin, block.end, rowWidth(block.begin, block.end));
  }
  for (auto& blocks : smallGroups(rows)) {
    Group group{std::move(blocks), {}};
    for (const std::size_t i : group.blocks) {
      blocks_[i].isInGroup = true;
      group.rows.push_back(rows[i]);
    }
    groups_.push_back(std::move(group));
  }
}

// Sixteen bytes hold any element, so that views of every dtype can count from the begin; and what is whole
// rows of eight is copied fast, however odd the last row of a padded product is.
void GraphOutputs::addFresh(const at::Tensor& output) {
  const bool isSparse = cheapestCopy(output) == CopyBy::Elements;
  std::size_t begin = firstByte(output), end = begin + extentBytes(output);
  if (!isSparse && begin < end) {
    begin = begin / kAlignment * kAlignment;
    end = std::min(output.storage().nbytes(), (end + kAlignment - 1) / kAlignment * kAlignment);
  }
  const auto known = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    return block.memory->unsafeGetStorageImpl() == output.storage().unsafeGetStorageImpl();
  });
  const auto index = static_cast<std::size_t>(known - blocks_.begin());
  outputs_.push_back({From::Block, index, output.storage_offset(), output});
  if (known == blocks_.end()) {
    blocks_.push_back({std::make_shared<c10::Storage>(output.storage()), begin, end,
                       isSparse ? std::optional(output) : std::nullopt});
    return;
  }
  known->begin = std::min(known->begin, begin) / kAlignment * kAlignment;
  known->end = std::max(known->end, end);
  known->sparse.reset();
}

bool GraphOutputs::isFree() const {
  const bool isFree = std::all_of(blocks_.begin(), blocks_.end(),
                                  [](const Block& block) { return block.memory.use_count() == 1; });
  // What the last holder did before it let go has happened.
  std::atomic_thread_fence(std::memory_order_acquire);
  return isFree;
}

// A storage of its own for each lease: a caller who resizes it gets other memory, and the graph keeps this.
c10::Storage GraphOutputs::leaseOf(const Block& block) const {
  auto* lease = new std::shared_ptr<c10::Storage>(block.memory);
  const auto end = [](void* context) { delete static_cast<std::shared_ptr<c10::Storage>*>(context); };
  auto* data = static_cast<char*>(block.memory->mutable_data()) + block.begin;
  return c10::Storage(c10::Storage::use_byte_size_t(), block.end - block.begin,
                      at::DataPtr(data, lease, end, device_), &gpuAllocator(), /*resizable=*/true);
}

void GraphOutputs::copyTo(const std::vector<c10::Storage>& to, cudaStream_t stream) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.sparse) {
      over(to[i], *block.sparse, 0).copy_(*block.sparse);
    } else if (!block.isInGroup) {
      copyBytes(to[i].mutable_data(), static_cast<const char*>(block.memory->data()) + block.begin,
                block.end - block.begin, stream);
    }
  }
  for (const Group& group : groups_) {
    Tensors copies;
    copies.reserve(group.blocks.size());
    for (const std::size_t i : group.blocks) copies.push_back(over(to[i], group.rows[copies.size()], 0));
    copyTogether(copies, group.rows);
  }
}

// An element-wise kernel that changes nothing, whatever the bits say.
void GraphOutputs::recordCopiesTo(const std::vector<c10::Storage>& to) const {
  const at::AutoDispatchBelowADInplaceOrView belowAutograd;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.sparse) {
      over(to[i], *block.sparse, 0).copy_(*block.sparse);
    } else if (block.begin < block.end) {
      const std::int64_t width = rowWidth(block.begin, block.end);
      at::Tensor copy = rowOver(to[i], 0, block.end - block.begin, width);
      at::bitwise_or_out(copy, rowOver(*block.memory, block.begin, block.end, width), 0);
    }
  }
}

// The allocator then waits for the stream before it gives the memory to others, when the graph is gone.
void GraphOutputs::noteReader(const c10::Stream& stream) {
  if (readOn_ == stream) return;
  c10::DeviceAllocator& allocator = gpuAllocator();
  for (const Block& block : blocks_) allocator.recordStream(block.memory->data_ptr(), stream);
  readOn_ = stream;
}

std::vector<c10::Storage> GraphOutputs::freshMemory() const {
  std::vector<c10::Storage> memory;
  memory.reserve(blocks_.size());
  for (const Block& block : blocks_) {
    const std::size_t bytes = block.end - block.begin;
    memory.push_back(c10::Storage(c10::Storage::use_byte_size_t(), bytes, gpuAllocator().allocate(bytes),
                                  &gpuAllocator(), /*resizable=*/true));
  }
  return memory;
}

std::vector<c10::Storage> GraphOutputs::lease(const c10::Stream& stream) {
  noteReader(stream);
  std::vector<c10::Storage> memory;
  memory.reserve(blocks_.size());
  for (const Block& block : blocks_) memory.push_back(leaseOf(block));
  return memory;
}

std::vector<std::size_t> GraphOutputs::blockBytes() const {
  std::vector<std::size_t> bytes;
  bytes.reserve(blocks_.size());
  for (const Block& block : blocks_) bytes.push_back(block.end - block.begin);
  return bytes;
}

Tensors GraphOutputs::resultsIn(const std::vector<c10::Storage>& memory, const Tensors& inputs) const {
  Tensors results;
  results.reserve(outputs_.size());
  for (const Output& output : outputs_) results.push_back(make(output, memory, inputs));
  return results;
}

at::Tensor GraphOutputs::make(const Output& output, const std::vector<c10::Storage>& memory,
                              const Tensors& inputs) const {
  const at::Tensor& like = output.prototype;
  switch (output.from) {
    case From::Block:
      return over(memory[output.index], like, output.offset);
    case From::Input:
      return inputs[output.index];
    case From::ViewOfInput:
      break;
    // A weight itself, which only a call without gradients can get; a view of it is made anew each time.
    case From::Module:
      return like.requires_grad() ? like : like.alias();
  }
  const at::Tensor& input = inputs[output.index];
  return input.as_strided(like.sizes(), like.strides(), input.storage_offset() + output.offset);
}

}  // namespace kadvise
