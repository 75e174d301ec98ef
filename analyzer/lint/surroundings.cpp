#include "analyzer/lint/surroundings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostOfOneFile = 256;
constexpr std::size_t kMostDefinitions = 8;  // of one name, equally near: more say nothing

using Key = std::pair<std::string, int>;
Key keyOf(const FunctionName& f) { return {f.name, f.parameters}; }

// A function of a file, by their places.
struct Place {
  std::size_t file = 0, function = 0;
  bool operator<(const Place& o) const { return std::tie(file, function) < std::tie(o.file, o.function); }
};

struct Caller {
  Place from;
  const CallRecord* call = nullptr;
};

std::ptrdiff_t sharedFolders(const fs::path& a, const fs::path& b) {
  fs::path from = a.parent_path(), to = b.parent_path();
  return std::distance(from.begin(), std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first);
}

class Join {
 public:
  explicit Join(const std::vector<RecordedFile>& files) : files_(files), out_(files.size()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      absolute_.push_back(fs::absolute(files[i].path).lexically_normal());
      for (auto& k : files[i].record.kernels) kernels_[keyOf(k)].push_back({i, 0});
      for (std::size_t f = 0; f < files[i].record.functions.size(); ++f)
        functions_[keyOf(files[i].record.functions[f].name)].push_back({i, f});
    }
    findCallers();
    findGuarded();
  }

  std::vector<Surroundings> run() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      takeLaunches(i);
      takeRequests(i);
    }
    for (auto& [place, callers] : callers_) takeCalls(place, callers);
    return std::move(out_);
  }

 private:
  const FunctionRecord& at(Place p) const { return files_[p.file].record.functions[p.function]; }

  // Definitions that a name in a file may mean; of a file's own one there is no other.
  std::vector<Place> meantBy(const FunctionName& name, std::size_t from,
                             const std::map<Key, std::vector<Place>>& definitions) const {
    auto known = definitions.find(keyOf(name));
    if (name.name.empty() || known == definitions.end()) return {};
    std::vector<Place> own, declared, nearest;
    std::ptrdiff_t most = -1;
    for (auto& p : known->second) {
      if (p.file == from) own.push_back(p);
      if (absolute_[p.file] == name.declaredIn) declared.push_back(p);
      bool isHidden = &definitions == &functions_ && at(p).isInternal;
      auto shared = sharedFolders(absolute_[from], absolute_[p.file]);
      if (isHidden || shared < most) continue;
      if (shared > most) nearest.clear(), most = shared;
      nearest.push_back(p);
    }
    if (!own.empty()) return own;
    if (!declared.empty()) return declared;
    return nearest.size() > kMostDefinitions ? std::vector<Place>{} : nearest;
  }

  void findCallers() {
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (std::size_t f = 0; f < files_[i].record.functions.size(); ++f)
        for (auto& call : files_[i].record.functions[f].calls)
          for (auto& place : meantBy(call.callee, i, functions_)) callers_[place].push_back({{i, f}, &call});
  }

  void takeLaunches(std::size_t from) {
    for (auto& launch : files_[from].record.launches)
      for (auto& place : meantBy(launch.kernel, from, kernels_))
        if (place.file != from && out_[place.file].launches.size() < kMostOfOneFile)
          out_[place.file].launches.push_back({files_[from].path, launch});
  }

  // Of interest to the file that defines the kernel, and to those that launch it.
  void takeRequests(std::size_t from) {
    for (auto& name : files_[from].record.requested) {
      std::vector<bool> told(files_.size(), false);
      told[from] = true;
      auto tell = [&](std::size_t to) {
        if (!told[to] && out_[to].requested.size() < kMostOfOneFile) out_[to].requested.push_back(name);
        told[to] = true;
      };
      auto meant = meantBy(name, from, kernels_);
      for (auto& place : meant) tell(place.file);
      for (std::size_t i = 0; i < files_.size(); ++i)
        for (auto& launch : files_[i].record.launches)
          if (!told[i] && isSame(launch.kernel, name) && meansOneOf(launch, i, meant)) tell(i);
    }
  }

  bool meansOneOf(const LaunchRecord& launch, std::size_t from, const std::vector<Place>& places) const {
    for (auto& p : meantBy(launch.kernel, from, kernels_))
      if (std::any_of(places.begin(), places.end(), [&](auto& q) { return q.file == p.file; })) return true;
    return places.empty();
  }

  void takeCalls(Place to, const std::vector<Caller>& callers) {
    auto& function = at(to);
    if (!function.takesTensor && !function.launches) return;
    auto& out = out_[to.file].calls;
    for (auto& c : callers) {
      if (c.from.file == to.file || out.size() >= kMostOfOneFile) continue;
      FunctionRecord caller = at(c.from);
      caller.calls.clear();
      out.push_back({files_[c.from.file].path, std::move(caller), *c.call, isGuarded(c)});
    }
  }

  bool isGuarded(const Caller& c) const {
    return c.call->guardsDevice || (!c.call->isBinding && guarded_.count(c.from) > 0);
  }

  // Functions to which every known way has a guard: all that are called at first, less those that are found
  // to have another way.
  void findGuarded() {
    for (auto& [place, callers] : callers_)
      if (!at(place).isEntry) guarded_.insert(place);
    for (bool changes = true; changes;) {
      changes = false;
      for (auto& [place, callers] : callers_) {
        bool isIn = std::all_of(callers.begin(), callers.end(), [&](auto& c) { return isGuarded(c); });
        if (!isIn) changes |= guarded_.erase(place) > 0;
      }
    }
  }

  const std::vector<RecordedFile>& files_;
  std::vector<Surroundings> out_;
  std::vector<fs::path> absolute_;
  std::map<Key, std::vector<Place>> kernels_, functions_;
  std::map<Place, std::vector<Caller>> callers_;
  std::set<Place> guarded_;
};

}  // namespace

std::vector<Surroundings> surroundingsOf(const std::vector<RecordedFile>& files) { return Join(files).run(); }

}  // namespace kadvise
