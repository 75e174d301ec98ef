#include "kernels/linear_epilogue/description.h"

namespace kadvise {
namespace {

cudaDataType_t typeOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::Float:
      return CUDA_R_32F;
    case Dtype::Half:
      return CUDA_R_16F;
    case Dtype::BFloat16:
      return CUDA_R_16BF;
  }
  return CUDA_R_32F;
}

cublasLtEpilogue_t epilogueOf(const LinearArgs& a) {
  const bool biased = a.bias != nullptr;
  switch (a.epilogue) {
    case Epilogue::None:
      return biased ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::Relu:
      return biased ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Epilogue::GeluTanh:
      return biased ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

template <class Value>
bool set(const CublasLt& lt, cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute,
         const Value& value) {
  return lt.setProduct(product, attribute, &value, sizeof(value)) == CUBLAS_STATUS_SUCCESS;
}

bool describeProduct(const CublasLt& lt, const LinearArgs& a, cublasLtMatmulDescOpaque_t& product) {
  const auto compute =
      a.dtype == Dtype::Float && a.inTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const cublasOperation_t weight = a.weightIsTransposed ? CUBLAS_OP_N : CUBLAS_OP_T;
  if (lt.initProduct(&product, sizeof(product), compute, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS) return false;
  if (!set(lt, &product, CUBLASLT_MATMUL_DESC_TRANSA, weight)) return false;
  if (!set(lt, &product, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(a))) return false;
  return a.bias == nullptr || set(lt, &product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, a.bias);
}

}  // namespace

bool describe(const CublasLt& lt, const LinearArgs& a, Description& d) {
  const auto type = typeOf(a.dtype);
  const auto layout = [&](cublasLtMatrixLayoutOpaque_t& matrix, std::int64_t rows, std::int64_t columns,
                          std::int64_t stride) {
    return lt.initLayout(&matrix, sizeof(matrix), type, static_cast<std::uint64_t>(rows),
                         static_cast<std::uint64_t>(columns), stride) == CUBLAS_STATUS_SUCCESS;
  };
  const std::int64_t height = a.weightIsTransposed ? a.out : a.in,
                     width = a.weightIsTransposed ? a.in : a.out;
  return describeProduct(lt, a, d.product) && layout(d.weight, height, width, a.weightStride) &&
         layout(d.x, a.in, a.rows, a.xStride) &&
         layout(d.z, a.out, a.rows, a.z != nullptr ? a.zStride : a.resultStride) &&
         layout(d.result, a.out, a.rows, a.resultStride);
}

}  // namespace kadvise
