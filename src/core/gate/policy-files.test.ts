import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { checkPolicy, replayPolicy, testPolicy, type PolicyTest, type RecordedCall } from "./policy-files.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { Policy } from "./policy.ts";
import { shell } from "./shell-calls.ts";
import type { JudgedCall } from "./tool-call.ts";
import { yaml } from "./yaml-file.ts";

const text = `# What the agent may do
version: 1
default: ask
rules:
  - id: read
    effect: allow
    command: [ls **, git status]
  - id: no-rm
    effect: deny
    command: rm **
  - id: idle
    effect: deny
    tool: never
`;

const tested = (policy: Policy, cases: string): PolicyTest => testPolicy(policy, cases, { yaml });

function policyOf(source: string): Policy {
  const checked = checkPolicyText(source);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const problems = (source: string): readonly string[] => {
  const checked = checkPolicyText(source);
  const found = checked.ok ? checked.warnings : checked.problems;
  return found.map(({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`);
};

test("a typo in a policy is an error with line, column and the nearest key", () => {
  for (const [wrong, expected] of [
    ["defualt: ask", '3:1 error Unknown key "defualt": did you mean "default"?'],
    ["ruels: []", '3:1 error Unknown key "ruels": did you mean "rules"?'],
    ["default: alow", '3:10 error "default" is "alow", wanted one of allow, ask, deny: did you mean "allow"?'],
    ["opaque: yes", '3:9 error "opaque" is "yes", wanted one of allow, ask, deny'],
    ["rules: [{ id: a, efect: deny }]", '3:18 error Unknown key "efect": did you mean "effect"?'],
    ["rules: [{ id: a, effect: deny, comand: rm }]", '3:32 error Unknown key "comand": did you mean "command"?'],
    ["rules: [{ id: a, effect: deny, paths: { udner: / } }]", '3:41 error Unknown key "udner": did you mean "under"?'],
    [
      "rules: [{ id: a, effect: deny, arguments: [{ at: /x, regexp: y }] }]",
      '3:54 error Unknown key "regexp": did you mean "regex"?',
    ],
    ["tools: [{ tool: a, sehll: /x }]", '3:20 error Unknown key "sehll": did you mean "shell"?'],
    ["limits: [{ id: a, cals: 1 }]", '3:19 error Unknown key "cals": did you mean "calls"?'],
    ["rules: [{ effect: deny }]", '3:9 error "rules.0" lacks the key "id"'],
    ["rules: [{ id: a, effect: deny, command: [] }]", '3:41 error "rules.0.command" must NOT have fewer than 1 items'],
  ] as const) {
    assert.ok(
      problems(`# one\nversion: 1\n${wrong}\n`).includes(expected),
      `${wrong}\n${problems(`# one\nversion: 1\n${wrong}\n`).join("\n")}`,
    );
  }
});

test("a policy of another version is refused", () => {
  assert.deepEqual(problems("version: 2"), ['1:10 error "version" must be 1']);
  assert.deepEqual(problems("rules: []"), ['1:1 error The file lacks the key "version"']);
});

test("cases pass or tell what was wanted and what came", () => {
  const result = tested(
    policyOf(text),
    `cases:
  - { tool: bash, command: ls -l, expect: allow, rule: read }
  - { name: hidden, tool: bash, command: "ls; rm x", expect: deny, rule: no-rm }
  - { tool: bash, command: rm x, expect: allow }
  - { tool: bash, command: ls, expect: allow, rule: no-rm }
  - { tool: edit, arguments: { path: x }, expect: ask, rule: default }
  - { tool: bash, command: ls, finish: length, expect: deny, rule: unfinished }
`,
  );
  assert.ok(result.ok);
  assert.equal(result.passed, false);
  assert.deepEqual(
    result.results.map((item) => [item.name, item.line, item.message]),
    [
      ["case 1", 2, null],
      ["hidden", 3, null],
      ["case 3", 4, 'Wanted allow, got deny by the rule "no-rm" (line 8): rm x'],
      ["case 4", 5, 'Wanted the rule "no-rm", got allow by the rule "read" (line 5): ls'],
      ["case 5", 6, null],
      ["case 6", 7, null],
    ],
  );
  assert.deepEqual(result.untestedRules, ["idle"]);
});

test("a typo in the cases is an error with its place", () => {
  const result = tested(policyOf(text), "cases:\n  - { tool: bash, expects: deny }");
  assert.ok(!result.ok);
  assert.deepEqual(result.problems.map((problem) => problem.message).toSorted(), [
    '"cases.0" lacks the key "expect"',
    'Unknown key "expects": did you mean "expect"?',
  ]);
});

test("the short command goes where the tool has its text", () => {
  const policy = policyOf(`${text}tools: [{ tool: deep, shell: /a/b }, { tool: many, shell: /list/* }]\n`);
  const result = tested(
    policy,
    "cases: [{ tool: deep, command: rm x, expect: deny }, { tool: many, command: rm x, expect: deny }, { tool: exec_command, command: rm x, expect: deny }]",
  );
  assert.ok(result.ok && result.passed, JSON.stringify(result));
});

const recorded = (id: string, changes: Partial<JudgedCall>, then: RecordedCall["recorded"]): RecordedCall => ({
  call: {
    id,
    kind: "function",
    name: "bash",
    argumentsText: "",
    arguments: { command: "ls" },
    status: "complete",
    provenance: "wire",
    finish: "tool_calls",
    ...changes,
  },
  context: { workingDirectory: "/project", home: null, labels: [] },
  recorded: then,
});

test("a replay shows what would have been decided, and what was decided otherwise then", () => {
  const replay = replayPolicy(policyOf(text), [
    recorded("1", {}, "allow"),
    recorded("2", { arguments: { command: "rm x" } }, "allow"),
    recorded("3", { status: "healed", provenance: "healed" }, null),
    recorded("4", { name: "edit" }, "ask"),
  ]);
  assert.deepEqual(replay.counts, { allow: 1, ask: 1, deny: 2 });
  assert.equal(replay.changed, 1);
  assert.deepEqual(
    replay.calls.map((call) => [call.id, call.decision.effect, call.changed]),
    [
      ["1", "allow", false],
      ["2", "deny", true],
      ["3", "deny", false],
      ["4", "ask", false],
    ],
  );
  assert.deepEqual(
    [...replay.decidedBy],
    [
      ["read", 1],
      ["no-rm", 1],
      ["unfinished", 1],
      ["default", 1],
    ],
  );
});

test("the formatting of a policy does not change its decisions", () => {
  const data = {
    version: 1,
    default: "deny",
    rules: [
      { id: "read", effect: "allow", command: ["ls **", "git status"], paths: { under: "/project" } },
      { id: "write", effect: "ask", redirect: "write", paths: { outside: ["/tmp", "/project"] } },
      {
        id: "edit",
        effect: "allow",
        tool: "edit_*",
        arguments: [{ at: "/path", glob: "src/**", regex: "^[a-z/.]+$" }],
      },
    ],
  };
  const calls = ["ls x", "ls /etc", "git status > /tmp/x", "ls > /etc/x", "rm x"].map((command, index) =>
    recorded(String(index), { arguments: { command } }, null),
  );
  const decisions = (source: string): unknown => {
    const { decidedBy, counts, calls: replayed } = replayPolicy(policyOf(source), calls);
    return [[...decidedBy], counts, replayed.map((call) => [call.decision.effect, call.decision.rule?.id])];
  };
  const expected = decisions(JSON.stringify(data));
  const shuffled = (value: unknown, keys: readonly number[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => shuffled(item, keys));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, member], index) => ({ key, member, weight: keys[index] ?? 0 }));
    return Object.fromEntries(
      entries
        .toSorted((left, right) => left.weight - right.weight)
        .map(({ key, member }) => [key, shuffled(member, keys)]),
    );
  };
  fc.assert(
    fc.property(
      fc.record({
        indent: fc.integer({ min: 1, max: 6 }),
        collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
        defaultStringType: fc.constantFrom("PLAIN" as const, "QUOTE_SINGLE" as const, "QUOTE_DOUBLE" as const),
        lineWidth: fc.constantFrom(20, 80, 0),
      }),
      fc.array(fc.integer(), { minLength: 8, maxLength: 8 }),
      fc.constantFrom("\n", "\r\n"),
      (options, keys, newline) => {
        const source = `# comment\n\n${stringify(shuffled(data, keys), options)}`.replaceAll("\n", newline);
        assert.deepEqual(decisions(source), expected, source);
      },
    ),
  );
});

