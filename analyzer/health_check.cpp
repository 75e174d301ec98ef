#include "analyzer/health_check.h"

#include <algorithm>

#include "analyzer/core/catalogue.h"
#include "analyzer/core/error.h"
#include "analyzer/installation.h"
#include "analyzer/lint/toolkit.h"
#include "analyzer/measure_run.h"
#include "analyzer/rule_selection.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrograms[] = {"kadvise-graph", "kadvise-measure"};
constexpr const char* kEssential[] = {"kadvise-graph", "kadvise-measure", "rule pages", "LibTorch"};

HealthLine programLine(const Installation& installation, const char* name) {
  try {
    return {name, "ok", engineProgram(installation.engines, name).string(), ""};
  } catch (const Error& e) {
    return {name, "problem", e.reason, "./dev build, or --engines FOLDER"};
  }
}

// Without it modules are read all the same.
HealthLine sourceLine(const Installation& installation) {
  try {
    std::string program = engineProgram(installation.engines, "kadvise-source").string();
    auto toolkit = findToolkit({});
    std::string headers =
        toolkit.empty() ? "kadvise's own headers of CUDA" : "headers of " + toolkit.string();
    return {"source lint (Clang)", "ok", program + ", with " + headers, ""};
  } catch (const Error&) {
    return {"source lint (Clang)", "lost", "not built: this kadvise reads modules only",
            "install llvm-19-dev, libclang-19-dev and libclang-cpp19-dev, then ./dev build"};
  }
}

HealthLine pagesLine(const Installation& installation, const AssistantOptions& options) {
  if (installation.rules.empty())
    return {"rule pages", "problem", "there are none beside kadvise",
            "install kadvise whole, or name a folder with --rules"};
  try {
    auto book = loadCatalogue(ruleFolders(installation, options.rules));
    auto pages = std::to_string(book.pages.size()) + " pages in " + installation.rules.string();
    if (book.errors.empty()) return {"rule pages", "ok", pages, ""};
    return {"rule pages", "problem", pages + ", of which some cannot be read: " + book.errors.front().what(),
            "kadvise rules test"};
  } catch (const Error& e) {
    return {"rule pages", "problem", e.what(), "install kadvise whole"};
  }
}

HealthLine kernelsLine(const Installation& installation) {
  if (installation.kernelLibrary.empty())
    return {"kernel library", "lost",
            "libkadvise_kernels.so is not beside kadvise; replacements of level 5 are left out",
            "./dev build, or install kadvise whole"};
  return {"kernel library", "ok", installation.kernelLibrary.string(), ""};
}

// An engine that cannot even start says so in the same words as in a run.
void addMeasured(Report& report, const AssistantOptions& options, std::vector<HealthLine>& lines) {
  Subject none;
  none.device = "auto";
  MeasureRun run(options, none, report);
  if (run.open()) {
    if (auto done = run.ask("doctor", Json::object(), "looking at the machine"))
      for (auto& line : done->at("health")) lines.push_back(line.get<HealthLine>());
  }
  for (auto& e : report.errors)
    lines.push_back({"LibTorch", "problem", e.what,
                     "check torch with `python3 -c 'import torch'` and the libraries that it names"});
  report.errors.clear();
}

}  // namespace

bool isUsable(const std::vector<HealthLine>& lines) {
  return std::none_of(lines.begin(), lines.end(), [](const HealthLine& l) {
    bool isEssential =
        std::any_of(std::begin(kEssential), std::end(kEssential), [&](auto* name) { return l.name == name; });
    return isEssential && l.status != "ok";
  });
}

Report checkHealth(const AssistantOptions& options) {
  Report report;
  report.tool = {"kadvise", KADVISE_VERSION};
  report.command = options.command;
  report.whole.reason = "not compared: the machine was looked at";
  auto installation = findInstallation(ownFolder(), options.engines);
  std::vector<HealthLine> lines;
  bool areProgramsThere = true;
  for (auto* name : kPrograms) {
    lines.push_back(programLine(installation, name));
    areProgramsThere &= lines.back().status == "ok";
  }
  lines.push_back(pagesLine(installation, options));
  lines.push_back(kernelsLine(installation));
  if (areProgramsThere) addMeasured(report, options, lines);
  lines.push_back(sourceLine(installation));
  report.health = std::move(lines);
  return report;
}

}  // namespace kadvise
