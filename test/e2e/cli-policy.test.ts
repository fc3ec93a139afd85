import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { StoredSession } from "../../src/daemon/store/stored-session.ts";
import { JournalWriter } from "../../src/journal/writer.ts";
import { encodeJson } from "../../src/protocol/payloads.ts";
import type { WireToolCallEvent } from "../../src/core/records.ts";
import { blocksOf, stepsOf } from "../documents.ts";
import { CliHome, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

test("the examples of docs/policy.md do what stands there", async () => {
  const home = await shared.empty();
  let steps = 0;
  for (const block of blocksOf("docs/policy.md")) {
    if (block.language === "yaml") writeFileSync(join(home.directory, block.name), block.text);
    if (block.language !== "console") continue;
    for (const { words, printed } of stepsOf(block)) {
      const { code, stderr, stdout } = await home.run(words.slice(1));
      const shown = `${stderr}${stdout}${code === 0 ? "" : `[exit code ${code}]`}`.trimEnd();
      assert.equal(shown, printed, words.join(" "));
      steps += 1;
    }
  }
  assert.equal(steps, 10);
});

test("lectern policy init writes a new file only, and a name is not a file", async () => {
  const home = await shared.empty();
  const printed = await home.ok("policy", "init", "review");
  assert.equal(printed, readFileSync(join(import.meta.dirname, "../../policies/review.yaml"), "utf8"));
  writeFileSync(join(home.directory, "there.yaml"), "mine");
  assert.match(
    await home.fails("policy", "init", "ci", "-o", "there.yaml"),
    /^\d lectern: Cannot write "there.yaml": it exists already/,
  );
  assert.equal(readFileSync(join(home.directory, "there.yaml"), "utf8"), "mine");
  assert.match(
    await home.fails("policy", "init", "codng"),
    /^2 lectern: Unknown policy "codng": did you mean "coding"\?/,
  );
  assert.match(
    await home.fails("policy", "check", "nightly"),
    /^3 lectern: Cannot find the policy "nightly": the policies with a name are coding, review, ci/,
  );
  writeFileSync(join(home.directory, "coding"), "version: 1\ndefault: allow\n");
  assert.match(await home.ok("policy", "check", "coding"), /^coding: \d+ rules, 1 limits, default ask\n$/);
  assert.match(await home.ok("policy", "check", "./coding"), /^\.\/coding: 0 rules, 0 limits, default allow\n$/);
});

test("a warning has its code, and --strict makes it an error", async () => {
  const home = await shared.empty();
  writeFileSync(
    join(home.directory, "p.yaml"),
    "version: 1\nrules: [{ id: a, effect: deny, tool: bash, command: rm ** }]\n",
  );
  const { code, stderr, stdout } = await home.run(["policy", "check", "p.yaml", "--json"]);
  const { ok, problems } = JSON.parse(stdout) as { readonly ok: boolean; readonly problems: readonly object[] };
  assert.deepEqual([code, stderr, ok, problems.length], [0, "", true, 1]);
  assert.equal((problems[0] as { readonly code: string }).code, "not-covered");
  const strict = await home.run(["policy", "check", "p.yaml", "--strict"]);
  assert.equal(strict.code, 1);
  assert.match(strict.stderr, /^p\.yaml:2:\d+: warning: .* \[not-covered\]\n$/);
  assert.match(await home.ok("policy", "check", "coding", "--strict"), /^coding: /);
});

test("lectern policy explain shows each part with its rule, and the decision", async () => {
  const home = await shared.empty();
  const parsed = JSON.parse(await home.ok("policy", "explain", "--json", "coding", "ls; $(cat x)")) as {
    readonly decision: { readonly effect: string };
    readonly parts: readonly { readonly kind: string; readonly why: string | null }[];
  };
  assert.equal(parsed.decision.effect, "ask");
  assert.deepEqual(
    parsed.parts.map(({ kind }) => kind),
    ["command", "command", "opaque", "command"],
  );
  assert.match(parsed.parts[2]?.why ?? "", /only known when it runs/);
  const write = await home.ok("policy", "explain", "coding", "--tool", "Write", '{"file_path":".git/config"}');
  assert.match(
    write,
    /^ask {2}call {2}Write {2}rule "executed-later", line \d+\nask: What is written there is executed later/,
  );
  assert.match(await home.fails("policy", "explain", "coding", "--tool", "Write", "x"), /give its arguments as JSON/);
  const patch = JSON.stringify("*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch");
  assert.match(await home.ok("policy", "explain", "coding", "--tool", "apply_patch", patch), /^ask +call +apply_patch/);
  const rule = "{ id: a, effect: allow, tool: Bash, command: npm ci }";
  writeFileSync(join(home.directory, "bash.yaml"), `version: 1\ndefault: deny\nrules: [${rule}]\n`);
  const { stderr, stdout } = await home.run(["policy", "explain", "bash.yaml", "npm ci"]);
  assert.match(stdout, /^deny/);
  assert.match(
    stderr,
    /Judged as a call of "bash"; other shell tools are decided otherwise: Bash \(allow\)\. See --tool Bash/,
  );
  assert.match(await home.fails("policy", "explain", "coding", "npm", "test"), /^2 .*with the command in quotes/);
  assert.match(await home.fails("policy", "check", "coding", "--tool", "x"), /^2 .*--tool is for explain/);
});

const event: WireToolCallEvent = {
  type: "wire-tool-call",
  call: "1",
  kind: "function",
  tool: "bash",
  argumentsText: '{"command":"ls -a"}',
  argumentsHash: "a".repeat(64),
  status: "complete",
  provenance: "wire",
  finish: "tool_calls",
  source: "anthropic",
  effect: "allow",
  decidedBy: "look",
};

/** An ended session with these calls in its journal, as a daemon finds it that has lost its registry. */
async function recorded(home: CliHome, id: string, events: readonly WireToolCallEvent[]): Promise<void> {
  const directory = join(home.paths.sessionsDirectory, id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const writer = await JournalWriter.open(directory);
  for (const each of events) writer.append("mark", encodeJson(each), { timeUs: 1 });
  writer.append("exit", encodeJson({ reason: "exited", code: 0, signal: null }), { timeUs: 2 });
  await writer.close();
  const stored: Omit<StoredSession, "options"> = {
    id,
    name: "work",
    state: "exited",
    command: ["claude"],
    agent: "claude",
    workingDirectory: "/project",
    labels: { project: "shop" },
    columns: 80,
    rows: 24,
    pid: null,
    host: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:01.000Z",
    exit: { reason: "exited", code: 0, signal: null },
    end: writer.end,
  };
  writeFileSync(join(directory, "session.json"), JSON.stringify(stored));
}

test("lectern policy replay shows what a policy would have done in a recorded session", async () => {
  await using home = new CliHome();
  await recorded(home, "abcdefghjk", [
    event,
    { ...event, call: "2", argumentsText: '{"command":"rm -r dist"}' },
    { ...event, call: "3", argumentsText: '{"command":"rm', status: "healed", effect: "deny" },
    { ...event, call: "4", argumentsText: null },
  ]);
  const policy = `version: 1
rules:
  - { id: look, effect: allow, command: ls **, session: project=* }
  - { id: no-rm, effect: deny, command: rm ** }
`;
  writeFileSync(join(home.directory, "policy.yaml"), policy);
  const { code, stderr, stdout } = await home.run(["policy", "replay", "policy.yaml", "work"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.split("\n"), [
    "  allow bash: ls -a (look, line 3)",
    "! deny  bash: rm -r dist (no-rm, line 4, was allow)",
    "  deny  bash: bash (unfinished)",
    "3 calls: 1 allow, 0 ask, 2 deny; 1 decided differently at the time",
    "By: look 1, no-rm 1, unfinished 1",
    "",
  ]);
  assert.match(stderr, /1 calls were skipped/);
  const json = JSON.parse(await home.ok("policy", "replay", "--json", "policy.yaml", "work")) as { counts: object };
  assert.deepEqual(json.counts, { allow: 1, ask: 0, deny: 2 });
  const twice = JSON.parse(await home.ok("policy", "replay", "--json", "policy.yaml", "work", "work")) as {
    decidedBy: object;
  };
  assert.deepEqual(twice.decidedBy, { look: 2, "no-rm": 2, unfinished: 2 });
});

test("the operations for policies name the policy of a session, problems with their lines, and the place of each call", async () => {
  await using home = new CliHome();
  await recorded(home, "abcdefghjk", [event, { ...event, call: "2", argumentsText: '{"command":"rm -r dist"}' }]);
  await home.startDaemon("--no-tcp");
  const { client } = home;
  assert.deepEqual(await client.call("policy.get", { session: "work" }), { policy: null });
  assert.deepEqual(await client.call("policy.check", { policy: "version: 1\ndefault: ask\n" }), {
    ok: true,
    problems: [],
    rules: 0,
    limits: 0,
    default: "ask",
  });
  const broken = await client.call("policy.replay", { session: "work", policy: "version: 1\nrulse: []\n" });
  assert.deepEqual(
    [broken.ok, broken.calls, broken.problems.map(({ line, severity }) => `${line} ${severity}`)],
    [false, [], ["2 error"]],
  );
  const { calls } = await client.call("policy.replay", { session: "work", policy: "version: 1\ndefault: deny\n" });
  const { records } = await client.call("sessions.records", { session: "work", types: ["mark"] });
  assert.deepEqual(
    calls.map(({ offset, changed }) => [offset, changed]),
    records.map(({ offset }) => [offset, true]),
  );
});

test("lectern policy says what is wrong with its arguments and files", async () => {
  const home = await shared.empty();
  assert.match(await home.fails("policy", "check"), /^2 lectern: Cannot read the arguments: wanted FILE;/);
  assert.match(await home.fails("policy", "check", "absent.yaml"), /^3 lectern: Cannot find the file "absent.yaml"/);
  assert.match(await home.fails("policy", "test", "a.yaml"), /wanted FILE CASES/);
  assert.match(await home.fails("policy", "schema", "rules"), /wanted policy or cases/);
  writeFileSync(join(home.directory, "bad.yaml"), "version: 1\nrulse: []\n");
  assert.match(
    await home.fails("policy", "replay", "bad.yaml", "work"),
    /^2 lectern: Cannot use the policy: bad.yaml:2:1: Unknown key "rulse": did you mean "rules"\?/,
  );
  const printed = JSON.parse(await home.ok("policy", "schema", "cases")) as { title: string };
  assert.equal(printed.title, "Lectern policy test cases");
});
