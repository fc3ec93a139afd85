import assert from "node:assert/strict";
import { test } from "node:test";
import {
  briefOptions,
  optionsAgain,
  readOptions,
  recordedOf,
  sessionOptionsSchema,
  wireInputSchema,
} from "./session-options.ts";

test("a session over the wire needs nothing said, and knows no other routes", () => {
  assert.deepEqual(wireInputSchema.parse({}), { approvalMs: 600_000, askOnce: true, mustGate: false });
  assert.equal(wireInputSchema.safeParse({ upstreams: { openai: "http://127.0.0.1:8000/v1" } }).success, true);
  assert.equal(wireInputSchema.safeParse({ upstreams: { openia: "http://x" } }).success, false);
});

test("a variable whose name has an equals sign is refused, because the program would read another one", () => {
  const problems = (environment: Readonly<Record<string, string>>): number =>
    sessionOptionsSchema.safeParse({ command: ["x"], environment }).error?.issues.length ?? 0;
  assert.equal(problems({ PATH: "/bin", "BASH_FUNC_f%%": "() { :; }", "": "kept" }), 0);
  for (const name of ["A=B", "=A", "A\0B"]) assert.equal(problems({ [name]: "C" }), 1, name);
});

const given = sessionOptionsSchema.parse({
  command: ["claude"],
  environment: { TOKEN: "secret" },
  prompt: "fix it",
  worktree: { name: "fix" },
  wire: { policy: "version: 1" },
  sandbox: { settings: "profile: look" },
  eventSchemas: { DONE: {} },
});

test("an environment and a first prompt are not recorded, and all other options are", () => {
  const recorded = new Set(Object.keys(recordedOf(given)));
  const isMissing = (name: string): boolean => !recorded.has(name);
  assert.deepEqual(Object.keys(given).filter(isMissing), ["environment", "prompt"]);
});

test("a session that starts again makes no second worktree, and lists have no long texts", () => {
  const recorded = recordedOf(given);
  assert.deepEqual({ ...optionsAgain(recorded), worktree: recorded.worktree }, recorded);
  const { eventSchemas, sandbox, wire, ...brief } = briefOptions(recorded);
  assert.deepEqual([eventSchemas, sandbox?.settings, wire?.policy], [undefined, undefined, undefined]);
  const { eventSchemas: _, sandbox: __, wire: ___, ...others } = recorded;
  assert.deepEqual(brief, others);
});

test("options that are unknown or damaged are told apart from those that are read, and nothing is lost", () => {
  const written = JSON.parse(
    '{"command":["sh"],"rows":"many","levitate":7,"__proto__":1,"eventTag":{"name":"A","color":"red"},"summaries":true}',
  );
  const { options, unread } = readOptions(written);
  assert.deepEqual([options.command, options.rows, options.summaries, options.eventTag], [["sh"], 40, true, undefined]);
  assert.deepEqual(Object.keys(unread), ["rows", "levitate", "__proto__", "eventTag"]);
  assert.deepEqual(readOptions({ ...options }), { options, unread: {} });
  assert.deepEqual(readOptions({}).options.command, []);
});
