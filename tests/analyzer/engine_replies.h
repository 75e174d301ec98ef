// What tests ask of an engine that may die, and what its death must say.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "analyzer/engine.h"

namespace kadvise {

inline constexpr double kPatienceSeconds = 30;

inline const Json kOpen = {{"path", "m.pt"},   {"workDir", "/tmp"}, {"opLibraries", Json::array()},
                           {"device", "auto"}, {"inputs", {"x"}},   {"inputsFile", ""},
                           {"seed", 0}};

inline void expectDied(const Reply& reply, const std::string& reason) {
  EXPECT_EQ(reply.kind, Reply::Kind::Died);
  EXPECT_NE(reply.reason.find(reason), std::string::npos) << reply.reason;
}

}  // namespace kadvise
