// Where the parts of kadvise are, found relative to the program that runs.
#pragma once

#include <filesystem>
#include <string>

namespace kadvise {

struct Installation {
  std::filesystem::path engines;        // folder of kadvise-graph, kadvise-measure and kadvise-source
  std::filesystem::path rules;          // folder of the bundled rule pages; "" when there is none
  std::filesystem::path headers;        // folder of our own declarations of CUDA; "" when there is none
  std::filesystem::path kernelLibrary;  // libkadvise_kernels.so; "" when there is none
  std::string libraryPath;  // where the engines' libraries (torch's) are, when their own RUNPATH does not say
};

// programFolder: of kadvise. Engines are looked for in it, then in ../libexec/kadvise; pages in
// ../share/kadvise/rules; the library in ../lib. A build tree has the same shape. The user may name another
// folder of engines ("" for none): pages and library are then looked for beside those too.
// The file library-path beside the engines has one folder of libraries a line.
Installation findInstallation(const std::filesystem::path& programFolder,
                              const std::filesystem::path& engines = {});
std::filesystem::path ownFolder();

// The library that a program's log says the dynamic loader did not find; "" when it says no such thing.
std::string missingLibrary(const std::filesystem::path& log);

// The engine's program; Error says where it was looked for.
std::filesystem::path engineProgram(const std::filesystem::path& engines, const char* name);

}  // namespace kadvise
