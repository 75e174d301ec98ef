// Ranges for a profiler.
#pragma once
#include <cstdint>
typedef uint64_t nvtxRangeId_t; typedef struct nvtxDomainRegistration *nvtxDomainHandle_t; typedef struct nvtxStringRegistration *nvtxStringHandle_t;
enum { NVTX_COLOR_ARGB = 1, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT32 = 3 };
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
struct nvtxEventAttributes_t { uint16_t version, size; uint32_t category; int32_t colorType; uint32_t color; int32_t payloadType, reserved0;
  union { uint64_t ullValue; int64_t llValue; double dValue; int32_t iValue; } payload; int32_t messageType;
  union { const char *ascii; nvtxStringHandle_t registered; } message; };
extern "C" { int nvtxRangePushA(const char *); int nvtxRangePushEx(const nvtxEventAttributes_t *); int nvtxRangePop(); void nvtxMarkA(const char *);
nvtxRangeId_t nvtxRangeStartA(const char *); nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *); void nvtxRangeEnd(nvtxRangeId_t);
nvtxDomainHandle_t nvtxDomainCreateA(const char *); void nvtxDomainDestroy(nvtxDomainHandle_t); int nvtxDomainRangePop(nvtxDomainHandle_t);
int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t *); void nvtxNameOsThreadA(uint32_t, const char *);
nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t, const char *); }
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
