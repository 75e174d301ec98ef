// What each command takes; advice is the command without a name.
#pragma once

#include "analyzer/option_groups.h"

namespace kadvise {

void addAdvise(CLI::App* app, CommandLine& line, RawOptions& raw);
void addRulesCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addVerifyCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addWhyNotCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addProfileCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addLevelsCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addBenchCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addLintCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addLspCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addDoctorCommand(CLI::App& app, CommandLine& line, RawOptions& raw);
void addReportCommand(CLI::App& app, CommandLine& line, RawOptions& raw);

}  // namespace kadvise
