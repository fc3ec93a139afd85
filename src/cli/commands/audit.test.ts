import assert from "node:assert/strict";
import { test } from "node:test";
import { auditRowLine, parseHead } from "./audit.ts";
import { makeStyle } from "../style.ts";

const style = makeStyle(false, {});
const subject = { session: "s1", call: "call_1", timeMs: 0 };
const line = (row: Parameters<typeof auditRowLine>[0]["row"]): string =>
  auditRowLine({ sequence: 7, row, previous: "", hash: "" }, style);

test("auditRowLine says who, what and why in one line without escape sequences", () => {
  const decision = {
    type: "decision",
    tool: "bash",
    effect: "deny",
    decidedBy: "no-rm",
    line: 3,
    evidence: "rm \u001b[2J",
  };
  assert.equal(
    line({ ...subject, ...decision }),
    "7 1970-01-01T00:00:00.000Z s1 call_1 bash deny by no-rm (line 3): rm \\x1b[2J",
  );
  assert.match(line({ ...subject, ...decision, decidedBy: "default", line: null }), /deny by default: /);
  assert.match(line({ ...subject, type: "answer", effect: "allow", approver: "me" }), /answered allow by me$/);
  assert.match(line({ ...subject, type: "start", executor: "agent" }), /started by agent$/);
  assert.match(line({ ...subject, type: "outcome", result: "failed", outcomeHash: null }), /call_1 failed$/);
  assert.match(line({ ...subject, type: "something-new" }), /call_1 something-new$/);
});

test("parseHead reads what verify prints and nothing else", () => {
  assert.deepEqual(parseHead(`12:${"a".repeat(64)}`), { sequence: 12, hash: "a".repeat(64) });
  for (const bad of ["12", "x:y", `12:${"A".repeat(64)}`]) assert.throws(() => parseHead(bad), { code: "USAGE" });
});
