#include "analyzer/source/lint_file.h"

#include <llvm/Support/CrashRecoveryContext.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "analyzer/core/error.h"
#include "analyzer/source/arguments.h"
#include "analyzer/source/build_scripts.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/file_record.h"
#include "analyzer/source/guessed_folders.h"
#include "analyzer/source/known_headers.h"
#include "analyzer/source/later_standard.h"
#include "analyzer/source/launch_tokens.h"
#include "analyzer/source/narrow_arguments.h"
#include "analyzer/source/project_headers.h"

namespace kadvise::source {
namespace {

constexpr int kDefaultArch = 90;
constexpr int kMostIncluders = 3, kMostSearches = 3;

// Commands of a build on another machine name a toolkit that is not here: without its headers no kernel would
// be understood, with our own all are.
bool isToolkit(const std::filesystem::path& folder) {
  std::error_code ec;
  return !folder.empty() && std::filesystem::exists(folder / "include" / "cuda_runtime.h", ec);
}

// The bytes of the file from one to the other, both included.
using Span = std::pair<unsigned, unsigned>;

std::vector<Span> kernelsOf(const Unit& unit) {
  std::vector<Span> out;
  auto offset = [&](clang::SourceLocation l) {
    return unit.sources.getFileOffset(unit.sources.getExpansionLoc(l));
  };
  for (auto* f : unit.deviceFunctions)
    if (isKernel(*f)) out.push_back({offset(asWritten(f)->getBeginLoc()), offset(asWritten(f)->getEndLoc())});
  return out;
}

// Around an error the tree lacks what Clang did not understand.
int brokenOf(const std::vector<Span>& kernels, const std::vector<unsigned>& errors) {
  return static_cast<int>(std::count_if(kernels.begin(), kernels.end(), [&](auto& k) {
    return std::any_of(errors.begin(), errors.end(),
                       [&](unsigned e) { return e >= k.first && e <= k.second; });
  }));
}

ParseRequest requestFor(const LintSettings& settings, const LintInput& input) {
  ParseRequest out;
  out.file = input.file;
  out.text = input.text;
  if (input.command) out.command = *input.command;
  else out.wrapped = wrappedLibraries(input.file);
  out.language = out.command.forCuda ? Language::Cuda : languageOf(input.file, input.text);
  if (out.language == Language::Cuda) out.text = withWholeLaunchTokens(std::move(out.text));
  out.headers = settings.headers;
  out.preloads = settings.preloads;
  out.headers.isOfBuild = out.headers.toolkit.empty();
  if (out.headers.isOfBuild && isToolkit(out.command.toolkit)) out.headers.toolkit = out.command.toolkit;
  bool isReal = settings.choice != HeaderChoice::Stub && !out.headers.toolkit.empty();
  out.tier = isReal ? Tier::Toolkit : Tier::Stub;
  out.surroundings = &input.surroundings;
  out.arch = settings.arch ? settings.arch : out.command.arch ? out.command.arch : kDefaultArch;
  out.gpu = settings.gpu;
  return out;
}

// In places where the other pass has none.
int errorsOnlyOf(const ParseOutcome& host, const ParseOutcome& device) {
  auto& known = device.errorOffsets;
  return static_cast<int>(std::count_if(host.errorOffsets.begin(), host.errorOffsets.end(), [&](unsigned e) {
    return std::find(known.begin(), known.end(), e) == known.end();
  }));
}

void addNew(const std::vector<std::string>& from, std::vector<std::string>& to) {
  std::set<std::string> known(to.begin(), to.end());
  for (auto& one : from)
    if (known.insert(one).second) to.push_back(one);
}

// As many as leave the result one that is kept.
void addPlacesToCome(const std::filesystem::path& file, ParseOutcome& out) {
  if (out.searched.size() >= kMostSearched) return;
  addNew(placesToCome(file, out.missing), out.searched);
  out.searched.resize(std::min(out.searched.size(), kMostSearched - 1));
}

// The scripts of a build; of wrapped libraries none else says anything.
void addAsked(const AskedFiles& asked, ParseOutcome& out) {
  for (auto& file : asked.there) out.dependencies.push_back(file.string());
  for (auto& place : asked.searched) out.searched.push_back(place.string());
}

// What one way of reading a file gives.
struct Reading {
  ParseOutcome parsed;
  Findings findings;
  int kernels = 0, brokenKernels = 0, hostErrorCount = 0;
  SourceRecord record;
};

Reading readOnce(const RuleBook& book, ParseRequest request) {
  Reading out;
  std::vector<Span> kernels;
  out.parsed = parse(request, [&](const Unit& unit) {
    Analyses analyses(unit);
    kernels = kernelsOf(unit);
    out.record = recordOf(analyses);  // before the notes: what a file says of others is not hearsay
    noteGivenElsewhere(unit);
    book.run(analyses, out.findings);
  });
  out.kernels = static_cast<int>(kernels.size());
  out.brokenKernels = brokenOf(kernels, out.parsed.errorOffsets);
  // What the device pass does not see is host code that only the host pass compiles.
  if (request.language == Language::Cuda && request.text.find("__CUDA_ARCH__") != std::string::npos) {
    request.pass = Pass::Host;
    ParseOutcome host = parse(request, [&](const Unit& unit) {
      Analyses analyses(unit);
      addHostPass(recordOf(analyses), out.record);
      noteGivenElsewhere(unit);
      book.run(analyses, out.findings);
    });
    out.hostErrorCount = errorsOnlyOf(host, out.parsed);
    addNew(host.dependencies, out.parsed.dependencies), addNew(host.searched, out.parsed.searched);
  }
  return out;
}

bool isBetter(const Reading& next, const Reading& best) {
  return next.parsed.errorCount < best.parsed.errorCount && next.kernels >= best.kernels;
}

// A header that the system has, too, is the project's where that makes more sense of the file.
Reading readBeforeSystem(const RuleBook& book, ParseRequest& request) {
  Reading best = readOnce(book, request);
  if (!request.command.arguments.empty() || best.parsed.errorCount == 0 || best.parsed.hidden.empty())
    return best;
  ParseRequest more = request;
  more.first.assign(best.parsed.hidden.begin(), best.parsed.hidden.end());
  Reading next = readOnce(book, more);
  if (isBetter(next, best)) request = std::move(more), best = std::move(next);
  return best;
}

// Headers that are not where includes are looked for stand elsewhere in the project, and so may what these
// include.
Reading readWithHeaders(const RuleBook& book, ParseRequest& request) {
  Reading best = readBeforeSystem(book, request);
  for (int i = 0; i < kMostSearches && request.command.arguments.empty() && best.parsed.errorCount > 0; ++i) {
    auto folders = foldersOfHeaders(absoluteFile(request), best.parsed.missing);
    if (folders.empty()) break;
    ParseRequest more = request;
    more.found.insert(more.found.end(), folders.begin(), folders.end());
    Reading next = readOnce(book, more);
    if (next.parsed.errorCount > best.parsed.errorCount || next.kernels < best.kernels) break;
    request = std::move(more), best = std::move(next);
  }
  return best;
}

// Clang falls over some texts that are broken in C++20 and not in C++17: what a further reading costs must
// not be the one that is there. None where it does.
std::optional<Reading> readOnceMore(const RuleBook& book, const ParseRequest& request) {
  std::optional<Reading> out;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext().RunSafely([&] {
    try {
      out = readOnce(book, request);
    } catch (const Error&) {
      // Clang does not accept the arguments: the other reading is as good as there is.
    }
  });
  llvm::CrashRecoveryContext::Disable();
  return out;
}

// What only the scripts of a build say, the macros and a later C++ than ours, and headers that other files
// would bring, where it makes more sense of the file. A header that includes nothing of CUDA may stand in
// files that nvcc compiles, and kernels in what some builds compile as CUDA.
Reading readAsBuilt(const RuleBook& book, ParseRequest& request, const ScriptFlags& scripts) {
  bool isGuessed = request.command.arguments.empty();
  // Without these no error says what is left out.
  if (isGuessed) request.macros = scripts.macros.cudaTextFor(request.text);
  Reading best = readWithHeaders(book, request);
  if (!isGuessed) return best;
  auto retry = [&](auto change) {
    if (best.parsed.errorCount == 0) return;
    ParseRequest more = request;
    change(more);
    auto next = readOnceMore(book, more);  // with the folders that were found
    if (next && isBetter(*next, best)) request = std::move(more), best = std::move(*next);
  };
  if (!request.macros.empty()) retry([](ParseRequest& more) { more.macros.clear(); });
  if (!scripts.macros.isEmpty()) {
    // One that turns something on may need what is not here, and spoil the others.
    auto named = scripts.macros.textOf(namesIn(best.parsed.errors));
    retry([&](ParseRequest& more) { more.macros = scripts.macros.text(); });
    if (!named.empty()) retry([&](ParseRequest& more) { more.macros = named; });
  }
  if (auto includes = includesOf(namesIn(best.parsed.errors)); !includes.empty())
    retry([&](ParseRequest& more) { more.includes = includes; });
  if (scripts.isCxx20 || looksLikeCxx20(request.text))
    retry([](ParseRequest& more) { more.standard = "c++20"; });
  bool hasKernels = request.text.find("__global__") != std::string::npos;
  if (request.language == Language::Cxx && (hasKernels || isHeader(request.file)))
    retry([](ParseRequest& more) { more.language = Language::Cuda; });
  return best;
}

// A file that is not whole by itself is read behind what includes it, where that makes more sense of it; and
// what includes it may be such a part, too.
Reading readWhole(const RuleBook& book, ParseRequest request, const ScriptFlags& scripts) {
  Reading best = readAsBuilt(book, request, scripts);
  std::filesystem::path part = request.file;
  for (int i = 0; i < kMostIncluders && best.parsed.errorCount > 0; ++i) {
    auto before = textBefore(part);
    if (!before) break;
    part = before->includer;
    request.before.insert(request.before.begin(), std::move(*before));
    Reading behind = readOnce(book, request);
    if (!isBetter(behind, best)) continue;
    best = std::move(behind);
    for (auto& b : request.before) best.parsed.dependencies.push_back(b.includer.string());
  }
  return best;
}

// What stands here in place of the text, with what is said of it now.
Findings findingsBefore(const RuleBook& book, ParseRequest request, const ScriptFlags& scripts,
                        const std::string& text) {
  request.text = text;
  Findings out = readWhole(book, std::move(request), scripts).findings;
  Suppressions suppressions = Suppressions::read(text);
  out.suppress(suppressions);
  return out;
}

}  // namespace

LintResult lintFile(const RuleBook& book, const LintSettings& settings, const LintInput& input) {
  LintResult out;
  ParseRequest request = requestFor(settings, input);
  out.tier = request.tier;
  auto scripts = input.command ? ScriptFlags() : scriptFlags(input.file);
  auto makefile = input.command ? MakefileFlags() : makefileFlags(input.file);
  if (!makefile.isEmpty()) request.makefile = makefile;
  request.fastMath = scripts.fastMath;
  std::optional<Findings> before;
  if (input.lines && input.before) before = findingsBefore(book, request, scripts, *input.before);
  bool isGuessed = request.command.arguments.empty();
  auto file = absoluteFile(request);
  Reading reading = readWhole(book, std::move(request), scripts);
  out.kernels = reading.kernels, out.brokenKernels = reading.brokenKernels;
  out.hostErrorCount = reading.hostErrorCount;
  out.parsed = std::move(reading.parsed);
  addAsked(scripts.asked, out.parsed), addAsked(makefile.asked, out.parsed);
  if (isGuessed) addPlacesToCome(file, out.parsed);
  // What a build says in them changes without the database.
  if (input.command)
    for (auto& file : input.command->responseFiles) out.parsed.dependencies.push_back(file.string());
  out.record = std::move(reading.record);
  Suppressions suppressions = Suppressions::read(input.text);
  reading.findings.suppress(suppressions);
  if (input.lines) reading.findings.keepNew(*input.lines, before ? &*before : nullptr);
  out.findings = reading.findings.fold();
  out.suppressed = suppressions.used();
  if (!input.lines) out.unusedSuppressions = suppressions.unused(book.ids());
  return out;
}

}  // namespace kadvise::source
