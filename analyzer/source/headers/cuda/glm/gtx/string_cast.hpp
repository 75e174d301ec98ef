#pragma once
#include <string>
#include <glm/glm.hpp>
namespace glm { template <class V> std::string to_string(const V &); }
