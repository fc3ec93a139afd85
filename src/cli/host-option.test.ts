import assert from "node:assert/strict";
import { test } from "node:test";
import { defineCommand, sessionArgument, sessionOption } from "./command.ts";
import { takeHost, withHostOption } from "./host-option.ts";
import { parseArguments } from "./parse-arguments.ts";

const sample = withHostOption(
  defineCommand({
    name: "sample",
    summary: "A sample",
    arguments: [{ ...sessionArgument, name: "sessions", count: "any" }],
    options: {
      session: sessionOption,
      file: { type: "text", placeholder: "FILE", completes: "file", summary: "file" },
    },
    examples: [],
    run: () => Promise.resolve(0),
  }),
);

function taken(...words: string[]) {
  const parsed = parseArguments(sample, words);
  assert.ok(!parsed.help);
  return takeHost(sample, parsed.input);
}

test("the host of addresses and of --host is taken out of the input, and files are left alone", () => {
  assert.deepEqual(taken("box/a", "box/b", "--session", "box/c", "--file", "x/y"), {
    host: "box",
    input: { options: { session: "c", file: "x/y" }, arguments: { sessions: ["a", "b"] } },
  });
  assert.deepEqual(taken("-H", "box", "a", "box/b").host, "box");
  assert.deepEqual(taken("a"), { host: undefined, input: { options: {}, arguments: { sessions: ["a"] } } });
});

test("two hosts in one command are refused", () => {
  assert.throws(() => taken("box/a", "pi/b"), { code: "USAGE", message: /has box, pi/ });
  assert.throws(() => taken("--host", "pi", "box/a"), { code: "USAGE" });
});

test("a session of this machine beside one of a host is refused: it is not the session of that name there", () => {
  assert.throws(() => taken("box/a", "b"), { code: "USAGE", message: /"b" of this machine .* host "box"/ });
  assert.throws(() => taken("a", "--session", "box/b"), { code: "USAGE" });
});

test("a command that names no session has no --host, unless it is for hosts", () => {
  const local = defineCommand({ ...sample, options: {}, arguments: [] });
  assert.deepEqual(withHostOption(local).options, {});
  assert.deepEqual(Object.keys(withHostOption({ ...local, reachesHosts: true }).options), ["host"]);
});
