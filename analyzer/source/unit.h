// One parsed file, as rules and analyses see it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analyzer/core/source_record.h"
#include "analyzer/source/clang.h"
#include "analyzer/source/compile_command.h"
#include "analyzer/source/tier.h"

namespace kadvise::source {

// Variables that something in a function may write after their initialisers: asked for one by one, found all
// at once.
using WrittenVariables = std::map<const clang::FunctionDecl*, std::set<const clang::VarDecl*>>;

// By which the user's own headers are known.
struct ProjectFolders {
  std::vector<std::string> behind;  // headers that Clang takes for the system's, as they are found last
  std::string ours;                 // where kadvise's are
};

struct Unit {
  clang::ASTContext& context;
  const clang::SourceManager& sources;
  // Declarations at the top of the file itself, in its order; instances of templates are below their
  // templates.
  std::vector<clang::Decl*> declarations;
  // Functions with a body in this file that run on the device, kernels among them; of a template one
  // instance, or the template itself where nothing instantiates it.
  std::vector<const clang::FunctionDecl*> deviceFunctions;
  std::string file;  // as the user named it
  Tier tier = Tier::Stub;
  int arch = 90;
  bool fastMath = false;
  const Surroundings* surroundings = nullptr;  // what other files say of this one; null: nothing is known
  Pass pass = Pass::Device;
  std::string gpu = {};  // that was named, "RTX 4090"; "": the one that stands for the architecture
  ProjectFolders folders = {};
  const std::vector<unsigned>* errorOffsets = nullptr;  // where the language is broken, in bytes
  std::shared_ptr<WrittenVariables> written = std::make_shared<WrittenVariables>();
};

}  // namespace kadvise::source
