#include "analyzer/source/shared_log.h"

#include <algorithm>

namespace kadvise::source {
namespace {

constexpr std::size_t kMostReaders = 4, kMostConflicts = 16, kMostCopies = 8192;
constexpr std::int64_t kMostCopiedBytes = 64;  // of one copy, of which 16 are legal
constexpr std::int64_t kMostBytes = 1 << 20;   // of an array: beyond what any block has
constexpr std::size_t kManyElements = 16;      // of an array: then an element that may be any is among them

bool isOneWarp(const Touch& a, const Touch& b) { return a.thread / 32 == b.thread / 32; }

}  // namespace

// Two touches of one place that may come in either order, and differ by it.
bool SharedLog::clash(const Touch& a, const Touch& b) const {
  if (a.thread == b.thread || (a.kind == TouchKind::Read && b.kind == TouchKind::Read)) return false;
  if (a.kind == TouchKind::Atomic && b.kind == TouchKind::Atomic) return false;
  if (a.kind == TouchKind::Write && b.kind == TouchKind::Write && a.value == b.value) return false;
  if (a.isVolatile || b.isVolatile) return false;  // flags, and tails of a warp that have a rule of their own
  bool areOneWarp = isOneWarp(a, b);
  bool areOneWrite = a.site == b.site && a.kind == TouchKind::Write && b.kind == TouchKind::Write;
  bool areOfWarp = areOneWarp && a.isOfWarp && b.isOfWarp, mayBeEqual = a.mayBeEqual && b.mayBeEqual;
  if (areOneWrite && (areOfWarp || mayBeEqual)) return false;
  return !areOneWarp || a.warpTime == b.warpTime;
}

void SharedLog::report(const Touch& a, const Touch& b, const clang::ValueDecl* base, std::int64_t offset,
                       bool isAny, bool isCopy) {
  Conflict now{a, b, base, offset, isAny, isCopy};
  auto known = std::find_if(conflicts_.begin(), conflicts_.end(),
                            [&](auto& c) { return c.first.site == a.site && c.second.site == b.site; });
  if (known == conflicts_.end()) {
    if (conflicts_.size() < kMostConflicts) conflicts_.push_back(now);
    return;
  }
  // Two threads of one warp would look as if a barrier of the warp were enough.
  bool isOfSameTurns = known->first.turns == a.turns && known->second.turns == b.turns;
  if (isOfSameTurns && isOneWarp(known->first, known->second) && !isOneWarp(a, b)) *known = now;
}

SharedLog::Array& SharedLog::arrayOf(const clang::ValueDecl* base) {
  Array& out = arrays_[base];
  if (out.interval == interval_) return out;
  out.interval = interval_, out.written = out.read = 0;
  out.any.clear();
  return out;
}

void SharedLog::touchCell(Array& array, const Touch& now, const clang::ValueDecl* base, std::int64_t offset) {
  // Behind a product of sizes that are made up, which stands for any place.
  if (offset >= kMostBytes && !now.sizes) return;
  Cell& cell = array.cells[offset];
  if (cell.interval != interval_) {
    cell.interval = interval_, cell.isWritten = cell.isUpdated = false, cell.equalWrites = 0;
    cell.readers.clear();
    ++(now.kind == TouchKind::Read ? array.read : array.written);
  }
  if (cell.isTarget) report(cell.copier, now, base, offset, false, true);
  // What all threads write, each before it reads, is there for each of them.
  bool isCommon = now.kind == TouchKind::Read && cell.equalWrites >= threads_;
  if (cell.isWritten && !isCommon && clash(cell.writer, now))
    report(cell.writer, now, base, offset, false, false);
  if (cell.isUpdated && clash(cell.updater, now)) report(cell.updater, now, base, offset, false, false);
  if (now.kind == TouchKind::Read) {
    if (cell.readers.size() < kMostReaders) cell.readers.push_back(now);
    else if (cell.readers.back().thread != now.thread) cell.readers.back() = now;
    return;
  }
  for (auto& reader : cell.readers)
    if (clash(reader, now)) report(reader, now, base, offset, false, false);
  if (now.kind == TouchKind::Atomic) {
    cell.isUpdated = true, cell.updater = now, cell.equalWrites = 0;
    return;
  }
  bool isSame = cell.equalWrites > 0 && cell.writer.value == now.value;
  cell.equalWrites = isSame ? cell.equalWrites + 1 : 1;
  cell.isWritten = true, cell.writer = now;
}

void SharedLog::touch(Touch now, const clang::ValueDecl* base, std::int64_t offset, std::int64_t bytes) {
  now.turns = turns_, now.warpTime = warpTimes_[static_cast<std::size_t>(now.thread) / 32];
  Array& array = arrayOf(base);
  // Elements of less than four bytes count by the byte; larger ones by the word.
  for (std::int64_t at = 0; at < std::min<std::int64_t>(bytes, 64); at += bytes < 4 ? 1 : 4)
    touchCell(array, now, base, offset + at);
  for (auto& any : array.any)
    if (array.written + array.read >= kManyElements && clash(any, now))
      report(any, now, base, offset, true, false);
  (now.kind == TouchKind::Read ? array.lastRead : array.lastWrite) = now;
}

void SharedLog::touchAny(Touch now, const clang::ValueDecl* base) {
  now.turns = turns_, now.warpTime = warpTimes_[static_cast<std::size_t>(now.thread) / 32];
  Array& array = arrayOf(base);
  if (array.written >= kManyElements && clash(array.lastWrite, now))
    report(array.lastWrite, now, base, 0, true, false);
  bool readsMatter = now.kind != TouchKind::Read && array.read >= kManyElements;
  if (readsMatter && clash(array.lastRead, now)) report(array.lastRead, now, base, 0, true, false);
  if (array.any.size() < kMostReaders) array.any.push_back(now);
}

void SharedLog::beginCopy(Touch t, const clang::ValueDecl* base, std::int64_t offset, std::int64_t bytes) {
  if (copies_.size() >= kMostCopies) return;
  bytes = std::min(bytes, kMostCopiedBytes);
  touch(t, base, offset, bytes);
  copies_.push_back({t, base, offset, bytes, group_});
  for (std::int64_t at = 0; at < bytes && offset + at < kMostBytes; at += 4) {
    Cell& cell = arrays_[base].cells[offset + at];
    cell.isTarget = true, cell.copier = t;
  }
}

// What was copied is there now, as if it were written here: other threads still need a barrier.
void SharedLog::endCopies(std::int64_t groupsLeft, const clang::Expr* wait) {
  auto isDone = [&](const Copy& c) { return c.group < group_ - groupsLeft; };
  auto done = std::stable_partition(copies_.begin(), copies_.end(), [&](auto& c) { return !isDone(c); });
  std::vector<Copy> ended(done, copies_.end());
  copies_.erase(done, copies_.end());
  for (auto& c : ended)
    for (std::int64_t at = 0; at < c.bytes; at += 4) arrays_[c.base].cells[c.offset + at].isTarget = false;
  for (auto& c : ended) {
    c.touch.wait = wait;
    touch(c.touch, c.base, c.offset, c.bytes);
  }
}

void SharedLog::blockBarrier() { ++interval_; }

}  // namespace kadvise::source
