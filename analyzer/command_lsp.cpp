#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analyzer/command_options.h"
#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/interrupt.h"
#include "analyzer/lsp/server.h"
#include "analyzer/option.h"

namespace kadvise {

void addLspCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* lsp =
      app.add_subcommand("lsp", "The language server, for editors: diagnostics, fixes, findings of models")
          ->footer(
              "It speaks LSP 3.17 on standard input and output, logs on standard error, and ends with its "
              "editor.\nSettings of section \"kadvise\": enable, run (onType, onSave), delay, select, "
              "ignore, "
              "extendSelect, exclude,\nconfiguration, configurationPreference, headers, toolkit, torch, "
              "compileCommands, arch, showSyntaxErrors,\nfixAll, codeAction.fixViolation.enable, "
              "codeAction.disableRuleComment.enable, otherFiles, reports.enable, reports.paths.\nCommands: "
              "kadvise.server.lintFile, lintWorkspace, restartParser, showRule, analyseModel, measureFix,\n"
              "reports, status. Initialization options: trusted, settings.");
  addRules(lsp, raw);
  once(lsp, "--engines", raw.engines, "The folder of kadvise-source (default: beside kadvise)", "DIR")
      ->check(CLI::ExistingDirectory)
      ->group("Engines");
  once(lsp, "--memory-limit", raw.memoryGiB, "Of a parser, in GiB (default 1.5)", "GIB")
      ->check(aboveZero())
      ->group("Engines");
  once(lsp, "--time-limit", line.assistant.timeLimitSeconds,
       "Of one file, in seconds (default 20 of computing, 60 for a full look)", "SECONDS")
      ->check(aboveZero())
      ->group("Engines");
  once(lsp, "--log", line.server.log, "Write the log to a file", "FILE")->group("Output");
  lsp->add_flag_callback("--stdio", [] {}, "Standard input and output, as always")->group("Output");
  once(lsp, "--clientProcessId", line.server.clientProcess, "End when this process is gone", "N")
      ->group("Output");
  lsp->parse_complete_callback([&] { line.command = Command::Lsp; });
}

int serveEditor(CommandLine& line) {
  if (!line.server.log.empty()) {
    int fd = ::open(line.server.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) throw Error("--log " + line.server.log.string(), std::strerror(errno));
    ::dup2(fd, STDERR_FILENO);
    ::close(fd);
  }
  // What else would print to standard output must not get between the messages.
  int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  if (out < 0) throw Error("lsp", "standard output is closed");
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  lsp::ServerOptions options;
  options.rules = line.assistant.rules, options.engines = line.assistant.engines;
  options.memoryLimitBytes = line.assistant.memoryLimitBytes;
  options.timeLimitSeconds = line.assistant.timeLimitSeconds;
  options.clientProcess = line.server.clientProcess;
  options.interrupted = [] { return interruptSignal() != 0; };
  return lsp::Server(options, STDIN_FILENO, out).run();
}

}  // namespace kadvise
