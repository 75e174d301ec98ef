#include "analyzer/source/lint_file.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/file_record.h"

namespace kadvise::source {
namespace {

constexpr int kDefaultArch = 90;

Tier tierFor(const LintSettings& settings, const CompileCommand& command) {
  bool hasToolkit = !settings.headers.toolkit.empty() || !command.toolkit.empty();
  return settings.choice != HeaderChoice::Stub && hasToolkit ? Tier::Toolkit : Tier::Stub;
}

void countKernels(const Unit& unit, LintResult& out) {
  for (auto* f : unit.deviceFunctions) {
    if (!isKernel(*f)) continue;
    ++out.kernels;
    out.brokenKernels += f->isInvalidDecl();
  }
}

ParseRequest requestFor(const LintSettings& settings, const LintInput& input) {
  ParseRequest out;
  out.file = input.file;
  out.text = input.text;
  if (input.command) out.command = *input.command;
  out.language = out.command.forCuda ? Language::Cuda : languageOf(input.file, input.text);
  out.headers = settings.headers;
  if (out.headers.toolkit.empty()) out.headers.toolkit = out.command.toolkit;
  out.tier = tierFor(settings, out.command);
  out.surroundings = &input.surroundings;
  out.arch = settings.arch ? settings.arch : out.command.arch ? out.command.arch : kDefaultArch;
  return out;
}

}  // namespace

LintResult lintFile(const RuleBook& book, const LintSettings& settings, const LintInput& input) {
  LintResult out;
  Findings findings;
  ParseRequest request = requestFor(settings, input);
  out.tier = request.tier;
  out.parsed = parse(request, [&](const Unit& unit) {
    Analyses analyses(unit);
    book.run(analyses, findings);
    countKernels(unit, out);
    out.record = recordOf(analyses);
  });
  // What the device pass does not see is host code that only the host pass compiles.
  if (request.language == Language::Cuda && input.text.find("__CUDA_ARCH__") != std::string::npos) {
    request.pass = Pass::Host;
    parse(request, [&](const Unit& unit) {
      Analyses analyses(unit);
      book.run(analyses, findings);
      addHostPass(recordOf(analyses), out.record);
    });
  }
  Suppressions suppressions = Suppressions::read(input.text);
  out.findings = findings.fold(suppressions, input.lines);
  out.suppressed = suppressions.used();
  if (input.lines.empty()) out.unusedSuppressions = suppressions.unused(book.ids());
  return out;
}

}  // namespace kadvise::source
