// Reads one source with Clang, whatever is wrong with it: a missing header or an error in one function leaves
// the others as they are.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/compile_command.h"
#include "analyzer/source/includer.h"
#include "analyzer/source/makefile.h"
#include "analyzer/source/tier.h"
#include "analyzer/source/unit.h"
#include "analyzer/source/wrapped_libraries.h"

namespace kadvise::source {

class Preloads;

struct ParseRequest {
  std::string file;        // as the user named it
  std::string text;        // what is parsed, whatever the file holds
  CompileCommand command;  // of the build, or defaults
  Language language = Language::Cuda;
  Tier tier = Tier::Stub;
  Pass pass = Pass::Device;
  HeaderPlaces headers;
  int arch = 90;
  Preloads* preloads = nullptr;
  std::optional<MakefileFlags> makefile;       // where no build was given
  std::string macros;                          // of other scripts of the build, as #define lines
  bool fastMath = false;                       // as those say
  std::string includes;                        // lines for headers that the file needs and does not name
  std::string standard = "c++17";              // where no build was given
  std::vector<std::filesystem::path> found;    // folders of headers that had to be searched for
  std::vector<std::filesystem::path> first;    // folders that come before those of the system
  std::optional<WrappedLibraries> wrapped;     // where no build was given
  std::vector<TextBefore> before;              // of a file that is a part of another one; the outermost first
  const Surroundings* surroundings = nullptr;  // for the rules: nothing of parsing hangs on it
  std::string gpu = {};                        // as well
};

struct SyntaxError {
  int line = 0;
  std::string message;
};

struct ParseOutcome {
  std::vector<SyntaxError> errors;        // in the file itself, the first few
  int errorCount = 0;                     // in the file itself
  std::vector<unsigned> errorOffsets;     // where they are, in bytes; the first thousands
  std::vector<std::string> missing;       // names of headers that are not there
  std::vector<std::string> searched;      // where each was looked for: one that appears there would be read
  std::vector<std::string> hidden;        // folders whose header of a name that was read the system has, too
  std::vector<std::string> dependencies;  // paths of the user's own headers that were read
};

// Calls look once, with the parsed file; it must keep nothing of it. Throws Error when Clang refuses the
// arguments altogether.
ParseOutcome parse(const ParseRequest&, const std::function<void(const Unit&)>& look);

}  // namespace kadvise::source
