// What kadvise-source does for the front: the verbs of messages.schema.json.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "analyzer/core/channel.h"
#include "analyzer/source/compile_database.h"
#include "analyzer/source/lint_file.h"
#include "analyzer/source/preloads.h"

namespace kadvise::source {

class Session {
 public:
  Json handle(const std::string& verb, const Json& arguments, const Replies&);

 private:
  Json prepare(const Json& arguments);
  Json lint(const Json& arguments, const Replies&);
  Json checkSources(const Json& arguments);

  RuleBook book_;
  LintSettings settings_;
  std::unique_ptr<Preloads> preloads_;
  // An editor's process outlives a build that writes it anew.
  struct KnownDatabase {
    std::filesystem::file_time_type written;
    CompileDatabase database;
  };
  const CompileDatabase& databaseAt(const std::string& path);

  std::map<std::string, KnownDatabase> databases_;  // by path
};

}  // namespace kadvise::source
