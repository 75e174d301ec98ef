#include "analyzer/lsp/neighbours.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lint/source_files.h"
#include "analyzer/lint/surroundings.h"
#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kStep = std::chrono::milliseconds(8);
constexpr std::size_t kMostFiles = 4000, kMostEntries = 100'000, kMostRead = 80;
constexpr std::size_t kMostBytes = 2u << 20;

bool begins(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool goesOn(char c) { return begins(c) || (c >= '0' && c <= '9'); }

std::uint32_t hashOf(std::string_view name) {
  std::uint32_t h = 2166136261u;
  for (unsigned char c : name) h = (h ^ c) * 16777619u;
  return h;
}

std::vector<std::uint32_t> namesIn(const std::string& text) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t first = i;
    while (i < text.size() && goesOn(text[i])) ++i;
    if (i > first && begins(text[first]))
      out.push_back(hashOf(std::string_view(text).substr(first, i - first)));
    if (i == first) ++i;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  out.shrink_to_fit();
  return out;
}

// "scale" of ops::scale.
std::string_view lastOf(std::string_view name) {
  auto colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

using Wanted = std::set<std::uint32_t>;

void want(Wanted& out, const FunctionName& f) {
  if (!f.name.empty() && f.name != "*") out.insert(hashOf(lastOf(f.name)));
}

// What other files may say something of: what is defined here, and kernels that are launched here.
void wantAllOf(Wanted& out, const SourceRecord& r) {
  for (auto& k : r.kernels) want(out, k);
  for (auto& l : r.launches) want(out, l.kernel);
  for (auto& f : r.functions)
    if (!f.isInternal && (f.takesTensor || f.launches)) want(out, f.name);
}

// Callers of what is wanted: who calls them decides whether they are guarded.
void wantCallersIn(Wanted& out, const SourceRecord& r) {
  for (bool isMore = true; isMore;) {
    auto before = out.size();
    for (auto& f : r.functions)
      if (std::any_of(f.calls.begin(), f.calls.end(),
                      [&](auto& c) { return !c.isBinding && out.count(hashOf(lastOf(c.callee.name))) > 0; }))
        want(out, f.name);
    isMore = out.size() > before;
  }
}

bool sharesOne(const std::vector<std::uint32_t>& names, const Wanted& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](auto w) { return std::binary_search(names.begin(), names.end(), w); });
}

const SourceRecord* openRecord(const std::vector<OpenSource>& open, const fs::path& path) {
  for (auto& o : open)
    if (o.path == path) return o.record;
  return nullptr;
}

}  // namespace

void Neighbours::begin(std::vector<fs::path> folders, std::function<bool(const fs::path&)> isLeft) {
  folders_ = std::move(folders), isLeft_ = std::move(isLeft);
  there_.clear(), toName_.clear(), limit_.clear();
  at_ = {}, entries_ = 0;
  stage_ = Stage::Listing;
}

void Neighbours::list() {
  std::error_code ec;
  auto end = Clock::now() + kStep;
  while (Clock::now() < end) {
    if (at_ == fs::recursive_directory_iterator()) {
      if (folders_.empty()) break;
      at_ = fs::recursive_directory_iterator(folders_.back(), fs::directory_options::skip_permission_denied,
                                             ec);
      folders_.pop_back();
      continue;
    }
    auto path = at_->path();
    if (at_->is_symlink(ec)) {
      // It would lead in circles, or to a file that is found anyway.
    } else if (at_->is_directory(ec)) {
      if (isFolderWithoutSources(path) || isLeft_(path)) at_.disable_recursion_pending();
    } else if (isSourceName(path) && !isLeft_(path)) {
      there_.insert(path.lexically_normal());
    }
    bool isOver = ++entries_ > kMostEntries || there_.size() > kMostFiles;
    if (isOver) limit_ = "the workspace is large: what its files say of each other only kadvise lint sees";
    at_.increment(ec);
    if (ec || isOver) at_ = {};
    if (isOver) folders_.clear(), there_.clear();
  }
  if (at_ != fs::recursive_directory_iterator() || !folders_.empty()) return;
  std::erase_if(files_, [&](auto& entry) { return !there_.count(entry.first); });
  toName_.assign(there_.begin(), there_.end());
  stage_ = Stage::Naming;
}

void Neighbours::name() {
  auto end = Clock::now() + kStep;
  while (!toName_.empty() && Clock::now() < end) {
    auto& known = files_[toName_.back()];
    auto stamp = stampOf(toName_.back());
    if (!known.isNamed || known.stamp != stamp) {
      known = Known();
      known.stamp = stamp, known.isNamed = true;
      try {
        known.names = namesIn(readFile(toName_.back(), kMostBytes));
      } catch (const Error&) {
        known.isRead = true;
      }
    }
    toName_.pop_back();
  }
  if (toName_.empty()) stage_ = Stage::Reading;
}

// With the records that there are so far.
std::set<fs::path> Neighbours::relevant(const std::vector<OpenSource>& open) const {
  Wanted wanted;
  for (auto& o : open) wantAllOf(wanted, *o.record);
  std::set<fs::path> out;
  for (bool isMore = true; isMore;) {
    auto before = wanted.size();
    for (auto& o : open) wantCallersIn(wanted, *o.record);
    for (auto& [path, known] : files_) {
      if (openRecord(open, path) || (!out.count(path) && !sharesOne(known.names, wanted))) continue;
      out.insert(path);
      if (known.record) wantCallersIn(wanted, *known.record);
    }
    isMore = wanted.size() > before;
  }
  return out;
}

std::optional<fs::path> Neighbours::nextToRead(const std::vector<OpenSource>& open) {
  auto files = relevant(open);
  if (files.size() > kMostRead)
    limit_ = "much of the workspace calls what is open here: only kadvise lint sees it all";
  std::size_t seen = 0;
  for (auto& path : files) {
    if (++seen > kMostRead) break;
    if (!files_[path].isRead) return path;
  }
  stage_ = Stage::Over;
  return std::nullopt;
}

std::optional<fs::path> Neighbours::step(const std::vector<OpenSource>& open) {
  if (stage_ == Stage::Listing) list();
  else if (stage_ == Stage::Naming) name();
  else if (stage_ == Stage::Reading) return nextToRead(open);
  return std::nullopt;
}

void Neighbours::take(const fs::path& path, SourceRecord record) {
  auto& known = files_[path];
  known.isRead = true, known.record = std::move(record);
}

void Neighbours::fail(const fs::path& path) { files_[path].isRead = true; }

std::map<fs::path, Surroundings> Neighbours::around(const std::vector<OpenSource>& open) const {
  std::vector<RecordedFile> files;
  for (auto& o : open) files.push_back({o.path.string(), *o.record});
  for (auto& path : relevant(open))
    if (auto& known = files_.at(path); known.record) files.push_back({path.string(), *known.record});
  auto all = surroundingsOf(files);
  std::map<fs::path, Surroundings> out;
  for (std::size_t i = 0; i < open.size(); ++i) {
    // Of a caller whose own callers are not known one cannot say that nobody guards it.
    if (!limit_.empty()) all[i].calls.clear();
    out[open[i].path] = std::move(all[i]);
  }
  return out;
}

}  // namespace kadvise::lsp