test("a case that fails names each part of the call that was decided so", () => {
  const checked = checkPolicyText("version: 1\ndefault: ask\nrules: [{ id: read, effect: allow, command: ls ** }]");
  assert.ok(checked.ok);
  const message = (command: string): string | null | undefined => {
    const result = tested(checked.policy, JSON.stringify({ cases: [{ tool: "bash", command, expect: "allow" }] }));
    return result.ok ? result.results[0]?.message : undefined;
  };
  assert.equal(
    message("CDPATH=/etc; cd a; ls; echo x > f; cd a"),
    'Wanted allow, got ask by "default": sets CDPATH; cd a; echo x > f; write f',
  );
  const many = Array.from({ length: 30 }, (_, index) => `run${index}`).join("; ");
  assert.match(message(many) ?? "", /run19; and 10 more$/);
});

test("an object is a policy too: its problems and decisions name the key instead of a line", () => {
  const rules = [{ id: "no-rm", effect: "deny", command: "rm **" }] as const;
  const checked = checkPolicy({ version: 1, rules }, { shell });
  assert.ok(checked.ok, JSON.stringify(checked));
  const cases = { cases: [{ tool: "bash", command: "rm x", expect: "allow" }] };
  const result = testPolicy(checked.policy, cases);
  assert.ok(result.ok);
  assert.equal(result.results[0]?.message, 'Wanted allow, got deny by the rule "no-rm": rm x');
  for (const [wrong, message] of [
    [{ rulse: [] }, 'Unknown key "rulse": did you mean "rules"?'],
    [{ rules: [{ id: "a", effect: "deny", comand: "rm" }] }, 'rules.0: Unknown key "comand": did you mean "command"?'],
    [{ rules: [{ id: "a", effect: "deny", command: "rm | x" }] }, 'rules.0.command: "rm | x" has shell syntax'],
    [
      { rules: [{ id: "a", effect: "allow", command: undefined }] },
      'The value of "command" is undefined, which is not JSON',
    ],
    [{ default: Number.NaN }, 'The value of "default" is NaN, which is not JSON'],
  ] as const) {
    const refused = checkPolicy({ version: 1, ...wrong }, { shell });
    assert.ok(!refused.ok);
    const problem = refused.problems.find(({ severity }) => severity === "error");
    assert.ok(problem?.message.startsWith(message), `${problem?.message} instead of ${message}`);
    assert.deepEqual([problem?.line, problem?.column], [0, 0]);
  }
});

test("a policy is a copy: changing the object afterwards changes nothing", () => {
  const rules = [{ id: "no-rm", effect: "deny", tool: ["rm"] }];
  const checked = checkPolicy({ version: 1, rules });
  rules[0]!.tool[0] = "nothing";
  assert.ok(checked.ok);
  assert.ok(checked.policy.rules[0]?.tools?.[0]?.matches("rm"));
});

test("a text without a reader is refused with the import that reads it", () => {
  const result = checkPolicy("version: 1");
  assert.ok(!result.ok);
  assert.match(result.problems[0]?.message ?? "", /\{ yaml \} from "lectern\/yaml"/);
  const cyclic: { version: number; self?: unknown } = { version: 1 };
  cyclic.self = cyclic;
  assert.ok(!checkPolicy(cyclic).ok);
});
