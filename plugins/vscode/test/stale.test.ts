// Which results are dropped on their way in.
import assert from "node:assert/strict";
import {test} from "node:test";
import {isStale} from "../src/stale";

const published = (version?: unknown) => ({
  method: "textDocument/publishDiagnostics",
  params: {uri: "file:///a.cu", version, diagnostics: []},
});
const at = (version?: number) => () => version;

test("a result for an older text is dropped", () => {
  assert.ok(isStale(published(3), at(4)));
  assert.ok(!isStale(published(4), at(4)));
});

test("what has no version, is not open or is something else goes through", () => {
  assert.ok(!isStale(published(), at(4)));
  assert.ok(!isStale(published(3), at(undefined)));
  assert.ok(!isStale({method: "kadvise/status", params: {uri: "file:///a.cu", version: 1}}, at(4)));
  assert.ok(!isStale({method: "textDocument/publishDiagnostics"}, at(4)));
});
