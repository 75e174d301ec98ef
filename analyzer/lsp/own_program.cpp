#include "analyzer/lsp/own_program.h"

#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;

Program kadviseIn(const fs::path& folder, const std::vector<std::string>& arguments) {
  Program out("/usr/bin/env");
  out.arguments = {"--chdir=" + folder.string(), fs::read_symlink("/proc/self/exe").string()};
  out.arguments.insert(out.arguments.end(), arguments.begin(), arguments.end());
  return out;
}

fs::path pathFrom(const std::string& text) {
  return text.rfind("file:", 0) == 0 ? pathOf(text) : fs::path(text);
}

}  // namespace kadvise::lsp
