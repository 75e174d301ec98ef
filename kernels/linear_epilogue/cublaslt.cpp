// Linear layers with an epilogue on a GPU, by cuBLASLt.
#include "kernels/kernels.h"
#include "kernels/linear_epilogue/description.h"
#include "kernels/linear_epilogue/launch.h"
#include "kernels/linear_epilogue/plan_cache.h"

#include <cuda_runtime.h>

#include <cstring>
#include <string>

namespace kadvise {
namespace {

// What torch gives cuBLAS on GPUs of Hopper's size, and what its rules of choice were made for.
constexpr std::size_t kMostWorkspaceBytes = std::size_t{32} << 20;

// All algorithms, unless the user wants sums of parts kept in float, or in registers.
std::uint32_t reductionSchemes(SplitSums sums) {
  switch (sums) {
    case SplitSums::InAnyDtype:
      return CUBLASLT_REDUCTION_SCHEME_MASK;
    case SplitSums::InFloat:
      return CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    case SplitSums::Never:
      return CUBLASLT_REDUCTION_SCHEME_NONE;
  }
  return CUBLASLT_REDUCTION_SCHEME_NONE;
}

bool prefer(const CublasLt& lt, const LinearArgs& a, cublasLtMatmulPreferenceOpaque_t& preference) {
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    return lt.setPreference(&preference, attribute, &value, sizeof(value)) == CUBLAS_STATUS_SUCCESS;
  };
  return lt.initPreference(&preference, sizeof(preference)) == CUBLAS_STATUS_SUCCESS &&
         set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspaceBytes) &&
         set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductionSchemes(a.splitSums)) &&
         set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignmentOf(a.weight)) &&
         set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignmentOf(a.x)) &&
         set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignmentOf(a.z != nullptr ? a.z : a.result)) &&
         set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignmentOf(a.result));
}

std::optional<LinearPlan> makePlan(const CublasLt& lt, const LinearArgs& a) {
  static_assert(sizeof(LinearPlan::algorithm) == sizeof(cublasLtMatmulAlgo_t));
  const cublasLtHandle_t handle = cublasLtOfDevice(lt);
  Description d;
  cublasLtMatmulPreferenceOpaque_t preference;
  if (handle == nullptr || !describe(lt, a, d) || !prefer(lt, a, preference)) return std::nullopt;
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const auto status =
      lt.heuristic(handle, &d.product, &d.weight, &d.x, &d.z, &d.result, &preference, 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS || count == 0 || found.state != CUBLAS_STATUS_SUCCESS)
    return std::nullopt;
  LinearPlan plan{};
  std::memcpy(plan.algorithm, &found.algo, sizeof(found.algo));
  plan.workspaceBytes = static_cast<std::int64_t>(found.workspaceSize);
  return plan;
}

// Never destroyed: operators may run while the process ends.
PlanCache& plans() {
  static auto* const cache = new PlanCache;
  return *cache;
}

const char* failure(cublasStatus_t status) {
  thread_local std::string sentence;
  sentence = "kadvise: cuBLASLt could not start a matrix product, status " +
             std::to_string(static_cast<int>(status));
  return sentence.c_str();
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API int kadvise_cuda_linear_plan(const kadvise::LinearArgs* args,
                                                            kadvise::LinearPlan* plan) {
  using namespace kadvise;
  const CublasLt* lt = cublasLt();
  int device = 0;
  if (lt == nullptr || cudaGetDevice(&device) != cudaSuccess) return 0;
  const PlanKey key = planKey(*args, device);
  auto known = plans().find(key);
  if (!known) {
    known = makePlan(*lt, *args);
    plans().keep(key, *known);
  }
  if (!*known) return 0;
  *plan = **known;
  return 1;
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_linear(const kadvise::LinearArgs* args,
                                                               const kadvise::LinearPlan* plan,
                                                               void* workspace, void* stream) {
  using namespace kadvise;
  const CublasLt* lt = cublasLt();
  const cublasLtHandle_t handle = lt != nullptr ? cublasLtOfDevice(*lt) : nullptr;
  Description d;
  if (handle == nullptr || !describe(*lt, *args, d)) return failure(CUBLAS_STATUS_NOT_INITIALIZED);
  cublasLtMatmulAlgo_t algorithm;
  std::memcpy(&algorithm, plan->algorithm, sizeof(algorithm));
  const float alpha = 1, beta = args->z != nullptr ? 1.0f : 0.0f;
  const void* z = args->z != nullptr ? args->z : args->result;
  const auto status =
      lt->matmul(handle, &d.product, &alpha, args->weight, &d.weight, args->x, &d.x, &beta, z, &d.z,
                 args->result, &d.result, &algorithm, workspace,
                 static_cast<std::size_t>(plan->workspaceBytes), static_cast<cudaStream_t>(stream));
  return status == CUBLAS_STATUS_SUCCESS ? nullptr : failure(status);
}
