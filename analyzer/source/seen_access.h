// Where an access is reported, and in which words.
#pragma once

#include <string>
#include <vector>

#include "analyzer/source/analyses.h"
#include "analyzer/source/findings.h"

namespace kadvise::source {

// Of a kernel, in one kind of memory, in which enough lanes of the warp take part.
std::vector<WarpAccess> accessesIn(Analyses&, const clang::FunctionDecl& kernel, Space);

std::string distanceOf(const WarpAccess&);  // "128 bytes apart"
std::string lanesOf(const WarpAccess&);     // "lanes 0 and 1"

// Many times the sectors that would do.
bool isWasteful(const WarpAccess&);

// What a function does with the addresses that it is given is the caller's: the call is the place. Where the
// function chooses the address by the thread, it is the function's.
Site siteOf(const Unit&, const WarpAccess&, const clang::FunctionDecl& kernel, std::string message);

// "p[i].y" of a float4: the compiler may take it with its neighbours in one access.
bool isFieldOfVector(const Unit&, const Access&);

}  // namespace kadvise::source
