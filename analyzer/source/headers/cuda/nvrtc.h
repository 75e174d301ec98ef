// Compiling at run time.
#pragma once
#include <cstddef>
typedef struct _nvrtcProgram *nvrtcProgram;
enum nvrtcResult { NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE, NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM,
  NVRTC_ERROR_INVALID_OPTION, NVRTC_ERROR_COMPILATION };
extern "C" { const char *nvrtcGetErrorString(nvrtcResult); nvrtcResult nvrtcVersion(int *, int *);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *); nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t *); nvrtcResult nvrtcGetPTX(nvrtcProgram, char *); nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char *); nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t *); nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char *);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram, const char *); nvrtcResult nvrtcGetLoweredName(nvrtcProgram, const char *, const char **);
nvrtcResult nvrtcGetNumSupportedArchs(int *); nvrtcResult nvrtcGetSupportedArchs(int *); }
