#include "kernels/graph_runner/saved_module.h"

#include <caffe2/serialize/read_adapter_interface.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstring>

namespace kadvise {
namespace {

class BytesOfTensor final : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit BytesOfTensor(at::Tensor bytes) : bytes_(bytes.contiguous()) {}

  std::size_t size() const override { return static_cast<std::size_t>(bytes_.numel()); }

  std::size_t read(std::uint64_t position, void* to, std::size_t count, const char*) const override {
    if (position >= size()) return 0;
    count = std::min(count, size() - static_cast<std::size_t>(position));
    std::memcpy(to, static_cast<const char*>(bytes_.const_data_ptr()) + position, count);
    return count;
  }

 private:
  at::Tensor bytes_;
};

}  // namespace

torch::jit::Module moduleFromBytes(const at::Tensor& bytes, std::optional<c10::Device> device) {
  return torch::jit::load(std::make_shared<BytesOfTensor>(bytes), device);
}

at::Tensor bytesOfModule(const torch::jit::Module& module) {
  auto* bytes = new std::vector<char>;
  const auto drop = [bytes](void*) { delete bytes; };
  try {
    torch::jit::ExportModule(module, [bytes](const void* data, std::size_t count) {
      const auto* first = static_cast<const char*>(data);
      bytes->insert(bytes->end(), first, first + count);
      return count;
    });
  } catch (...) {
    delete bytes;
    throw;
  }
  return at::from_blob(bytes->data(), {static_cast<std::int64_t>(bytes->size())}, drop, at::kByte);
}

}  // namespace kadvise
