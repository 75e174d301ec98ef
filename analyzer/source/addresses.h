// Where each thread reads and writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/threads.h"

namespace kadvise::source {

enum class Space { Global, Shared, Local, Constant, Unknown };

struct Address {
  Space space = Space::Unknown;
  const clang::ValueDecl* base = nullptr;  // parameter or array that it is counted from
  std::int64_t offset = 0;                 // in bytes
  bool isMadeUp = false;
};

// Of an element (x[i], *p, p->field); none where threads may differ in an unknown way. elementBytes of a type
// that a template leaves open count as 4.
std::optional<Address> addressOf(Threads&, const clang::Expr* lvalue, const Thread&);

// Of where a pointer points.
std::optional<Address> pointerOf(Threads&, const clang::Expr* pointer, const Thread&);

std::int64_t bytesOf(const Unit&, clang::QualType);

// An access of one element of memory.
struct Access {
  const clang::Expr* lvalue = nullptr;  // x[i], *p; of a call such as __ldg its pointer
  bool isWrite = false;
  std::int64_t bytes = 4;
  bool isPointer = false;  // lvalue is a pointer to the element
};

std::optional<Address> addressOf(Threads&, const Access&, const Thread&);

// Element accesses in the body of a function, in order; what is only a step on the way to an element is none.
std::vector<Access> accessesOf(const Unit&, const clang::FunctionDecl&);

}  // namespace kadvise::source
