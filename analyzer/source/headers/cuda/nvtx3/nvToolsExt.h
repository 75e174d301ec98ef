// Ranges for a profiler.
#pragma once
#include <cstdint>
#include <wchar.h>
#define NVTX_VERSION 3
#define NVTX_API
#define NVTX_DECLSPEC
#define NVTX_INLINE_STATIC inline static
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
#define NVTX_NO_PUSH_POP_TRACKING (-2)
typedef uint64_t nvtxRangeId_t; typedef struct nvtxDomainRegistration *nvtxDomainHandle_t; typedef struct nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED } nvtxMessageType_t;
typedef enum nvtxPayloadType_t { NVTX_PAYLOAD_UNKNOWN, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, NVTX_PAYLOAD_TYPE_INT64, NVTX_PAYLOAD_TYPE_DOUBLE,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, NVTX_PAYLOAD_TYPE_INT32, NVTX_PAYLOAD_TYPE_FLOAT } nvtxPayloadType_t;
union nvtxMessageValue_t { const char *ascii; const wchar_t *unicode; nvtxStringHandle_t registered; };
union nvtxPayload_t { uint64_t ullValue; int64_t llValue; double dValue; uint32_t uiValue; int32_t iValue; float fValue; };
struct nvtxEventAttributes_t { uint16_t version, size; uint32_t category; int32_t colorType; uint32_t color; int32_t payloadType, reserved0;
  nvtxPayload_t payload; int32_t messageType; nvtxMessageValue_t message; };
extern "C" { void nvtxInitialize(const void *); int nvtxRangePop(); void nvtxRangeEnd(nvtxRangeId_t); int nvtxRangePushEx(const nvtxEventAttributes_t *);
void nvtxMarkEx(const nvtxEventAttributes_t *); nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *);
void nvtxDomainDestroy(nvtxDomainHandle_t); int nvtxDomainRangePop(nvtxDomainHandle_t); void nvtxDomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t);
int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t *); void nvtxDomainMarkEx(nvtxDomainHandle_t, const nvtxEventAttributes_t *);
nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t, const nvtxEventAttributes_t *);
#define KA_NVTX(w, C) int nvtxRangePush##w(const C *); void nvtxMark##w(const C *); nvtxRangeId_t nvtxRangeStart##w(const C *); \
  nvtxDomainHandle_t nvtxDomainCreate##w(const C *); nvtxStringHandle_t nvtxDomainRegisterString##w(nvtxDomainHandle_t, const C *); \
  void nvtxDomainNameCategory##w(nvtxDomainHandle_t, uint32_t, const C *); void nvtxNameCategory##w(uint32_t, const C *); \
  void nvtxNameOsThread##w(uint32_t, const C *);
KA_NVTX(A, char) KA_NVTX(W, wchar_t) }
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
