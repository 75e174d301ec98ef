// The file that torch.export.save writes: a program as JSON, and the raw bytes of its tensors.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/core/archive.h"
#include "analyzer/core/json.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Whether the archive says that it holds an exported program, in this format or an older one.
bool isExportedProgram(const Archive&);

// The numbers of torch.export's schema are its own, not c10's. Throws Error for one that is not known.
c10::ScalarType dtypeOfSchema(std::int64_t number);

class ExportedArchive {
 public:
  // Throws Error for what kadvise cannot read: another format, a newer schema, several programs.
  explicit ExportedArchive(const std::string& path);

  const Json& program() const { return program_; }
  const std::string& savedDevice() const {
    return savedDevice_;
  }  // of the first tensor that is not on the CPU
  std::vector<std::string>& notes() { return notes_; }

  // A parameter or buffer by the user's name, a constant by the program's. Tensors that shared a storage
  // share it here.
  at::Tensor weight(const std::string& name);
  at::Tensor constant(const std::string& name);
  bool hasWeight(const std::string& name) const { return weights_.contains(name); }

  // The arguments the program was exported with: (args, kwargs), or None where the file has none that can be
  // read.
  c10::IValue samples();

 private:
  Json json(const std::string& record);
  std::string text(const std::string& record);
  void chooseProgram();
  void checkVersions();
  at::Tensor tensor(const Json& table, const std::string& name, const std::string& folder);
  c10::Storage storage(const std::string& record, const std::string& name);

  std::string path_, name_, savedDevice_ = "cpu";
  caffe2::serialize::PyTorchStreamReader reader_;
  Json program_, weights_, constants_;
  std::unordered_map<std::string, c10::Storage> storages_;  // by record
  std::vector<std::string> notes_;
};

}  // namespace kadvise::graph
