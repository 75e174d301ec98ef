#include "profiler/value_archive.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <fstream>
#include <vector>

namespace kadvise {

void writeArchive(const std::filesystem::path& path, const c10::IValue& value) {
  std::vector<char> pickled;
  torch::jit::Pickler pickler(
      [&](const char* bytes, std::size_t size) { pickled.insert(pickled.end(), bytes, bytes + size); });
  pickler.protocol();
  pickler.pushIValue(value);
  pickler.stop();

  std::ofstream out;
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out.open(path, std::ios::binary);
  {
    caffe2::serialize::PyTorchStreamWriter writer([&](const void* bytes, std::size_t size) {
      out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
      return size;
    });
    torch::jit::writeArchiveAndTensors("data", pickled.data(), pickled.size(), pickler.tensorData(), writer);
    writer.writeEndOfFile();
  }
  out.close();
}

c10::IValue readArchive(const std::filesystem::path& path) {
  caffe2::serialize::PyTorchStreamReader reader(path.string());
  return torch::jit::readArchiveAndTensors("data", /*pickle_prefix=*/"", /*tensor_prefix=*/"",
                                           /*type_resolver=*/std::nullopt, /*obj_loader=*/std::nullopt,
                                           /*device=*/std::nullopt, reader);
}

}  // namespace kadvise
