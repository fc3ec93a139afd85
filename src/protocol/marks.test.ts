import assert from "node:assert/strict";
import { test } from "node:test";
import { wireApproval, wireRequest, wireToolCall, wireTurn } from "../../test/marks.ts";
import { readMark } from "../core/records.ts";
import { markSchema } from "./marks.ts";

const start = { type: "session-start", command: ["bash"], columns: 80, rows: 24 };

test("the schema takes the marks that are written, and each of its kinds is known to the reducers", () => {
  for (const mark of [start, wireApproval(), wireRequest(), wireToolCall(), wireTurn()])
    assert.deepEqual(markSchema.parse(mark), mark);
  for (const { shape } of markSchema.options) {
    const [type] = shape.type.values;
    assert.notEqual(readMark({ ...everything, type }).type, "unknown", type ?? "");
  }
});

/** Fields of all marks with values that fit. */
const everything = {
  ...start,

  sequence: 1,
  hash: "h",
  verdict: "busy",
  program: null,
  key: "k",
  bytes: 1,
  name: "N",
  payload: null,
  carrier: "socket",
  trust: "socket",

  schema: {},
  agent: "claude",
  stream: "agent",
  id: "c1",
  source: "s",
  approval: "a1",
  option: "y",
  by: "me",
  state: "open",
  label: "here",
  format: "asciicast",
  title: null,
  message: "",
  bytesLost: 0,
  exchange: "e1",
  tools: 0,
  parts: [],
  call: "c1",
  tool: "Bash",
  argumentsText: null,
  text: "",
  usage: null,
  costUsd: null,
};

test("a field that nobody knows, or a wrong one, does not pass the schema", () => {
  assert.equal(markSchema.safeParse({ ...start, rows: "24" }).success, false);
  assert.equal(markSchema.safeParse({ ...start, more: 1 }).success, false);
});
