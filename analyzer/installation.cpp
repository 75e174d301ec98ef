#include "analyzer/installation.h"

#include <unistd.h>

#include <string>
#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;

fs::path ownFolder() {
  std::error_code ec;
  fs::path self = fs::read_symlink("/proc/self/exe", ec);
  if (ec) throw Error("/proc/self/exe", "cannot be read: " + ec.message());
  return self.parent_path();
}

Installation findInstallation(const fs::path& programFolder, const fs::path& engines) {
  std::error_code ec;
  Installation out;
  fs::path prefix = programFolder.parent_path();
  fs::path installed = prefix / "libexec" / "kadvise";
  out.engines = !fs::exists(programFolder / "kadvise-graph", ec) && fs::is_directory(installed, ec)
                    ? installed
                    : programFolder;
  if (!engines.empty()) out.engines = fs::absolute(engines).lexically_normal();
  if (fs::path rules = prefix / "share" / "kadvise" / "rules"; fs::is_directory(rules, ec)) out.rules = rules;
  for (auto& place : {prefix, out.engines / "..", out.engines / ".." / ".."}) {
    fs::path library = (place / "lib" / "libkadvise_kernels.so").lexically_normal();
    if (out.kernelLibrary.empty() && fs::exists(library, ec)) out.kernelLibrary = library;
  }
  return out;
}

fs::path engineProgram(const fs::path& engines, const char* name) {
  fs::path program = engines / name;
  if (::access(program.c_str(), X_OK) != 0)
    throw Error(name,
                "is not in " + engines.string() + "; build or install it, or name its folder with --engines");
  return program;
}

}  // namespace kadvise
