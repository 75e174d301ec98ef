// The storages that an archive's pickles declare, held against the records that their bytes come from:
// LibTorch makes a storage as large as the pickle says around a record of any length, and reads on behind its
// end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct DeclaredStorage {
  std::string key;  // the record below the pickle's own folder
  std::uint64_t bytes = 0;
  std::string device;  // "cuda:0"
};

// Follows the pickle's opcodes as LibTorch's reader does, without making any object. None for what that
// reader does not know, and for a storage that is named in another way than torch names them.
std::optional<std::vector<DeclaredStorage>> declaredStorages(std::string_view pickle);

// Looks at data.pkl and constants.pkl; weights are not read. Throws Error(path).
void requireWholeRecords(const std::string& path, caffe2::serialize::PyTorchStreamReader&);

// The same for what torch.save made of a value, given whole.
void requireWholeRecords(const std::string& path, const std::string& pickled);

// The widest number of a trace: int64 or float64.
constexpr std::uint64_t kBytesOfNumber = 8;

// Which tensors of an archive are said to lie on a device: all of them; all but the constants of its code
// that hold one number, as a trace keeps those of the host; all but its constants; or others.
enum class LiesThere { All, AllButNumbers, AllButConstants, Others };
LiesThere whatLiesOn(const std::string& path, const std::string& device);

}  // namespace kadvise::graph
