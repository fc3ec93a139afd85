import assert from "node:assert/strict";
import { test } from "node:test";
import {
  channelProblems,
  hookProblems,
  readChannels,
  readHooks,
  readNotifyRules,
  ruleProblems,
} from "./read-settings.ts";

test("a channel has the keys of its kind, with their defaults", () => {
  const url = "https://ntfy.sh/topic";
  assert.deepEqual(
    readChannels({ phone: { kind: "ntfy", url }, run: { kind: "command", command: ["x"], timeout: "5s" } }),
    {
      phone: { kind: "ntfy", url, answers: true },
      run: { kind: "command", command: ["x"], timeoutMs: 5000, answers: false },
    },
  );
});

test("a key of another kind, a missing one, a bad address and a bad time are problems with their place", () => {
  const problems = channelProblems({
    phone: { kind: "ntfy", secret: "x" },
    hook: { kind: "webhook", url: "ntfy.sh/topic" },
    file: { kind: "webhook", url: { file: "x" } },
    run: { kind: "command", command: ["x"], timeout: "soon" },
    push: { kind: "desktop" },
  });
  assert.deepEqual(
    problems.map(({ path }) => path.join(".")),
    ["phone.secret", "phone", "hook.url", "file.url", "run.timeout", "push"],
  );
  assert.equal(problems[1]?.message, 'is missing "url", which kind ntfy needs');
});

test("a rule that names only its channels has the defaults, and its globs are checked", () => {
  const [rule] = readNotifyRules([{ to: ["phone"] }]);
  assert.deepEqual([rule?.afterMs, rule?.content, rule?.presence, rule?.to], [20_000, "title", true, ["phone"]]);
  const [filtered] = readNotifyRules([
    { to: ["a"], after: "2m", sessions: { name: "web-*", label: { team: "core" } } },
  ]);
  assert.deepEqual(
    [filtered?.afterMs, filtered?.sessions],
    [120_000, { names: ["web-*"], agents: [], labels: { team: "core" } }],
  );
  assert.deepEqual(
    ruleProblems([{ to: ["a"], after: "-1", sessions: { name: "[x]", label: { team: "{a}" } } }]).map(({ path }) =>
      path.join("."),
    ),
    ["0.after", "0.sessions.name", "0.sessions.label.team"],
  );
});

test("a hook is a command with the kinds of changes that it runs at", () => {
  const hook = { on: ["status"], command: ["x"] };
  assert.deepEqual(readHooks([hook])[0]?.timeoutMs, 10_000);
  assert.equal(hookProblems([{ ...hook, timeout: "x" }]).length, 1);
});
