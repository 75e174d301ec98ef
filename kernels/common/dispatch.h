// The dispatch keys that every operator of ours answers alike: its kernels below, its composition of torch's
// operators wherever they cannot serve.
#pragma once

#include "kernels/common/operator.h"
#include "kernels/common/tensors.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/AutogradState.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <type_traits>
#include <utility>

namespace kadvise {

inline bool needsGradient(const Tensor& tensor) {
  return tensor.defined() &&
         ((c10::GradMode::is_enabled() && tensor.requires_grad()) || tensor._fw_grad(/*level=*/0).defined());
}
inline bool needsGradient(const MaybeTensor& tensor) { return isThere(tensor) && needsGradient(*tensor); }
inline bool needsGradient(at::TensorList tensors) {
  for (const Tensor& tensor : tensors)
    if (needsGradient(tensor)) return true;
  return false;
}
template <class Other>
bool needsGradient(const Other&) {
  return false;
}

inline bool isFloatOrNoTensor(const Tensor& tensor) {
  return !tensor.defined() || tensor.scalar_type() == at::kFloat;
}
inline bool isFloatOrNoTensor(const MaybeTensor& tensor) {
  return !isThere(tensor) || isFloatOrNoTensor(*tensor);
}
template <class Other>
bool isFloatOrNoTensor(const Other&) {
  return true;
}

enum class UnderAutocast {
  KeepsFloat,      // where every tensor is float, autocast changes nothing in the composition
  ChangesNothing,  // of any dtype
  LowersFloat,     // matrix products and convolutions, which it computes in 16 bits
};

// Op has static members: kName; kQualifiedName ("kadvise::…"); kSchema; kAutocast; functions of equal
// parameters composition, onCpu, onCuda and onMeta, of which the middle two may take plain numbers for
// symbolic ones. In place of onCuda it may have onCudaStack and onAutogradStack, which take the arguments off
// the interpreter's stack, and so know who else holds them.
template <class Op, class Signature = std::remove_reference_t<decltype(Op::composition)>>
struct Dispatch;

template <class Op, class Result, class... Args>
struct Dispatch<Op, Result(Args...)> {
  static const c10::TypedOperatorHandle<Result(Args...)>& handle() {
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow(Op::kQualifiedName, "")
                               .template typed<Result(Args...)>();
    return op;
  }

  // The kernels have no backward: where a gradient is wanted, forward or backward, the composition gives it.
  static Result onAutograd(Args... args) {
    if ((needsGradient(args) || ...)) return Op::composition(args...);
    const at::AutoDispatchBelowADInplaceOrView below;
    return handle().call(args...);
  }

  template <c10::DispatchKey kKey>
  static Result onAutocast(Args... args) {
    constexpr bool kSame = Op::kAutocast == UnderAutocast::ChangesNothing;
    if (Op::kAutocast == UnderAutocast::LowersFloat || !(kSame || (isFloatOrNoTensor(args) && ...))) {
      return Op::composition(args...);
    }
    const c10::impl::ExcludeDispatchKeyGuard without(kKey);
    return handle().call(args...);
  }

  static void implement(torch::Library& library) {
    using c10::DispatchKey;
    const auto add = [&](DispatchKey key, auto&& kernel) {
      library.impl(Op::kName, torch::dispatch(key, std::forward<decltype(kernel)>(kernel)));
    };
    add(DispatchKey::CPU, TORCH_FN(Op::onCpu));
    add(DispatchKey::Meta, TORCH_FN(Op::onMeta));
    if constexpr (requires { Op::onCudaStack; }) {
      add(DispatchKey::CUDA, torch::CppFunction::makeFromBoxedFunction<&Op::onCudaStack>());
      add(DispatchKey::Autograd, torch::CppFunction::makeFromBoxedFunction<&Op::onAutogradStack>());
    } else {
      add(DispatchKey::CUDA, TORCH_FN(Op::onCuda));
      add(DispatchKey::Autograd, TORCH_FN(onAutograd));
    }
    add(DispatchKey::AutocastCPU, TORCH_FN(onAutocast<DispatchKey::AutocastCPU>));
    add(DispatchKey::AutocastCUDA, TORCH_FN(onAutocast<DispatchKey::AutocastCUDA>));
    add(DispatchKey::CompositeExplicitAutograd, TORCH_FN(Op::composition));
  }

  static constexpr Operator entry() { return {Op::kName, Op::kSchema, &implement}; }
};

}  // namespace kadvise
