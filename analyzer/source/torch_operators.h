// Host functions of a file that work on tensors: which of them are bound or registered, what they launch by
// themselves and through others of the file, and whether a device guard stands on the way.
#pragma once

#include <map>
#include <vector>

#include "analyzer/source/analyses.h"

namespace kadvise::source {

struct HostCall {
  const clang::CallExpr* call = nullptr;
  const clang::FunctionDecl* callee = nullptr;  // with a body in this file
};

struct HostFunction {
  const clang::FunctionDecl* function = nullptr;
  bool isBound = false;       // named in m.def(…) or m.impl(…): called from anywhere
  bool guardsDevice = false;  // in its own body
  std::vector<const LaunchSite*> launches;
  std::vector<HostCall> calls;
  std::vector<const LauncherElsewhere*> launchesElsewhere;  // by functions of other files
  std::vector<const CallElsewhere*> callsElsewhere;         // of it, in other files of the run
};

// A launch in this file or, of a function that is called, in another.
struct ReachedLaunch {
  const LaunchSite* here = nullptr;
  const LauncherElsewhere* elsewhere = nullptr;
  explicit operator bool() const { return here || elsewhere; }
};

// By the function as it is written. Lambdas belong to the function around them.
using HostFunctions = std::map<const clang::FunctionDecl*, HostFunction>;

HostFunctions torchOperatorsOf(Analyses&);

// Bound or registered, here or in another file, or called from there by what is: nobody but it checks or
// guards. Of callers elsewhere all must leave open what is asked for.
bool isCalledFromAnywhere(const HostFunction&, bool (*leavesOpen)(const CallElsewhere&, unsigned),
                          unsigned parameter);

// Bound or registered, or called by what is through whatever files, and no known way to it has a guard.
bool isReachedUnguarded(const HostFunction&);

// The function around a statement that is no lambda, as it is written.
const clang::FunctionDecl* namedFunctionAround(const Unit&, const clang::Stmt*);

// The first launch that the function reaches without a device guard.
ReachedLaunch unguardedLaunch(const HostFunctions&, const clang::FunctionDecl*);

}  // namespace kadvise::source
