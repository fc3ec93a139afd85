import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePolicy, toolSettings } from "./policy.ts";
import type { PolicyData, RuleData } from "./policy-schema.ts";
import { policyReaders } from "./policy-text.ts";

const place = (): { readonly line: number; readonly column: number } => ({ line: 7, column: 3 });

function messages(data: Partial<PolicyData>): readonly string[] {
  const result = compilePolicy({ version: 1, ...data }, place, policyReaders);
  const problems = result.ok ? result.warnings : result.problems;
  return problems.map((problem) => `${problem.severity} ${problem.message}`);
}

const rule = (changes: Partial<RuleData>): Partial<PolicyData> => ({
  rules: [{ id: "a", effect: "deny", ...changes }],
});

test("a policy without a word asks for everything and denies turns that were cut off", () => {
  const result = compilePolicy({ version: 1 }, place, policyReaders);
  assert.ok(result.ok);
  const { policy } = result;
  assert.deepEqual([policy.default, policy.opaque, policy.length], ["ask", "ask", "deny"]);
});

test("what a rule cannot mean is an error", () => {
  for (const [changes, expected] of [
    [{ tool: "a[b]" }, /Cannot use "\[" in the glob/],
    [{ arguments: [{ at: "path", equals: 1 }] }, /"path" is not a JSON Pointer/],
    [{ arguments: [{ at: "/a", regex: "(?=x)" }] }, /Cannot use the pattern/],
    [
      { arguments: [{ at: "/a", under: "src" }] },
      /"src" is not an absolute directory.*a name anywhere is glob: "\*\*\/src"$/,
    ],
    [{ arguments: [{ at: "/a", under: "/a/*" }] }, /has wildcards: use "glob"/],
    [{ command: "rm && ls" }, /has shell syntax/],
    [{ command: "rm 'a b'" }, /has shell syntax/],
    [{ command: "** rm" }, /is not a command/],
    [{ command: "rm ** x ** y" }, /is not a command/],
    [{ command: "rm ** **" }, /is not a command/],
    [{ command: "   " }, /is not a command/],
    [{ command: "rm {a,b}" }, /Cannot use "{"/],
    [{ options: "r" }, /"r" is not an option/],
    [{ assigns: "A", command: "ls" }, /write two rules/],
    [{ redirect: "write", command: "ls" }, /write two rules/],
  ] as const) {
    assert.match(messages(rule(changes))[0] ?? "", new RegExp(`^error .*${expected.source}`), JSON.stringify(changes));
  }
});

test("an id stands for one rule", () => {
  const rules: readonly RuleData[] = [
    { id: "a", effect: "deny" },
    { id: "a", effect: "allow" },
  ];
  assert.deepEqual(messages({ rules }), ['error The id "a" is used twice']);
});

test("a limit limits something", () => {
  assert.match(messages({ limits: [{ id: "a", tool: "x" }] })[0] ?? "", /neither calls nor concurrent/);
  const result = compilePolicy({ version: 1, limits: [{ id: "a", calls: 5 }] }, place, policyReaders);
  assert.deepEqual(result.ok && result.policy.limits[0]?.rate, { calls: 5, perMs: 60_000, burst: 5 });
});

test("a rule that would silently do nothing is a warning", () => {
  assert.match(
    messages(rule({ tool: "edit", command: "rm **" }))[0] ?? "",
    /^warning The tool "edit" has no shell text/,
  );
  assert.deepEqual(messages(rule({ tool: "Bash", command: "rm **" })), []);
  assert.deepEqual(messages({ ...rule({ tool: "run", command: "rm" }), tools: [{ tool: "run", shell: "/text" }] }), []);
});

test("an expression that allows should be anchored", () => {
  const loose = { effect: "allow", arguments: [{ at: "/a", regex: "x" }] } as const;
  assert.match(messages(rule(loose))[0] ?? "", /^warning .* begin with \^ and end with \$/);
  assert.deepEqual(messages(rule({ ...loose, effect: "deny" })), []);
  assert.deepEqual(messages(rule({ ...loose, arguments: [{ at: "/a", regex: "^x$" }] })), []);
});

test("settings of a tool come from the policy before those that are known", () => {
  const result = compilePolicy(
    { version: 1, tools: [{ tool: "b*", shell: "/x", timeoutSeconds: 2 }] },
    place,
    policyReaders,
  );
  assert.ok(result.ok);
  assert.deepEqual(toolSettings(result.policy, "bash")?.shell, ["x"]);
  assert.equal(toolSettings(result.policy, "bash")?.timeoutMs, 2_000);
  assert.deepEqual(toolSettings(result.policy, "exec_command")?.shell, ["cmd"]);
  assert.equal(toolSettings(result.policy, "edit"), undefined);
});

