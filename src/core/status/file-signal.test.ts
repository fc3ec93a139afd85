import assert from "node:assert/strict";
import { test } from "node:test";
import { readMark } from "../records.ts";
import { SessionReducers } from "../views/session-reducers.ts";
import { fileSignal, STATUS_SOURCE } from "./file-signal.ts";

const at = { offset: 1, timeUs: 2 };

test("the words of the file are states; others say nothing", () => {
  assert.equal(fileSignal({ status: "busy" }, at)?.says, "working");
  const idle = fileSignal({ status: "idle" }, at);
  assert.deepEqual([idle?.isFirm, idle?.allows], [true, ["waiting", "blocked"]]);
  assert.deepEqual(fileSignal({ status: "waiting", waitingFor: "permission prompt" }, at)?.allows, ["blocked"]);
  const list = fileSignal({ status: "waiting", waitingFor: "dialog open" }, at);
  assert.deepEqual([list?.isFirm, list?.text], [false, "status=waiting waitingFor=dialog open"]);
  for (const payload of [null, "busy", {}, { status: "dreaming" }, { status: 1 }])
    assert.equal(fileSignal(payload, at), null);
});

test("the state of the file is evidence of the status, and goes with its agent", () => {
  const reducers = new SessionReducers();
  let offset = 0;
  const step = (event: object): void => {
    offset += 1;
    reducers.step({ type: "mark", event: readMark(event), offset, end: offset + 1, timeUs: offset * 1e6 });
  };
  reducers.step({ type: "start", command: ["claude"], offset: 0, timeUs: 0 });
  step({ type: "fact", source: STATUS_SOURCE, id: "1", payload: { status: "busy" } });
  const evidence = reducers.save().status.status?.evidence.find(({ signal }) => signal === "agent-file");
  assert.deepEqual([evidence?.says, evidence?.isDecisive], ["working", true]);
});
