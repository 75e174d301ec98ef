#include "analyzer/installation.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "analyzer/core/error.h"

// In a program of somebody else that links the package: its CMake file defines it.
extern "C" __attribute__((weak)) const char* kadviseEnginesOfPackage();

namespace kadvise {
namespace fs = std::filesystem;

namespace {

// The folders of the file that are there, as LD_LIBRARY_PATH has them. A colon in a name would make two of
// it.
std::string libraryPathOf(const fs::path& file) {
  std::string out, line;
  std::error_code ec;
  for (std::ifstream in(file); std::getline(in, line);)
    if (!line.empty() && line.front() == '/' && line.find(':') == std::string::npos &&
        fs::is_directory(line, ec))
      out += (out.empty() ? "" : ":") + line;
  return out;
}

}  // namespace

std::string missingLibrary(const fs::path& log) {
  const std::string mark = "error while loading shared libraries: ";
  std::string line;
  for (std::ifstream in(log, std::ios::binary); std::getline(in, line);)
    if (auto at = line.find(mark); at != std::string::npos) {
      std::string rest = line.substr(at + mark.size());
      return rest.substr(0, rest.find(':'));
    }
  return "";
}

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
  out.engines = !fs::exists(programFolder / "kadvise-graph", ec) &&
                        !fs::exists(programFolder / "kadvise-source", ec) && fs::is_directory(installed, ec)
                    ? installed
                    : programFolder;
  if (kadviseEnginesOfPackage) out.engines = kadviseEnginesOfPackage();
  if (!engines.empty()) out.engines = fs::absolute(engines).lexically_normal();
  out.libraryPath = libraryPathOf(out.engines / "library-path");
  for (auto& place : {prefix, out.engines / "..", out.engines / ".." / ".."}) {
    fs::path rules = (place / "share" / "kadvise" / "rules").lexically_normal();
    if (out.rules.empty() && fs::is_directory(rules, ec)) out.rules = rules;
    fs::path headers = (place / "share" / "kadvise" / "headers").lexically_normal();
    if (out.headers.empty() && fs::is_directory(headers, ec)) out.headers = headers;
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
