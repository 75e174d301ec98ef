// JSON both ways for the core structs: field names as in types.h, enums as lower-case hyphenated words.
// A missing field keeps its default; an enum word that is not known is an Error.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/core/types.h"

namespace kadvise {

using Json = nlohmann::json;

const char* word(Severity);
const char* word(Safety);
const char* word(Exactness);
const char* word(Outcome);
Severity severityFrom(const std::string&);
Outcome outcomeFrom(const std::string&);
Exactness exactnessFrom(const std::string&);
Safety safetyFrom(const std::string&);

void to_json(Json&, const Location&);
void from_json(const Json&, Location&);
void to_json(Json&, const Edit&);
void from_json(const Json&, Edit&);
void to_json(Json&, const Rewrite&);
void from_json(const Json&, Rewrite&);
void to_json(Json&, const Fix&);
void from_json(const Json&, Fix&);
void to_json(Json&, const Estimate&);
void from_json(const Json&, Estimate&);
void to_json(Json&, const Finding&);
void from_json(const Json&, Finding&);
void to_json(Json&, const Mismatch&);
void from_json(const Json&, Mismatch&);
void to_json(Json&, const Refusal&);
void from_json(const Json&, Refusal&);
void to_json(Json&, const NotApplicable&);
void from_json(const Json&, NotApplicable&);
void to_json(Json&, const Difference&);
void from_json(const Json&, Difference&);
void to_json(Json&, const NearPlace&);
void from_json(const Json&, NearPlace&);
void to_json(Json&, const Interval&);
void from_json(const Json&, Interval&);
void to_json(Json&, const Accuracy&);
void from_json(const Json&, Accuracy&);
void to_json(Json&, const KernelRecord&);
void from_json(const Json&, KernelRecord&);
void to_json(Json&, const Timing&);
void from_json(const Json&, Timing&);
void to_json(Json&, const Measurement&);
void from_json(const Json&, Measurement&);
void to_json(Json&, const Verdict&);
void from_json(const Json&, Verdict&);
void to_json(Json&, const Candidate&);
void from_json(const Json&, Candidate&);

// Reads a whole JSON file; Error names the file and the position of the fault.
Json readJson(const std::string& path);

}  // namespace kadvise
