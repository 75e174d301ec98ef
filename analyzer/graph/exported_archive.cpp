#include "analyzer/graph/exported_archive.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include "analyzer/core/error.h"
#include "analyzer/core/foreign_json.h"
#include "analyzer/graph/archive_storages.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/tensor_bounds.h"

namespace kadvise::graph {
namespace {

constexpr int kSchemaMajor = 8, kSchemaMinor = 17;  // that of torch 2.11
constexpr int kArchiveVersion = 0;
constexpr std::int64_t kStrided = 7;  // the schema's number for dense tensors

constexpr std::pair<std::int64_t, c10::ScalarType> kDtypes[] = {
    {1, at::kByte},
    {2, at::kChar},
    {3, at::kShort},
    {4, at::kInt},
    {5, at::kLong},
    {6, at::kHalf},
    {7, at::kFloat},
    {8, at::kDouble},
    {9, at::kComplexHalf},
    {10, at::kComplexFloat},
    {11, at::kComplexDouble},
    {12, at::kBool},
    {13, at::kBFloat16},
    {28, at::kUInt16},
    {29, at::kFloat8_e4m3fn},
    {30, at::kFloat8_e5m2},
    {31, at::kFloat8_e4m3fnuz},
    {32, at::kFloat8_e5m2fnuz},
};

std::string trimmed(std::string s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.pop_back();
  return s;
}

std::int64_t size(const Json& j) { return j.at("as_int").get<std::int64_t>(); }

std::vector<std::int64_t> sizes(const Json& list) {
  std::vector<std::int64_t> out;
  for (auto& j : list) out.push_back(size(j));
  return out;
}

}  // namespace

bool isExportedProgram(const Archive& archive) {
  if (archive.has("archive_format")) return true;
  for (auto& e : archive.entries)
    if (e.name == "serialized_exported_program.json") return true;
  return false;
}

c10::ScalarType dtypeOfSchema(std::int64_t number) {
  for (auto& [known, dtype] : kDtypes)
    if (known == number) return dtype;
  throw Error(
      "", "holds tensors of the dtype number " + std::to_string(number) + ", which kadvise does not know");
}

ExportedArchive::ExportedArchive(const std::string& path) : path_(path), reader_(path) {
  checkVersions();
  chooseProgram();
  auto& version = program_.at("schema_version");
  int major = version.at("major").get<int>(), minor = version.at("minor").get<int>();
  auto written = program_.value("torch_version", "an unknown version");
  if (major != kSchemaMajor)
    throw Error(path, "is an exported program of schema " + std::to_string(major) + " (torch " + written +
                          "); kadvise reads schema " + std::to_string(kSchemaMajor) +
                          ": export it again with torch 2.6 to 2.11");
  if (minor > kSchemaMinor)
    notes_.push_back("the exported program is of schema " + std::to_string(major) + "." +
                     std::to_string(minor) + " (torch " + written + "), newer than the " +
                     std::to_string(kSchemaMajor) + "." + std::to_string(kSchemaMinor) +
                     " that this kadvise was made for: what is new in it may be overlooked");
  weights_ = json("data/weights/" + name_ + "_weights_config.json").at("config");
  constants_ = json("data/constants/" + name_ + "_constants_config.json").at("config");
}

void ExportedArchive::checkVersions() {
  if (!reader_.hasRecord("archive_format"))
    throw Error(path_, "was written by torch.export.save before torch 2.8; load it there and save it again");
  if (trimmed(text("archive_format")) != "pt2")
    throw Error(path_, "is not an exported program (its format is not pt2)");
  auto version = reader_.hasRecord("archive_version") ? trimmed(text("archive_version")) : "0";
  if (version != std::to_string(kArchiveVersion))
    throw Error(path_, "is an archive of version " + version +
                           ", newer than kadvise reads; save it with torch 2.11 or older");
  if (reader_.hasRecord("byteorder") && trimmed(text("byteorder")) != "little")
    throw Error(path_, "was written on a big-endian machine; save it again on this one");
}

void ExportedArchive::chooseProgram() {
  std::vector<std::string> names;
  bool compiled = false;
  for (auto& record : reader_.getAllRecords()) {
    compiled = compiled || record.rfind("data/aotinductor/", 0) == 0;
    if (record.rfind("models/", 0) == 0 && record.ends_with(".json"))
      names.push_back(record.substr(7, record.size() - 7 - 5));
  }
  if (names.empty())
    throw Error(
        path_,
        compiled ? "holds compiled code only; give the program that it was compiled from (torch.export.save)"
                 : "holds no exported program; write one with torch.export.save");
  if (names.size() > 1)
    throw Error(
        path_, "holds several programs (" + names[0] + ", " + names[1] + "); save each to a file of its own");
  name_ = names[0];
  program_ = json("models/" + name_ + ".json");
}

std::string ExportedArchive::text(const std::string& record) {
  if (!reader_.hasRecord(record)) throw Error(path_, "is incomplete: it has no " + record);
  auto [bytes, count] = reader_.getRecord(record);
  return std::string(static_cast<const char*>(bytes.get()), count);
}

Json ExportedArchive::json(const std::string& record) {
  Json out = parseForeign(text(record));
  if (out.is_discarded()) throw Error(path_, "is damaged: " + record + " is not JSON");
  return out;
}

c10::Storage ExportedArchive::storage(const std::string& record, const std::string& name) {
  auto [known, fresh] = storages_.try_emplace(record);
  if (!fresh) return known->second;
  if (!reader_.hasRecord(record)) throw Error(path_, "is incomplete: the bytes of " + name + " are missing");
  auto [bytes, count] = reader_.getRecord(record);
  known->second = c10::Storage(c10::Storage::use_byte_size_t(), count, std::move(bytes),
                               /*allocator=*/nullptr, /*resizable=*/false);
  return known->second;
}

at::Tensor ExportedArchive::tensor(const Json& table, const std::string& name, const std::string& folder) {
  auto entry = table.find(name);
  if (entry == table.end()) throw Error(path_, "is incomplete: the tensor " + name + " is missing");
  auto record = folder + entry->at("path_name").get<std::string>();
  if (entry->value("use_pickle", false)) {
    auto bytes = text(record);
    requireWholeRecords(path_, bytes);
    auto value = torch::jit::pickle_load({bytes.begin(), bytes.end()});
    if (!value.isTensor())
      throw Error(path_,
                  "keeps " + name +
                      " as a tensor subclass, which only Python can read; export it with plain tensors");
    return value.toTensor().detach();
  }
  auto& meta = entry->at("tensor_meta");
  if (meta.at("layout").get<std::int64_t>() != kStrided)
    throw Error(path_, "holds the sparse tensor " + name + "; only dense tensors are read");
  auto dtype = dtypeOfSchema(meta.at("dtype").get<std::int64_t>());
  auto shape = sizes(meta.at("sizes")), strides = sizes(meta.at("strides"));
  auto offset = size(meta.at("storage_offset"));
  auto bytes = storage(record, name);
  if (auto why = whyOutOfBounds(shape, strides, offset, c10::elementSize(dtype), bytes.nbytes());
      !why.empty())
    throw Error(path_, "is damaged: the tensor " + name + " " + why);
  auto& device = meta.at("device");
  if (savedDevice_ == "cpu" && device.at("type") == "cuda")
    savedDevice_ = "cuda:" + std::to_string(device.at("index").is_null() ? 0 : device.at("index").get<int>());
  return at::empty({0}, at::TensorOptions(dtype)).set_(bytes, offset, shape, strides);
}

at::Tensor ExportedArchive::weight(const std::string& name) {
  return tensor(weights_, name, "data/weights/");
}

// A buffer that is not persistent is kept with the constants.
at::Tensor ExportedArchive::constant(const std::string& name) {
  return tensor(constants_, name, "data/constants/");
}

c10::IValue ExportedArchive::samples() {
  auto record = "data/sample_inputs/" + name_ + ".pt";
  if (!reader_.hasRecord(record)) return {};
  auto bytes = text(record);
  try {
    requireWholeRecords(path_, bytes);
    return torch::jit::pickle_load({bytes.begin(), bytes.end()});
  } catch (const std::exception&) {
    return {};  // arguments of classes that only Python knows; others are then found in other ways
  }
}

}  // namespace kadvise::graph
