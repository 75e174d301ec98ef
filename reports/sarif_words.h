// What our two SARIF forms, of reports and of lint reports, have in common.
#pragma once

#include <string>

#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

inline constexpr const char* kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";
inline constexpr const char* kSarifVersion = "2.1.0";

const char* sarifLevel(Severity);

// A reference in the sense of RFC 3986: what a path may hold and an address may not is written as %XX.
std::string sarifAddress(const std::string& path);

// A file as SARIF names it: a relative path from the folder that kadvise ran in, which sarifBases() declares.
Json sarifArtifact(const std::string& path);
Json sarifBases();

}  // namespace kadvise
