// NVRTC, NVIDIA's compiler of CUDA text at run time: the copy that torch brings, found when it is first
// needed. Not linked, so that a machine without it keeps all other kernels.
#pragma once

#include <nvrtc.h>

#include <string>

namespace kadvise {

struct Nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) errorString;
  decltype(&nvrtcGetNumSupportedArchs) architectureCount;
  decltype(&nvrtcGetSupportedArchs) architectures;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcGetProgramLogSize) logSize;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) cubinSize;
  decltype(&nvrtcGetCUBIN) cubin;
  decltype(&nvrtcGetPTXSize) ptxSize;
  decltype(&nvrtcGetPTX) ptx;
};

// Null where there is none that can be used; the sentence then says why, and what to do about it.
// $KADVISE_NVRTC names the file to use; set and empty, there is none. Looked for once a process.
const Nvrtc* nvrtc(std::string& problem);

}  // namespace kadvise
