// What other files of the workspace say of the open ones: asked on opening and saving, while nothing else is
// to be done.
#include "analyzer/lint/lint_session.h"
#include "analyzer/lint/source_files.h"
#include "analyzer/lsp/server.h"

namespace kadvise::lsp {
namespace {

constexpr auto kDelay = std::chrono::milliseconds(100);  // files are often written together

}  // namespace

void Server::wantNeighbours() { neighboursDue_ = Clock::now() + kDelay; }

std::vector<OpenSource> Server::openSources() const {
  std::vector<OpenSource> out;
  for (auto& [uri, d] : documents_.all())
    if (d.result && d.result->failure.empty() && workspace_.folderOf(d.path))
      out.push_back({d.path, &d.result->record});
  return out;
}

void Server::stepNeighbours() {
  if (phase_ != Phase::Running || looks_.isBusy() || looks_.waiting() > 0) return;
  if (neighboursDue_ && *neighboursDue_ <= Clock::now()) {
    neighboursDue_.reset();
    std::vector<std::filesystem::path> folders;
    for (auto& f : workspace_.folders)
      if (f.settings.enable && f.settings.seesOtherFiles) folders.push_back(f.path);
    auto isLeft = [this](const std::filesystem::path& path) {
      return isExcluded(path, workspace_.settingsOf(path).exclude, workspace_.baseOf(path));
    };
    neighbours_.begin(openSources().empty() ? std::vector<std::filesystem::path>() : folders, isLeft);
  }
  if (!neighbours_.isUnderWay()) return;
  auto open = openSources();
  if (auto file = neighbours_.step(open)) return readNeighbour(*file);
  if (!neighbours_.isUnderWay()) tellSurroundings(open);
}

// As the command line reads it: with a toolkit's headers where there are some.
void Server::readNeighbour(const std::filesystem::path& path) {
  FileSetup setup;
  try {
    setup = setupOf(path);
  } catch (const std::exception& e) {
    client_.log(path.string() + ": " + e.what());
    return neighbours_.fail(path);
  }
  if (setup.isExcluded) return neighbours_.fail(path);
  ParserJob job;
  job.prepare = setup.full.is_null() ? setup.fast : setup.full;
  job.lint = {{"file", path.string()}};
  if (!setup.database.empty()) job.lint["database"] = setup.database.string();
  job.doing = "reading " + path.filename().string();
  looks_.lend(std::move(job), [this, path](std::optional<SourceReply> answer) {
    if (!answer) return;  // it is asked for again
    LintedFile file = resultOf(path.string(), std::move(*answer), book_);
    if (file.failure.empty()) neighbours_.take(path, std::move(file.record));
    else neighbours_.fail(path);
  });
}

void Server::tellSurroundings(const std::vector<OpenSource>& open) {
  looks_.endLending();
  if (!neighbours_.limit().empty()) client_.log(neighbours_.limit());
  auto around = neighbours_.around(open);
  for (auto& [uri, d] : documents_.all()) {
    auto known = around.find(d.path);
    if (!d.result || known == around.end()) continue;
    Json said = known->second.empty() ? Json() : Json(known->second);
    if (said == d.surroundings) continue;
    d.surroundings = std::move(said), d.isFull = false;
    looks_.want(d, 0, true);
  }
}

}  // namespace kadvise::lsp
