#include "analyzer/source/warp_access.h"

#include <algorithm>
#include <map>
#include <set>

namespace kadvise::source {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kMostGuards = 128;  // more conditions are evaluated for no access
constexpr int kHalfWarp = 16;
constexpr std::int64_t kMostBytes = 4096;  // of one access: what is larger is copied piece by piece
constexpr std::int64_t kSectorBytes = 32, kBankBytes = 4, kBanks = 32, kBytesOfATurn = 128;

std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

void countSectors(const std::vector<std::int64_t>& offsets, std::int64_t bytes, WarpAccess& out) {
  std::set<std::int64_t> sectors, distinct(offsets.begin(), offsets.end());
  for (auto o : distinct)
    for (auto s = floorDiv(o, kSectorBytes); s <= floorDiv(o + bytes - 1, kSectorBytes); ++s)
      sectors.insert(s);
  out.sectors = static_cast<int>(sectors.size());
  auto used = static_cast<std::int64_t>(distinct.size()) * bytes;
  out.fewestSectors = static_cast<int>((used + kSectorBytes - 1) / kSectorBytes);
}

// 8 and 16 byte words go in two and four turns anyway, each with its share of the lanes.
void countTurns(const std::vector<std::int64_t>& offsets, std::int64_t bytes, WarpAccess& out) {
  std::size_t together = static_cast<std::size_t>(
      std::clamp<std::int64_t>(kBytesOfATurn / std::max<std::int64_t>(bytes, kBankBytes), 1, 32));
  for (std::size_t from = 0; from < offsets.size(); from += together) {
    std::map<std::int64_t, std::set<std::int64_t>> words;  // bank -> words of it
    for (std::size_t i = from; i < std::min(offsets.size(), from + together); ++i) {
      std::int64_t word = floorDiv(offsets[i], kBankBytes);
      auto& inBank = words[((word % kBanks) + kBanks) % kBanks];
      inBank.insert(word);
      out.turns = std::max(out.turns, static_cast<int>(inBank.size()));
    }
  }
}

// The first lane beside the first that is elsewhere; in shared memory, elsewhere in the same bank.
void chooseWitness(const std::vector<std::int64_t>& offsets, WarpAccess& out) {
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    std::int64_t apart = offsets[i] - offsets[0];
    bool shows = apart != 0 && (out.space != Space::Shared || apart % (kBankBytes * kBanks) == 0);
    if (!shows) continue;
    out.apart = apart, out.lane = static_cast<int>(i);
    return;
  }
}

struct Place {
  const Unit& unit;
  const Courses& ofKernel;
  const CallPath& path;
  const Access& access;
  std::vector<std::vector<Guard>> guards;  // of each call, and of the access
};

std::optional<std::int64_t> ofFirstThread(const Place& place, Sample sample, int turn) {
  sample.turn = turn;
  Threads kernel(place.unit, place.ofKernel, sample);
  auto* threads = along(kernel, place.path);
  auto at = threads ? addressOf(*threads, place.access, Thread{}) : std::nullopt;
  return at ? std::optional(at->offset) : std::nullopt;
}

// Those of the first warp of the block that no condition on the way to the access keeps from it.
std::vector<Thread> lanesAt(const Place& place, Threads& kernel) {
  auto lanes = threadsOf(kernel.sample());
  if (lanes.size() > kLanes) lanes.resize(kLanes);
  Threads* at = &kernel;
  for (std::size_t i = 0; i < place.guards.size() && at; ++i) {
    lanes = activeAmong(*at, lanes, place.guards[i]);
    if (i < place.path.calls.size()) at = at->inside(*place.path.calls[i]);
  }
  return lanes;
}

int numberOf(const Sample& sample, const Thread& t) {
  return t.index[0] + sample.block[0] * (t.index[1] + sample.block[1] * t.index[2]);
}

std::optional<WarpAccess> inSample(const Place& place, Sample sample) {
  Threads kernel(place.unit, place.ofKernel, sample);
  auto* threads = along(kernel, place.path);
  auto lanes = lanesAt(place, kernel);
  // A loop of one turn has no second one.
  if (lanes.empty() && sample.turn > 0) {
    sample.turn = 0;
    return inSample(place, sample);
  }
  if (!threads || lanes.size() < 2) return std::nullopt;
  WarpAccess out;
  out.access = place.access;
  std::vector<std::int64_t> offsets;
  for (auto& t : lanes) {
    auto address = addressOf(*threads, place.access, t);
    if (!address || (out.base && out.base != address->base)) return std::nullopt;
    out.space = address->space, out.base = address->base;
    out.isMadeUp |= address->isMadeUp;
    offsets.push_back(address->offset);
  }
  out.lanes = static_cast<int>(lanes.size());
  out.places = static_cast<int>(std::set<std::int64_t>(offsets.begin(), offsets.end()).size());
  countSectors(offsets, place.access.bytes, out);
  if (out.space == Space::Shared) countTurns(offsets, place.access.bytes, out);
  chooseWitness(offsets, out);
  out.shown = {numberOf(sample, lanes.front()), numberOf(sample, lanes[static_cast<std::size_t>(out.lane)])};
  return out;
}

// A stride that a loop doubles is harmless in the first turns: of shared memory the worst turn counts in
// which most of the warp still runs.
std::optional<WarpAccess> worstTurn(const Place& place, Sample sample) {
  auto out = inSample(place, sample);
  if (!out || out->space != Space::Shared) return out;
  for (int turn : {0, 1, 2, 3}) {
    sample.turn = turn;
    auto other = inSample(place, sample);
    if (other && other->lanes >= kHalfWarp && other->turns > out->turns) out = other;
  }
  return out;
}

bool isMilder(const WarpAccess& one, const WarpAccess& other) {
  if (one.space == Space::Shared) return one.turns < other.turns;
  if (one.space == Space::Constant) return one.places < other.places;
  return one.sectors * other.fewestSectors < other.sectors * one.fewestSectors;
}

}  // namespace

std::optional<WarpAccess> warpAccessInAll(const Unit& unit, const Courses& ofKernel,
                                          const std::vector<Sample>& samples, const CallPath& path,
                                          const Access& access) {
  if (access.bytes < 1 || access.bytes > kMostBytes) return std::nullopt;
  Place place{unit, ofKernel, path, access, {}};
  for (auto* call : path.calls) place.guards.push_back(guardsWithExits(unit, call));
  place.guards.push_back(guardsWithExits(unit, access.lvalue));
  bool isDeep = std::any_of(place.guards.begin(), place.guards.end(),
                            [](auto& guards) { return guards.size() > kMostGuards; });
  if (isDeep) return std::nullopt;
  std::optional<WarpAccess> out;
  std::set<std::int64_t> distances;
  for (auto& sample : samples) {
    auto one = worstTurn(place, sample);
    if (!one) return std::nullopt;
    distances.insert(one->apart);
    if (!out || isMilder(*one, *out)) out = one;
  }
  // Made-up sizes may cancel out: what is the same in every sample does not depend on them.
  if (!out) return std::nullopt;
  out->path = path;
  out->isMadeUp = distances.size() > 1;
  for (auto& sample : samples) out->starts.push_back(ofFirstThread(place, sample, 0).value_or(1));
  auto next = ofFirstThread(place, samples.front(), 1);
  out->walks = next && *next - out->starts.front() == access.bytes;
  return out;
}

}  // namespace kadvise::source
