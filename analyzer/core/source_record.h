// What a source says of others: which kernels it launches and how, which functions of other files it calls
// and what it made sure of before. One record a file, small, kept beside its findings; the rules of the file
// that defines a kernel or a function are asked with what the others say of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

// Places at which missing headers of a file are looked for: where there are more, its result is not kept.
constexpr std::size_t kMostSearched = 4096;

using ArgumentPair = std::array<int, 2>;                    // of a call, counted from 0, the lower one first
using Extent = std::array<std::optional<std::int64_t>, 3>;  // x, y, z; none where it is not constant

// A function as other files know it.
struct FunctionName {
  std::string name;        // qualified: ops::scale; of a template without its arguments
  int parameters = 0;      // overloads differ by their number
  std::string declaredIn;  // absolute path of the file with the declaration that was seen; "" unknown
};

struct LaunchRecord {
  FunctionName kernel;
  int line = 0;
  std::string caller;  // qualified; "" outside of all functions
  Extent grid, block;
  std::array<bool, 3> isRoundedUp{};  // of the grid: a quotient with what is left over as a block of its own
  std::optional<std::int64_t> sharedBytes;  // dynamic; 0 where the launch gives none
  std::string stream;                       // "default": none is given, or a constant 0; "given": any other
  std::vector<std::string> templateArguments;  // as numbers and types, "" where they are not known
  std::vector<ArgumentPair> overlaps;          // pointers into the same memory
  std::vector<int> ofBlocks, ofWarps;  // arguments that are multiples of the block, and of 32, by their words
  std::vector<int> narrow;             // arguments of 64 bits that hold at most 32
};

// What a host function made sure of on every way to a call, in its own body.
struct CallRecord {
  FunctionName callee;
  int line = 0;
  bool guardsDevice = false;  // a CUDAGuard or its like, or a raw cudaSetDevice, is in force
  bool guardsStream = false;  // a CUDAStreamGuard or its like is in force
  bool isBinding = false;  // no call: the function is bound to Python or registered, and called from anywhere
  // Of each argument what is known: "tensor"; "contiguous", "cuda", "dtype", "size" once checked; "fresh" for
  // a tensor that was made here or by .contiguous().
  std::vector<std::vector<std::string>> arguments;
  std::vector<ArgumentPair> overlaps;  // pointers into the same memory
  std::vector<int> narrow;             // arguments of 64 bits that hold at most 32
};

struct FunctionRecord {
  FunctionName name;
  int line = 0;
  bool isInternal = false;  // static, or in a namespace without a name: no other file can call it
  bool isEntry = false;     // bound to Python or registered as an operator: called from anywhere
  bool takesTensor = false;
  bool launches = false;          // kernels, in its own body
  bool guardsDevice = false;      // somewhere in its own body
  bool checksLaunches = false;    // asks for the error of a launch somewhere in its own body
  std::vector<CallRecord> calls;  // of functions that no system header declares
};

struct SourceRecord {
  std::vector<FunctionName> kernels;  // with a body in this file
  std::vector<FunctionName>
      requested;  // kernels that cudaFuncSetAttribute is called for; name "*": unknown ones
  std::vector<LaunchRecord> launches;
  std::vector<FunctionRecord> functions;  // host functions with a body in this file
};

struct LaunchElsewhere {
  std::string file;  // as the user named it
  LaunchRecord launch;
};

struct CallElsewhere {
  std::string file;
  FunctionRecord caller;  // without its calls
  CallRecord call;
  bool isGuarded = false;  // the call, or every known way to the caller, has a device guard
  bool isReached = false;  // the caller is bound or registered, in whatever file, or called by what is
};

// A function of another file that takes no tensor and launches a kernel, by itself or through others of the
// kind, with no device guard on the way.
struct LauncherElsewhere {
  FunctionName function, kernel;
  std::string file;  // of the launch
  int line = 0;
};

// What the other files of a run say of one.
struct Surroundings {
  std::vector<LaunchElsewhere> launches;  // of kernels that are defined here
  std::vector<CallElsewhere> calls;       // of host functions that are defined here
  std::vector<FunctionName> requested;    // kernels, defined or launched here, that others request memory for
  std::vector<LauncherElsewhere> launchers;  // that functions of this file call
  bool empty() const { return launches.empty() && calls.empty() && requested.empty() && launchers.empty(); }
};

// Whether both are one function, as far as names tell. Where it stands is not compared.
bool isSame(const FunctionName&, const FunctionName&);

void to_json(Json&, const FunctionName&);
void from_json(const Json&, FunctionName&);
void to_json(Json&, const LaunchRecord&);
void from_json(const Json&, LaunchRecord&);
void to_json(Json&, const CallRecord&);
void from_json(const Json&, CallRecord&);
void to_json(Json&, const FunctionRecord&);
void from_json(const Json&, FunctionRecord&);
void to_json(Json&, const SourceRecord&);
void from_json(const Json&, SourceRecord&);
void to_json(Json&, const LaunchElsewhere&);
void from_json(const Json&, LaunchElsewhere&);
void to_json(Json&, const CallElsewhere&);
void from_json(const Json&, CallElsewhere&);
void to_json(Json&, const LauncherElsewhere&);
void from_json(const Json&, LauncherElsewhere&);
void to_json(Json&, const Surroundings&);
void from_json(const Json&, Surroundings&);

}  // namespace kadvise
