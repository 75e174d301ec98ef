// What `kadvise lint` is asked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kadvise {

struct LintOptions {
  std::vector<std::string> paths;  // files and folders; empty: the working folder
  std::vector<std::string> extendSelect, exclude;
  bool forceExclude = false;             // what exclude names is left out even where it is named as a path
  std::optional<std::string> stdinFile;  // the name that the text on standard input goes by

  bool fix = false, unsafeFixes = false, diff = false;
  std::string diffBase;  // a git revision: only lines that changed since; "": all
  std::filesystem::path writeBaseline;

  std::string headers = "auto";  // auto, stub, toolkit
  int arch = 0;                  // 90; 0: as the build says, else 90
  std::string gpu;               // of that architecture, as it was named: "RTX 4090"; "": any
  std::filesystem::path toolkit, torch, compileCommands;

  int jobs = 0;  // 0: the processors of the machine
  bool noCache = false;
  std::filesystem::path cacheFolder;  // "": the user's

  std::string format = "text", outputFile;
  bool statistics = false, exitZero = false;
  std::string explain;  // a rule
};

}  // namespace kadvise
