// What is said of the server's state and answers.
import assert from "node:assert/strict";
import {test} from "node:test";
import {lintedWords, statusWords, toldWords, workspaceWords} from "../src/words";

test("a degraded server says why; only one that is not there stands out", () => {
  const words = statusWords({state: "degraded", tier: "stub", message: "no toolkit", files: 0});
  assert.equal(words.text, "$(warning) kadvise");
  assert.equal(words.tooltip, "no toolkit\nHeaders: kadvise's own declarations of CUDA.");
  assert.ok(!words.isWarning);
  assert.ok(statusWords({state: "failed", tier: "", message: "not found", files: 0}).isWarning);
});

test("an idle one is quiet, a state of a later server no error", () => {
  assert.deepEqual(statusWords({state: "idle", tier: "", message: "", files: 0}), {
    text: "$(check) kadvise",
    tooltip: "kadvise",
    isWarning: false,
  });
  assert.equal(statusWords({state: "asleep" as any, tier: "", message: "", files: 0}).text, "$(question) kadvise");
});

test("answers in words", () => {
  assert.equal(lintedWords({uri: "", tier: "stub", findings: 1}), "1 finding");
  assert.equal(
    workspaceWords({files: 2, findings: 0, errors: ["a.cu: too large"]}),
    "no findings in 2 files; 1 could not be read: a.cu: too large",
  );
});

test("what was not started is told as a command", () => {
  assert.equal(toldWords({command: [], line: "kadvise m.pt", started: false}), "To run it: kadvise m.pt");
  assert.equal(
    toldWords({command: [], line: "", started: true, exitCode: 2, output: "a\nm.pt: no module\n"}),
    "kadvise ended with code 2: m.pt: no module",
  );
  assert.equal(
    toldWords({command: [], line: "", started: true, exitCode: 0, report: "file:///r"}),
    "The report is ready",
  );
  const told = {command: [], line: "", started: true, exitCode: 0, report: "file:///r", headline: "1.93x faster"};
  assert.equal(toldWords(told), "1.93x faster");
});
