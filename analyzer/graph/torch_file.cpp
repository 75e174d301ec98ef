#include "analyzer/graph/torch_file.h"

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/archive_storages.h"
#include "analyzer/graph/code_depth.h"
#include "analyzer/graph/exported_archive.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_hint.h"
#include "analyzer/graph/tensor_bounds.h"

namespace kadvise::graph {
namespace {

// LibTorch does not look at checksums. Code and structure are small and always checked; of weights a changed
// bit is noticed in small files only, since reading all of a large one costs more than the analysis.
constexpr std::uint64_t kCheckedWhole = 64u << 20;
constexpr std::uint64_t kSmallEntry = 1u << 20;

std::uint64_t largestEntryBytes(const Archive& archive) {
  std::uint64_t largest = 0;
  for (auto& e : archive.entries) largest = std::max(largest, e.bytes);
  return largest;
}

std::string withoutFolder(const std::string& name) {
  auto slash = name.find('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

using Records = caffe2::serialize::PyTorchStreamReader;

void requireChecksums(const std::string& path, const Archive& archive, Records& reader) {
  for (auto& e : archive.entries) {
    if (e.crc == 0 || (archive.fileBytes > kCheckedWhole && e.bytes > kSmallEntry)) continue;
    auto name = withoutFolder(e.name);
    if (name.empty() || !reader.hasRecord(name)) continue;
    auto [bytes, count] = reader.getRecord(name);
    if (crc32(bytes.get(), count) != e.crc)
      throw Error(path,
                  "is damaged: the checksum of its entry " + name + " is wrong; copy or save the file again");
  }
}

void requireShallowCode(const std::string& path, Records& reader) {
  for (auto& record : reader.getAllRecords()) {
    if (!record.starts_with("code/") || !record.ends_with(".py")) continue;
    auto [bytes, count] = reader.getRecord(record);
    if (isTooDeep({static_cast<const char*>(bytes.get()), count}))
      throw Error(path, "has code that is nested deeper than torch.jit.save writes it (" + record + ")");
  }
}

std::string unknownName(const std::string& text, const std::string& mark) {
  auto at = text.find(mark);
  if (at == std::string::npos) return "";
  auto from = at + mark.size();
  auto name = text.substr(from, text.find_first_of(" \n'\"", from) - from);
  while (!name.empty() && (name.back() == '.' || name.back() == ':' || name.back() == ',')) name.pop_back();
  return name;
}

std::string whyNotLoaded(const std::exception& e) {
  std::string text = e.what();
  if (auto op = unknownName(text, "Unknown builtin op: "); !op.empty())
    return "uses the operator " + op + ", " + whoRegisters(op);
  if (auto type = unknownName(text, "Unknown type name '__torch__.torch.classes."); !type.empty())
    return "uses the class " + type +
           ", which no loaded library registers; name the library that does with --op-library";
  if (text.find("maximum supported version") != std::string::npos)
    return "was written by a newer torch than the 2.11 that kadvise was built with; save it with torch 2.11 "
           "or older";
  if (text.find("unpickling") != std::string::npos)
    return "is damaged: its structure (data.pkl) cannot be read";
  if (text.find("hasRecord(\"version\")") != std::string::npos)
    return "is incomplete: it has no entry \"version\"; save it again with torch.jit.save";
  if (text.find("reading zip archive") != std::string::npos ||
      text.find("not in a subdirectory") != std::string::npos)
    return "is a damaged zip archive; copy or save the file again";
  if (text.find("INTERNAL ASSERT") != std::string::npos)
    return "is damaged: its code or structure is not what torch.jit.save writes";
  return "cannot be loaded: " + briefly(e);
}

// What somebody who saved the wrong thing needs to hear.
std::string whyNoModule(const Archive& archive) {
  if (archive.has("model.json"))
    return "was written by a torch older than 1.4; load it with torch 1.4 to 2.11 and save it again";
  bool code = archive.has("constants.pkl") ||
              std::any_of(archive.entries.begin(), archive.entries.end(),
                          [](auto& e) { return e.name.find("/code/") != std::string::npos; });
  if (code && archive.has("data.pkl")) return "";
  if (archive.has("data.pkl"))
    return "holds no TorchScript code (weights, or a pickled module?); make a module with torch.jit.trace or "
           "torch.jit.script and save it "
           "with torch.jit.save, or export it with torch.export.save";
  return "is a zip archive, but not one that torch.jit.save or torch.export.save wrote";
}

}  // namespace

Archive checkedTorchFile(const std::string& path) {
  auto archive = readArchiveDirectory(path);
  if (auto why = isExportedProgram(archive) ? "" : whyNoModule(archive); !why.empty()) throw Error(path, why);
  try {
    Records reader(path);
    requireChecksums(path, archive, reader);
    requireWholeRecords(path, reader);
    requireShallowCode(path, reader);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(path, whyNotLoaded(e));
  }
  return archive;
}

jit::Module loadTorchScript(const std::string& path, const Archive& archive) {
  try {
    auto module = torch::jit::load(path, c10::Device(c10::kCPU));
    requireTensorsInBounds(path, module, largestEntryBytes(archive));
    module.eval();
    return module;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(path, whyNotLoaded(e));
  }
}

}  // namespace kadvise::graph
