#include "analyzer/subject_check.h"

#include <unistd.h>

#include <system_error>

#include "analyzer/core/device_word.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/input_spec.h"
#include "analyzer/core/json.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

void requireFile(const fs::path& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string(), "no such file");
  if (fs::is_directory(path, ec))
    throw Error(path.string(), "is a folder; name a TorchScript module (.pt) or an exported program (.pt2)");
  if (!fs::is_regular_file(path, ec)) throw Error(path.string(), "is not a regular file");
  if (::access(path.c_str(), R_OK) != 0) throw Error(path.string(), "cannot be read (permissions)");
}

bool isSource(const fs::path& path) {
  for (const char* e : {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".c"})
    if (path.extension() == e) return true;
  return false;
}

// A tensor's form, or a number, bool, string or list as JSON writes it.
void checkInput(const std::string& text) {
  bool literal = !Json::parse(text, nullptr, /*allow_exceptions=*/false).is_discarded();
  if (literal) return;
  if (text.find('[') != std::string::npos && text.find(']') == std::string::npos)
    throw Error("input \"" + text + "\"",
                "the closing ] is missing; write for example float32[4,128,512] or int64[2,128]<1000");
  parseInputSpec(text);
}

}  // namespace

Subject checked(const Subject& s) {
  if (s.path.empty()) throw Error("", "no module is named");
  if (s.path.extension() == ".py")
    throw Error(s.path.string(),
                "is Python; name a TorchScript module (.pt), as torch.jit.trace or .script saves");
  if (isSource(s.path))
    throw Error(s.path.string(), "is a source, not a TorchScript module (.pt); `kadvise lint " +
                                     s.path.string() + "` reads sources");
  if (!s.sources.empty())
    throw Error(s.sources.front().string(), "sources beside a module are not supported yet");
  if (!s.dtype.empty()) throw Error("dtype", "another dtype is not supported yet; save the module in it");
  requireFile(s.path);
  if (!s.inputs.empty() && !s.inputsFile.empty())
    throw Error("inputs", "give either --input or --inputs, not both");
  for (auto& text : s.inputs) checkInput(text);
  if (!s.inputsFile.empty()) requireFile(s.inputsFile);
  for (auto& library : s.opLibraries) requireFile(library);
  if (!isDeviceWord(s.device))
    throw Error("device \"" + s.device + "\"", "is not one of auto, cpu, cuda, cuda:N");
  return s;
}

std::string flatInputsRemedy(bool hasSamples) {
  return std::string(
             "; of an exported program each tensor in a list or dict is an input of its own, in their "
             "order") +
         (hasSamples ? "; or leave out --input and --inputs, as the file has samples" : "");
}

void checkOutput(const Subject& s, const fs::path& output) {
  std::error_code ec;
  fs::path folder = fs::absolute(output).parent_path();
  if (fs::is_directory(output, ec)) throw Error(output.string(), "is a folder; name the file to write");
  if (isStream(output)) throw Error(output.string(), "is no file; name the file to write");
  if (!fs::is_directory(folder, ec)) throw Error(output.string(), "its folder does not exist");
  if (::access(folder.c_str(), W_OK) != 0) throw Error(output.string(), "its folder cannot be written");
  if (output.extension() == ".pt2")
    throw Error(output.string(),
                "would be an exported program, and kadvise writes TorchScript modules; name it .pt");
  if (fs::equivalent(s.path, output, ec))
    throw Error(output.string(), "is the module itself; write the optimised one beside it");
}

}  // namespace kadvise
