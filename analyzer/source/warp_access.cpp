#include "analyzer/source/warp_access.h"

#include <algorithm>
#include <map>
#include <set>

namespace kadvise::source {
namespace {

constexpr std::size_t kLanes = 32;
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

// From one turn of a loop to the next.
bool walks(const Unit& unit, const Courses& courses, Sample sample, const Access& access) {
  Thread first;
  sample.turn = 0;
  Threads now(unit, courses, sample);
  sample.turn = 1;
  Threads then(unit, courses, sample);
  auto a = addressOf(now, access.lvalue, first), b = addressOf(then, access.lvalue, first);
  return a && b && b->offset - a->offset == access.bytes;
}

}  // namespace

std::optional<WarpAccess> warpAccess(Threads& threads, const Access& access,
                                     const std::vector<Guard>& guards) {
  auto warp = threadsOf(threads.sample());
  if (warp.size() > kLanes) warp.resize(kLanes);
  auto lanes = activeAmong(threads, warp, guards);
  if (lanes.size() < 2) return std::nullopt;
  WarpAccess out;
  out.access = access;
  std::vector<std::int64_t> offsets;
  for (auto& t : lanes) {
    auto address = addressOf(threads, access.lvalue, t);
    if (!address || (out.base && out.base != address->base)) return std::nullopt;
    out.space = address->space, out.base = address->base;
    out.isMadeUp |= address->isMadeUp;
    offsets.push_back(address->offset);
  }
  out.lanes = static_cast<int>(lanes.size());
  countSectors(offsets, access.bytes, out);
  if (out.space == Space::Shared) countTurns(offsets, access.bytes, out);
  chooseWitness(offsets, out);
  return out;
}

std::optional<WarpAccess> warpAccessInAll(const Unit& unit, const Courses& courses,
                                          const std::vector<Sample>& samples, const Access& access) {
  auto guards = guardsOf(unit, access.lvalue);
  std::optional<WarpAccess> out;
  std::set<std::int64_t> distances;
  for (auto& sample : samples) {
    Threads threads(unit, courses, sample);
    auto one = warpAccess(threads, access, guards);
    if (!one) return std::nullopt;
    distances.insert(one->apart);
    bool isMilder = out && (one->space == Space::Shared
                                ? one->turns < out->turns
                                : one->sectors * out->fewestSectors < out->sectors * one->fewestSectors);
    if (!out || isMilder) out = one;
  }
  // Made-up sizes may cancel out: what is the same in every sample does not depend on them.
  if (!out) return std::nullopt;
  out->isMadeUp = distances.size() > 1;
  out->walks = walks(unit, courses, samples.front(), access);
  return out;
}

}  // namespace kadvise::source
