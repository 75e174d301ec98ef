#include "analyzer/lint/surroundings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analyzer/lint/definitions.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostOfOneFile = 256;

struct Caller {
  Place from;
  const CallRecord* call = nullptr;
};

struct Launch {
  std::size_t file = 0;
  const LaunchRecord* record = nullptr;
};

FunctionRecord withoutCalls(const FunctionRecord& f) {
  FunctionRecord out;
  out.name = f.name, out.line = f.line;
  out.isInternal = f.isInternal, out.isEntry = f.isEntry;
  out.takesTensor = f.takesTensor, out.launches = f.launches;
  out.guardsDevice = f.guardsDevice, out.checksLaunches = f.checksLaunches;
  return out;
}

class Join {
 public:
  explicit Join(const std::vector<RecordedFile>& files) : files_(files), out_(files.size()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      absolute_.push_back(fs::absolute(files[i].path).lexically_normal());
      auto& kernels = files[i].record.kernels;
      for (std::size_t k = 0; k < kernels.size(); ++k) kernels_.add(kernels[k], {i, k}, absolute_[i], false);
      for (std::size_t f = 0; f < files[i].record.functions.size(); ++f) {
        auto& function = files[i].record.functions[f];
        functions_.add(function.name, {i, f}, absolute_[i], function.isInternal);
      }
    }
    findCallers();
    findGuarded();
    findReached();
    findLaunchers();
  }

  std::vector<Surroundings> run() {
    for (std::size_t i = 0; i < files_.size(); ++i) takeLaunches(i);
    takeRequests();
    for (auto& [place, callers] : callers_) takeCalls(place, callers);
    for (auto& [place, launch] : launchers_) takeLauncher(place, launch);
    return std::move(out_);
  }

 private:
  const FunctionRecord& at(Place p) const { return files_[p.file].record.functions[p.function]; }

  std::vector<Place> kernelsMeantBy(const FunctionName& name, std::size_t from) const {
    return kernels_.meantBy(name, from, absolute_[from]);
  }

  void findCallers() {
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (std::size_t f = 0; f < files_[i].record.functions.size(); ++f)
        for (auto& call : files_[i].record.functions[f].calls)
          for (auto& place : functions_.meantBy(call.callee, i, absolute_[i]))
            callers_[place].push_back({{i, f}, &call});
  }

  void takeLaunches(std::size_t from) {
    for (auto& launch : files_[from].record.launches)
      for (auto& place : kernelsMeantBy(launch.kernel, from))
        if (place.file != from && out_[place.file].launches.size() < kMostOfOneFile)
          out_[place.file].launches.push_back({files_[from].path, launch});
  }

  // Files that ask for memory for a kernel, and those that this is of interest to: the one that defines it,
  // and all that launch it.
  struct Request {
    const FunctionName* name = nullptr;
    std::set<std::size_t> by, to;
  };

  void takeRequests() {
    std::map<Definitions::Key, Request> ofName;  // of kernels that no file defines
    std::map<Place, Request> ofPlace;
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (auto& name : files_[i].record.requested) {
        auto meant = kernelsMeantBy(name, i);
        if (meant.empty())
          ofName[Definitions::keyOf(name)].name = &name, ofName[Definitions::keyOf(name)].by.insert(i);
        for (auto& place : meant) ofPlace[place].name = &name, ofPlace[place].by.insert(i);
      }
    for (auto& [place, request] : ofPlace) request.to.insert(place.file);
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (auto& launch : files_[i].record.launches) {
        if (auto known = ofName.find(Definitions::keyOf(launch.kernel)); known != ofName.end())
          known->second.to.insert(i);
        for (auto& place : kernelsMeantBy(launch.kernel, i))
          if (auto known = ofPlace.find(place); known != ofPlace.end()) known->second.to.insert(i);
      }
    for (auto& [key, request] : ofName) tell(request);
    for (auto& [place, request] : ofPlace) tell(request);
  }

  // A file knows what it asks for itself.
  void tell(const Request& request) {
    for (auto to : request.to) {
      bool isByOthers = request.by.size() > 1 || !request.by.count(to);
      auto& told = out_[to].requested;
      bool isNew = std::none_of(told.begin(), told.end(), [&](auto& t) { return isSame(t, *request.name); });
      if (isByOthers && isNew && told.size() < kMostOfOneFile) told.push_back(*request.name);
    }
  }

  void takeCalls(Place to, const std::vector<Caller>& callers) {
    auto& function = at(to);
    if (!function.takesTensor && !function.launches) return;
    auto& out = out_[to.file].calls;
    for (auto& c : callers) {
      if (out.size() >= kMostOfOneFile) return;
      if (c.from.file == to.file) continue;
      out.push_back({files_[c.from.file].path, withoutCalls(at(c.from)), *c.call, isGuarded(c),
                     reached_.count(c.from) > 0});
    }
  }

  void takeLauncher(Place to, const Launch& launch) {
    auto known = callers_.find(to);
    if (known == callers_.end()) return;
    auto& name = at(to).name;
    for (auto& c : known->second) {
      auto& told = out_[c.from.file].launchers;
      bool isKnown = c.from.file == to.file || c.call->isBinding || told.size() >= kMostOfOneFile ||
                     std::any_of(told.begin(), told.end(), [&](auto& t) { return isSame(t.function, name); });
      if (!isKnown)
        told.push_back({name, launch.record->kernel, files_[launch.file].path, launch.record->line});
    }
  }

  bool isGuarded(const Caller& c) const {
    return c.call->guardsDevice || (!c.call->isBinding && guarded_.count(c.from) > 0);
  }

  // Functions to which every known way has a guard: all that are called at first, less those that are found
  // to have another way.
  void findGuarded() {
    std::map<Place, std::vector<Place>> callees;  // by calls without a guard of their own
    for (auto& [place, callers] : callers_) {
      if (!at(place).isEntry) guarded_.insert(place);
      for (auto& c : callers)
        if (!c.call->guardsDevice) callees[c.from].push_back(place);
    }
    std::vector<Place> open;  // not guarded, and their callees do not know yet
    for (auto& [place, callers] : callers_) {
      bool isIn = std::all_of(callers.begin(), callers.end(), [&](auto& c) { return isGuarded(c); });
      if (!isIn && guarded_.erase(place) > 0) open.push_back(place);
    }
    while (!open.empty()) {
      auto next = callees.find(open.back());
      open.pop_back();
      if (next == callees.end()) continue;
      for (auto& place : next->second)
        if (guarded_.erase(place) > 0) open.push_back(place);
    }
  }

  // Functions that are bound or registered, and what they call.
  void findReached() {
    std::map<Place, std::vector<Place>> callees;
    std::vector<Place> open;
    auto reach = [&](Place p) {
      if (reached_.insert(p).second) open.push_back(p);
    };
    for (auto& [place, callers] : callers_)
      for (auto& c : callers) {
        if (c.call->isBinding) reach(place);
        else callees[c.from].push_back(place);
      }
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (std::size_t f = 0; f < files_[i].record.functions.size(); ++f)
        if (at({i, f}).isEntry) reach({i, f});
    while (!open.empty()) {
      auto from = open.back();
      open.pop_back();
      for (auto& place : callees[from]) reach(place);
    }
  }

  bool mayLaunchUnguarded(const FunctionRecord& f) const { return !f.takesTensor && !f.guardsDevice; }

  // Of a function that takes tensors the operator itself is told, and of others their callers are.
  void findLaunchers() {
    std::vector<Place> open;
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (auto& launch : files_[i].record.launches)
        for (std::size_t f = 0; f < files_[i].record.functions.size(); ++f) {
          auto& function = at({i, f});
          bool isOfIt = function.launches && function.name.name == launch.caller;
          if (isOfIt && mayLaunchUnguarded(function) &&
              launchers_.emplace(Place{i, f}, Launch{i, &launch}).second)
            open.push_back({i, f});
        }
    while (!open.empty()) {
      auto place = open.back();
      open.pop_back();
      auto launch = launchers_.at(place);
      for (auto& c : callers_[place])
        if (!c.call->isBinding && !c.call->guardsDevice && mayLaunchUnguarded(at(c.from)) &&
            launchers_.emplace(c.from, launch).second)
          open.push_back(c.from);
    }
  }

  const std::vector<RecordedFile>& files_;
  std::vector<Surroundings> out_;
  std::vector<fs::path> absolute_;
  Definitions kernels_, functions_;
  std::map<Place, std::vector<Caller>> callers_;
  std::set<Place> guarded_, reached_;
  std::map<Place, Launch> launchers_;
};

}  // namespace

std::vector<Surroundings> surroundingsOf(const std::vector<RecordedFile>& files) { return Join(files).run(); }

}  // namespace kadvise