test("an entry for a tool replaces the keys that it has, and no others", () => {
  const result = compilePolicy(
    {
      version: 1,
      tools: [
        { tool: "bash", timeoutSeconds: 60 },
        { tool: ["b*", "exec_*"], timeoutSeconds: 5, directory: "/folder" },
        { tool: "exec_command", shell: "/text" },
      ],
    },
    place,
    policyReaders,
  );
  assert.ok(result.ok);
  const { policy } = result;
  assert.deepEqual(toolSettings(policy, "bash"), { shell: ["command"], directories: [["folder"]], timeoutMs: 60_000 });
  assert.deepEqual(toolSettings(policy, "exec_command"), {
    shell: ["text"],
    directories: [["folder"]],
    timeoutMs: 5_000,
  });
  assert.deepEqual(toolSettings(policy, "run_shell_command")?.directories, [["dir_path"], ["directory"]]);
});

test("a rule about commands whose tools match no tool with a shell text is a warning", () => {
  assert.match(
    messages(rule({ tool: "mcp__*", command: "rm **" }))[0] ?? "",
    /^warning The tool "mcp__\*" has no shell/,
  );
  assert.deepEqual(messages(rule({ tool: "*", command: "rm **" })), []);
  assert.deepEqual(messages(rule({ tool: "run_*", command: "rm **" })), []);
  const timed = { tools: [{ tool: "bash", timeoutSeconds: 60 }] };
  assert.deepEqual(messages({ ...rule({ tool: "bash", command: "rm **" }), ...timed }), []);
});

test("a policy that lets unreadable text pass warns about each rule that restricts commands", () => {
  const denied = { ...rule({ command: "rm **" }), opaque: "allow" } as const;
  assert.match(messages(denied)[0] ?? "", /^warning "opaque: allow" allows every text/);
  assert.deepEqual(messages({ ...denied, opaque: "deny" }), []);
  assert.deepEqual(messages({ ...rule({ tool: "edit" }), opaque: "allow" }), []);
});

test("a rule knows its line", () => {
  const result = compilePolicy({ version: 1, ...rule({}) }, place, policyReaders);
  assert.equal(result.ok && result.policy.rules[0]?.line, 7);
});

test("an allow by an expression over a whole shell text is a warning", () => {
  const allow = { effect: "allow", arguments: [{ at: "/command", regex: "^git .*$" }] } as const;
  assert.match(messages(rule({ ...allow, tool: "bash" }))[0] ?? "", /^warning This allows every command/);
  assert.match(messages(rule(allow))[0] ?? "", /^warning This allows every command/);
  assert.deepEqual(messages(rule({ ...allow, tool: "other" })), []);
  assert.deepEqual(messages(rule({ ...allow, effect: "deny" })), []);
});

test("without a judge of shell text, a policy about shell commands is refused by name", () => {
  const data = {
    version: 1,
    tools: [{ tool: "run", shell: "/text" }],
    rules: [
      { id: "no-rm", effect: "deny", command: "rm **" },
      { id: "writes", effect: "ask", redirect: "write" },
      { id: "ls", effect: "allow", tool: "bash", arguments: [{ at: "/command", equals: "ls" }] },
      { id: "read", effect: "allow", tool: "read_file" },
      { id: "rest", effect: "ask", tool: "*" },
    ],
  } as const;
  assert.ok(compilePolicy(data, place, policyReaders).ok);
  const result = compilePolicy(data, place, { shell: null, patterns: null });
  assert.ok(!result.ok);
  const remedy = 'pass the judge: checkPolicy(policy, { shell }) with { shell } from "lectern/shell"';
  assert.deepEqual(
    result.problems.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [
      `The tool "run" takes shell text: ${remedy}`,
      `The rule "no-rm" is about shell commands: ${remedy}`,
      `The rule "writes" is about shell commands: ${remedy}`,
      `The rule "ls" is about shell commands: ${remedy}`,
    ],
  );
});

test("without a reader of regular expressions a rule with one is refused, and names it", () => {
  const data = { version: 1, ...rule({ tool: "read_file", arguments: [{ at: "/a", regex: "^x$" }] }) } as const;
  const result = compilePolicy(data, place, { shell: null, patterns: null });
  assert.ok(!result.ok && result.problems.some(({ message }) => message.includes('from "lectern/patterns"')));
  assert.ok(compilePolicy(data, place, { ...policyReaders, shell: null }).ok);
});
