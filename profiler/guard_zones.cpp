#include "profiler/guard_zones.h"

#include <c10/core/Allocator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace kadvise {
namespace {

constexpr std::size_t kZoneBytes = 256;  // a multiple of what LibTorch aligns blocks to
constexpr unsigned char kPattern = 0xa7;

struct Block {
  c10::DataPtr whole;  // with its zones
  std::size_t bytes = 0;
  std::uint64_t serial = 0, zones = 0;  // which block, of which GuardZones

  unsigned char* front() const { return static_cast<unsigned char*>(whole.get()); }
  unsigned char* data() const { return front() + kZoneBytes; }
};

bool isWhole(const unsigned char* zone) {
  return std::all_of(zone, zone + kZoneBytes, [](unsigned char byte) { return byte == kPattern; });
}

// "" when nobody wrote outside.
std::string breachOf(const Block& block) {
  std::string of = "a block of " + std::to_string(block.bytes) + " bytes";
  if (!isWhole(block.data() + block.bytes)) return "behind " + of;
  return isWhole(block.front()) ? "" : "in front of " + of;
}

// Blocks may be freed by any thread, and long after the zones that they were made under.
struct Blocks {
  std::atomic<bool> isGuarding{false};  // asked at every allocation of the process, timed ones too
  std::mutex mutex;                     // for all below
  c10::Allocator* inner = nullptr;
  std::uint64_t made = 0, zones = 0;
  std::unordered_map<void*, Block> alive;  // by their data
  std::string breach;                      // of a block that was freed
};

Blocks& blocks() {
  static auto* all = new Blocks;  // outlives every tensor
  return *all;
}

// LibTorch hands over the data's address alone. What was made while nothing was guarded is not ours to free.
void release(void* data) {
  std::unique_lock lock(blocks().mutex);
  auto found = blocks().alive.find(data);
  if (found == blocks().alive.end()) {
    lock.unlock();
    return blocks().inner->raw_deleter()(data);
  }
  Block block = std::move(found->second);
  blocks().alive.erase(found);
  if (block.zones == blocks().zones && blocks().breach.empty()) blocks().breach = breachOf(block);
  lock.unlock();  // and the memory goes
}

class GuardingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0 || !blocks().isGuarding) return blocks().inner->allocate(bytes);
    Block block{blocks().inner->allocate(bytes + 2 * kZoneBytes), bytes};
    std::memset(block.front(), kPattern, kZoneBytes);
    std::memset(block.data() + bytes, kPattern, kZoneBytes);
    void* data = block.data();
    c10::Device device = block.whole.device();
    std::lock_guard lock(blocks().mutex);
    block.serial = ++blocks().made, block.zones = blocks().zones;
    blocks().alive.emplace(data, std::move(block));
    return {data, data, &release, device};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

// Once and for good: operators free by the allocator that is there then what another one has given them.
void install() {
  if (blocks().inner) return;
  c10::Allocator* usual = c10::GetAllocator(c10::kCPU);
  if (!usual->raw_deleter()) return;  // a foreign one, whose blocks could not be told from ours
  blocks().inner = usual;
  static auto* allocator = new GuardingAllocator;
  c10::SetAllocator(c10::kCPU, allocator);
}

}  // namespace

GuardZones::GuardZones() {
  std::lock_guard lock(blocks().mutex);
  install();
  ++blocks().zones;
  blocks().breach.clear();
  blocks().isGuarding = blocks().inner != nullptr;
}

GuardZones::~GuardZones() { blocks().isGuarding = false; }

std::optional<std::string> GuardZones::breach() const {
  std::lock_guard lock(blocks().mutex);
  if (!blocks().breach.empty()) return blocks().breach;
  std::uint64_t first = 0;
  std::string out;
  for (const auto& [data, block] : blocks().alive) {
    if (block.zones != blocks().zones || (first && block.serial > first)) continue;
    if (auto breach = breachOf(block); !breach.empty()) first = block.serial, out = breach;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

}  // namespace kadvise
