// A report as the tree shows it.
import assert from "node:assert/strict";
import {test} from "node:test";
import {describe, findingsOf} from "../src/report_model";

const finding = (id: string, rule: string, scope: string, severity = "opportunity") => ({
  id,
  rule,
  message: `what ${rule} says`,
  severity,
  where: {file: "models/bert.py", line: 12, scope},
});
const report = {
  findings: [
    finding("3", "graph-break/print", "pooler", "warning"),
    finding("1", "fusion/rope", "layer.0"),
    finding("2", "fusion/rope", "layer.1"),
    finding("4", "fusion/gelu", "mlp"),
  ],
  verdicts: [
    {candidate: "C1", findings: ["1", "2"], outcome: "faster", speedup: {mid: 1.5}},
    {candidate: "C2", findings: ["4"], outcome: "slower", speedup: {mid: 0.5}},
  ],
};

test("what is faster comes first, equal places are one row", () => {
  const rows = findingsOf(report);
  assert.deepEqual(
    rows.map((r) => r.rule),
    ["fusion/rope", "graph-break/print", "fusion/gelu"],
  );
  assert.equal(describe(rows[0]), "1.50x in its region, bert.py:12, 2 sites");
  assert.equal(rows[2].gain, "", "a slower candidate gains nothing");
});

test("reports that are none are empty", () => {
  for (const odd of [{}, {findings: 3}, {findings: [null, 5, {}]}, {findings: [], verdicts: "x"}])
    assert.doesNotThrow(() => findingsOf(odd));
  assert.equal(describe(findingsOf({findings: [{}]})[0]), "");
});
