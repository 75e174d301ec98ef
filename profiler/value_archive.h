// Values in the format of torch.save, tensor by tensor: gigabytes are in memory once.
#pragma once

#include <ATen/core/ivalue.h>

#include <filesystem>

namespace kadvise {

// Throws std::exception where the file cannot be written; what is there of it then is the caller's.
void writeArchive(const std::filesystem::path&, const c10::IValue&);

// Throws std::exception in LibTorch's words for what is no such file.
c10::IValue readArchive(const std::filesystem::path&);

}  // namespace kadvise
