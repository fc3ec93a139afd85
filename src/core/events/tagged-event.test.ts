import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import {
  isTrusted,
  readEvent,
  type EventSource,
  type EventSchemas,
  type PayloadCheck,
  type StandardSchema,
} from "./tagged-event.ts";
import { TRUST_LEVELS } from "../records.ts";

const source = (name: string, text: string): EventSource => ({
  name,
  text,
  attributes: {},
  id: "text:7",
  carrier: "text",
  trust: "text",
  offset: 7,
  end: 40,
});

const schemas: EventSchemas = new Map<string, StandardSchema | PayloadCheck>([
  ["DONE", z.object({ result: z.string(), steps: z.array(z.number()).default([]) })],
  ["CHECKED", (payload: unknown): string[] => (payload === 1 ? [] : ["must be 1"])],
  [
    "BROKEN",
    (): string[] => {
      throw new Error("out of order");
    },
  ],
  ["LATER", z.string().refine(() => Promise.resolve(true))],
]);

function errorOf(name: string, text: string): string {
  const event = readEvent(source(name, text), { schemas });
  return event.valid ? "valid" : `${event.error.code}: ${event.error.message}`;
}

test("readEvent gives the payload, and what its schema adds", () => {
  assert.deepEqual(readEvent(source("DONE", ' {"result":"ok"}\n'), { schemas }), {
    type: "tagged-event",
    id: "text:7",
    name: "DONE",
    attributes: {},
    carrier: "text",
    trust: "text",
    offset: 7,
    end: 40,
    valid: true,
    payload: { result: "ok", steps: [] },
  });
  assert.equal(errorOf("CHECKED", "1"), "valid");
  assert.equal(errorOf("ANY", "null"), "valid");
});

test("readEvent gives an event with the error and the text for malformed JSON, never an exception", () => {
  for (const text of ["", "{", "{'a':1}", "{}{}", "\u0000"]) {
    const event = readEvent(source("DONE", text), { schemas });
    assert.ok(!event.valid && event.error.code === "malformed-json" && event.text === text);
  }
});

test("readEvent says where a payload does not match its schema", () => {
  assert.match(errorOf("DONE", '{"result":1}'), /^schema-mismatch: result: /);
  assert.match(errorOf("DONE", '{"result":"x","steps":["y"]}'), /^schema-mismatch: steps\.0: /);
  assert.equal(errorOf("CHECKED", "2"), "schema-mismatch: must be 1");
  assert.match(errorOf("LATER", '"x"'), /^schema-mismatch: Cannot check the payload: the schema is asynchronous/);
  assert.match(errorOf("BROKEN", "1"), /^schema-mismatch: Cannot check the payload: out of order/);
});

test("readEvent refuses a name that is none", () => {
  for (const name of ["", "1A", "a b", "A".repeat(65), "é"]) assert.match(errorOf(name, "{}"), /^invalid-name: /);
});

test("readEvent takes another reader of JSON", () => {
  const event = readEvent(source("A", "x"), { parseJson: (text) => text.length });
  assert.ok(event.valid && event.payload === 1);
});

test("isTrusted follows the order of the levels", () => {
  assert.deepEqual(
    TRUST_LEVELS.filter((level) => isTrusted(level, "encoded")),
    ["encoded", "wire", "socket", "derived"],
  );
});
