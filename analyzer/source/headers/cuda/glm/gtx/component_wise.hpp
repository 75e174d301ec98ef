#pragma once
#include <glm/glm.hpp>
namespace glm {
KA_GLM_V T compMax(const vec<L, T, Q> &); KA_GLM_V T compMin(const vec<L, T, Q> &); KA_GLM_V T compAdd(const vec<L, T, Q> &); KA_GLM_V T compMul(const vec<L, T, Q> &);
}
