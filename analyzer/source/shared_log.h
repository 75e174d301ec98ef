// Who touched which byte of shared memory since the last barrier, and which two touches nothing orders.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

enum class TouchKind { Read, Write, Atomic };

struct Touch {
  const clang::Expr* site = nullptr;
  int thread = 0;
  TouchKind kind = TouchKind::Read;
  bool isVolatile = false;
  bool isOfWarp = false;    // the value may be one that its warp shares
  std::int64_t value = 0;   // what is written: two writes of one value do no harm
  std::uint32_t turns = 0;  // which turns of which loops, as the simulator numbers them
  std::uint32_t warpTime = 0;
  const clang::Expr* wait = nullptr;  // of an asynchronous copy: what waited for it, so that it is there
  const clang::CallExpr* outermost = nullptr;  // the call in the kernel itself that leads there; may be null
  std::uint32_t sizes = 0;                     // as in BlockValue: of the place
  bool mayBeEqual = false;                     // as in BlockValue: of what is written
};

// An asynchronous copy that nobody waited for is a conflict with whoever touches its target.
struct Conflict {
  Touch first, second;
  const clang::ValueDecl* base = nullptr;
  std::int64_t offset = 0;
  bool isAnyElement = false;  // one of them goes to an element that was loaded
  bool isCopy = false;        // the first is a copy that is under way
};

class SharedLog {
 public:
  explicit SharedLog(std::size_t threads) : threads_(threads), warpTimes_(threads / 32 + 1, 0) {}

  void touch(Touch, const clang::ValueDecl* base, std::int64_t offset, std::int64_t bytes);
  // Of an element of the array that may be any.
  void touchAny(Touch, const clang::ValueDecl* base);
  void beginCopy(Touch, const clang::ValueDecl* base, std::int64_t offset, std::int64_t bytes);
  void commitCopies() { ++group_; }
  // Those of all groups but the newest so many, at a wait.
  void endCopies(std::int64_t groupsLeft, const clang::Expr* wait);
  void blockBarrier();
  void warpBarrier(int thread) { ++warpTimes_[static_cast<std::size_t>(thread) / 32]; }
  void nextTurn(std::uint32_t turns) { turns_ = turns; }
  std::uint32_t interval() const { return interval_; }
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  struct Cell {
    std::uint32_t interval = 0;
    bool isWritten = false, isUpdated = false;
    std::size_t equalWrites = 0;  // of the value that the writer wrote, in a row
    // Of plain writes and of atomics the last one: an atomic does not take back that a write may still come
    // behind those of other threads.
    Touch writer, updater;
    bool isTarget = false;  // of a copy that is under way
    Touch copier;
    std::vector<Touch> readers;  // few of them: who else read tells nothing new
  };
  struct Array {
    std::unordered_map<std::int64_t, Cell> cells;
    std::uint32_t interval = 0;
    std::size_t written = 0, read = 0;  // elements, in this interval
    Touch lastWrite, lastRead;
    std::vector<Touch> any;
  };
  struct Copy {
    Touch touch;
    const clang::ValueDecl* base;
    std::int64_t offset, bytes;
    std::int64_t group;
  };
  bool clash(const Touch& earlier, const Touch& later) const;
  void report(const Touch& earlier, const Touch& later, const clang::ValueDecl*, std::int64_t offset,
              bool isAny, bool isCopy);
  void touchCell(Array&, const Touch&, const clang::ValueDecl*, std::int64_t offset);
  Array& arrayOf(const clang::ValueDecl*);

  std::size_t threads_;
  std::vector<std::uint32_t> warpTimes_;
  std::uint32_t interval_ = 1, turns_ = 0;
  std::map<const clang::ValueDecl*, Array> arrays_;
  std::vector<Copy> copies_;
  std::int64_t group_ = 0;
  std::vector<Conflict> conflicts_;
};

}  // namespace kadvise::source
