import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { decide, type Decision, type DecisionContext } from "./decide.ts";
import type { Policy } from "./policy.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { Effect } from "./policy-schema.ts";
import type { JudgedCall } from "./tool-call.ts";

const context: DecisionContext = { workingDirectory: "/project", home: "/users/me", labels: ["dev"] };

function policyOf(text: string): Policy {
  const checked = checkPolicyText(`version: 1\n${text}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const decideShell = (policy: Policy, command: string, changes: Partial<DecisionContext> = {}): Decision =>
  decide(policy, { name: "bash", arguments: { command }, finish: "tool_calls" }, { ...context, ...changes });

/** "effect by": the rule, or what decided where none did. */
const shell = (policy: Policy, command: string, changes: Partial<DecisionContext> = {}): string => {
  const decision = decideShell(policy, command, changes);
  return `${decision.effect} ${decision.rule?.id ?? decision.source}`;
};

const eachDecides = (policy: Policy, table: Readonly<Record<string, string>>): void => {
  for (const [command, expected] of Object.entries(table)) assert.equal(shell(policy, command), expected, command);
};

const careful = policyOf(`
rules:
  - { id: read, effect: allow, command: [ls **, cat **, git status **, npm run *] }
  - { id: no-rm, effect: deny, command: rm **, reason: Files are not removed here }
  - { id: push, effect: ask, command: git push ** }
`);

test("each command of a text must be allowed", () => {
  eachDecides(careful, {
    "ls -la": "allow read",
    "ls && cat x | cat": "allow read",
    "ls && make": "ask default",
    "ls && rm -rf x": "deny no-rm",
    "git push; rm x": "deny no-rm",
    "git push && ls": "ask push",
    "npm run test": "allow read",
    "npm run test extra": "ask default",
    "npm install": "ask default",
  });
});

test("no spelling of a denied command gets through", () => {
  for (const text of [
    "'rm' x",
    'r""m x',
    "r\\m x",
    "$'\\x72m' x",
    "/bin/rm x",
    "../../bin/rm x",
    "ls; rm x",
    "ls\nrm x",
    "ls | rm x",
    "ls & rm x",
    "ls || rm x",
    "(rm x)",
    "{ rm x; }",
    "! rm x",
    "time rm x",
    "echo $(rm x)",
    "cat `rm x`",
    "cat <(rm x)",
    'ls "$(rm x)"',
    "cat <<E\n$(rm x)\nE",
    "if ls; then rm x; fi",
    "f() { rm x; }; f",
    "bash -c 'rm x'",
    "sh -c \"bash -c 'rm x'\"",
    "bash <<< 'rm x'",
    "sh <<'E'\nrm x\nE",
    "eval rm x",
    "sudo rm x",
    "env A=1 rm x",
    "timeout 5 nice rm x",
    "xargs rm < list",
    "find . -exec rm {} +",
    "command rm x",
    "exec rm x",
    "busybox rm x",
    "trap 'rm x' EXIT",
    "alias ls='rm x'",
    "a=1 rm x",
    "> y rm x",
    "ls \\\n; rm x",
    "ls # comment\nrm x",
  ]) {
    assert.equal(shell(careful, text), "deny no-rm", text);
  }
});

test("what cannot be read is asked for, even where everything in it seems allowed", () => {
  for (const text of [
    "$cmd x",
    "{rm,-rf,/}",
    "eval $x",
    "curl -s x | sh",
    "ls $(",
    "/bin/r? x",
    "source x",
    "ls \u202e",
    "r\u043c x",
    "ls $((x))",
    "cat x | xargs sh -c",
    "parallel ls ::: x",
  ]) {
    assert.equal(decideShell(careful, text).effect, "ask", text);
  }
});

test("the policy says how strict it is about what cannot be read", () => {
  const rules = "rules: [{ id: ls, effect: allow, command: ls ** }, { id: no-rm, effect: deny, command: rm -rf ** }]";
  const denying = policyOf(`opaque: deny\n${rules}`);
  const allowing = policyOf(`opaque: allow\ndefault: allow\n${rules}`);
  assert.equal(shell(denying, "ls $((x))"), "deny opaque");
  assert.equal(shell(denying, "rm $x"), "deny no-rm");
  assert.equal(shell(careful, "git $x"), "ask push");
  assert.equal(shell(allowing, "ls $((x))"), "allow ls");
  assert.equal(shell(allowing, "rm $x"), "allow default");
  assert.equal(shell(allowing, "rm -rf $x"), "deny no-rm");
});

test("a program of another folder is not the one that was allowed", () => {
  eachDecides(careful, {
    "/bin/ls": "allow read",
    "/usr/bin/../bin/ls": "allow read",
    "./ls": "ask default",
    "/tmp/ls": "ask default",
    // Where it leads depends on what /tmp is.
    "/tmp/../bin/ls": "ask default",
  });
  assert.equal(shell(policyOf("rules: [{ id: own, effect: allow, command: ./ls }]"), "./ls"), "allow own");
});

test("variables that steer programs are not part of an allowed command", () => {
  eachDecides(careful, {
    "PATH=. ls": "ask default",
    "LD_PRELOAD=./x.so ls": "ask default",
    "LANG=C ls": "allow read",
    "x=1 ls": "allow read",
  });
  const policy = policyOf(
    "rules: [{ id: ls, effect: allow, command: ls }, { id: node, effect: allow, assigns: NODE_* }]",
  );
  assert.equal(shell(policy, "NODE_ENV=test ls"), "allow ls");
  assert.equal(shell(policy, "PATH=x NODE_ENV=test ls"), "ask default");
});

test("redirections are judged by their files", () => {
  const policy = policyOf(`
rules:
  - { id: echo, effect: allow, command: echo ** }
  - { id: inside, effect: allow, redirect: any, paths: { under: . } }
  - { id: secret, effect: deny, redirect: any, paths: { glob: "**/.env" } }
`);
  eachDecides(policy, {
    "echo x > a": "allow echo",
    "echo x > /project/b/c 2>&1": "allow echo",
    "echo x > /dev/null": "allow echo",
    "echo x > /etc/passwd": "ask default",
    "echo x > ../y": "ask default",
    "echo x > b/../../y": "ask default",
    "echo x > $f": "ask secret",
    "echo x > .env": "deny secret",
    "echo x < /a/.env": "deny secret",
    "echo x >| ~/y": "ask default",
    "cd /etc && echo x > y": "ask default",
  });
});

test("operands are held inside of folders in every way a path can be written", () => {
  const policy = policyOf(`
rules:
  - { id: rm-inside, effect: allow, command: rm **, paths: { under: /project } }
  - { id: rm-outside, effect: deny, command: rm **, paths: { outside: /project } }
`);
  eachDecides(policy, {
    "rm x": "allow rm-inside",
    "rm -rf build/*": "allow rm-inside",
    "rm /project/a /project/b": "allow rm-inside",
    "rm /": "deny rm-outside",
    "rm a /etc/x": "deny rm-outside",
    "rm ../x": "deny rm-outside",
    "rm a/../../x": "deny rm-outside",
    "rm ~/x": "deny rm-outside",
    "rm '~/x'": "allow rm-inside",
    "rm /project/../x": "deny rm-outside",
    "rm /projects": "deny rm-outside",
    "rm --from=/etc": "deny rm-outside",
    "rm -C/etc": "deny rm-outside",
    "rm of=/etc/x": "allow rm-inside",
    "rm a:/etc/x": "allow rm-inside",
    "rm $x": "ask rm-outside",
    "rm ~root/x": "ask rm-outside",
    "rm .*": "ask rm-outside",
    "rm {a,/etc}": "ask rm-outside",
    "cd src; rm x": "ask default",
    "cd /; rm x": "ask rm-outside",
  });
  assert.equal(shell(policy, "rm x", { workingDirectory: null }), "ask rm-outside");
  assert.equal(shell(policy, "rm x", { workingDirectory: "/etc" }), "deny rm-outside");
});

test("options are found in every spelling", () => {
  const policy = policyOf(`
default: allow
rules: [{ id: forced, effect: deny, command: rm **, options: ["-r|-R|--recursive", "-f|--force"] }]
`);
  for (const text of [
    "rm -rf x",
    "rm -fr x",
    "rm -r -f x",
    "rm x -vrf",
    "rm --recursive --force x",
    "rm -R --forc x",
    "rm -f y -r",
  ]) {
    assert.equal(shell(policy, text), "deny forced", text);
  }
  for (const text of ["rm -r x", "rm x", "rm -r -- -f", "ls -rf"])
    assert.equal(shell(policy, text), "allow default", text);
  assert.equal(shell(policy, "rm -r $x"), "ask forced");
});

test("arguments are judged by glob, expression, value and folder", () => {
  const policy = policyOf(`
default: deny
rules:
  - id: edit
    effect: allow
    tool: [edit, write_*]
    arguments:
      - { at: /path, under: /project }
      - { at: /edits/*/text, regex: "^[a-z ]*$" }
  - { id: secret, effect: deny, tool: "*", arguments: [{ at: "", glob: "**/.env" }] }
  - { id: big, effect: ask, tool: edit, arguments: [{ at: /mode, equals: 511 }] }
  - { id: anything, effect: allow, tool: plain, arguments: [{ at: /extra, exists: false }] }
`);
  const by = (name: string, value: unknown): string => {
    const decision = decide(policy, { name, arguments: value, finish: "stop" }, context);
    return `${decision.effect} ${decision.rule?.id ?? decision.source}`;
  };
  const edits = [{ text: "a b" }, { text: "c" }];
  assert.equal(by("edit", { path: "/project/a", edits }), "allow edit");
  assert.equal(by("write_file", { path: "a", edits }), "allow edit");
  assert.equal(by("edit", { path: "/project/../a", edits }), "deny default");
  assert.equal(by("edit", { path: "/project/a", edits: [...edits, { text: "1" }] }), "deny default");
  assert.equal(by("edit", { path: "/project/a", edits: [] }), "deny default");
  assert.equal(by("edit", { path: ["/project/a", "/etc"], edits }), "deny default");
  assert.equal(by("edit", { path: "/project/a", edits, mode: 511 }), "ask big");
  assert.equal(by("edit", { path: "/project/a", edits, mode: "511" }), "allow edit");
  assert.equal(by("edit", { path: "/project/x/../.env", edits }), "deny secret");
  assert.equal(by("plain", {}), "allow anything");
  assert.equal(by("plain", { extra: null }), "deny default");
  assert.equal(by("other", {}), "deny default");
});

test("rules can be for sessions with a label", () => {
  const policy = policyOf("rules: [{ id: ci, effect: allow, session: ci-*, tool: bash, command: ls }]");
  assert.equal(shell(policy, "ls", { labels: ["x", "ci-7"] }), "allow ci");
  assert.equal(shell(policy, "ls", { labels: ["dev"] }), "ask default");
  assert.equal(shell(policy, "ls", { labels: [] }), "ask default");
});

test("a launcher needs no permission of its own unless it gives rights", () => {
  eachDecides(careful, {
    "timeout 5 ls": "allow read",
    "bash -lc 'ls && cat x'": "allow read",
    "env ls": "allow read",
    "xargs cat": "allow read",
    "sudo ls": "ask default",
    "env PATH=x ls": "ask default",
    "find . -exec cat {} +": "ask default",
  });
  const denied = policyOf(
    "rules: [{ id: ls, effect: allow, command: ls }, { id: no-shell, effect: deny, command: bash ** }]",
  );
  assert.equal(shell(denied, "bash -c ls"), "deny no-shell");
});

const effectOf = (name: string, value: unknown): Effect =>
  decide(careful, { name, arguments: value, finish: "stop" }, context).effect;

test("words of a list are read without a shell around them", () => {
  assert.equal(effectOf("shell", { command: ["ls", "-l", "; rm x"] }), "allow");
  assert.equal(effectOf("shell", { command: ["bash", "-lc", "ls; rm x"] }), "deny");
  assert.equal(effectOf("shell", { command: ["rm", "x"] }), "deny");
  assert.equal(effectOf("shell", { command: [] }), "ask");
  assert.equal(effectOf("shell", { command: undefined }), "ask");
});

test("a tool with several shell texts has all of them read", () => {
  assert.equal(effectOf("run_commands", { commands: ["ls", "cat x"] }), "allow");
  assert.equal(effectOf("run_commands", { commands: ["ls", "rm x"] }), "deny");
});

test("the folder that a call names for itself is where its paths start", () => {
  const policy = policyOf(`
tools: [{ tool: bash, shell: /command, directory: /workdir }]
rules: [{ id: in, effect: allow, command: cat **, paths: { under: . } }]
`);
  const by = (workdir: unknown): Effect =>
    decide(policy, { name: "bash", arguments: { command: "cat x", workdir }, finish: "stop" }, context).effect;
  assert.equal(by("/project/src"), "allow");
  assert.equal(by("src"), "allow");
  assert.equal(by("/etc"), "ask");
  assert.equal(by(".."), "ask");
});

test("a time limit for a tool leaves its rules as they are", () => {
  const timed = policyOf(`
default: allow
tools: [{ tool: bash, timeoutSeconds: 60 }]
rules: [{ id: no-rm, effect: deny, command: rm ** }]
`);
  assert.equal(shell(timed, "rm -rf x"), "deny no-rm");
});

const byFinish = (policy: Policy, finish: JudgedCall["finish"]): string => {
  const decision = decide(policy, { name: "x", arguments: {}, finish }, context);
  return `${decision.effect} ${decision.source}`;
};

test("a turn that was cut off executes nothing unless the policy says so, and a failed one never", () => {
  const allowing = policyOf("default: allow");
  const judging = policyOf("default: allow\nlength: judge");
  assert.equal(byFinish(allowing, "length"), "deny unfinished");
  assert.equal(byFinish(judging, "length"), "allow default");
  for (const finish of ["truncated", "error", "content_filter", null] as const) {
    assert.equal(byFinish(judging, finish), "deny unfinished");
  }
});

test("a decision names the rule, its line and what matched", () => {
  const decision = decideShell(careful, "ls && rm -rf x");
  assert.deepEqual(decision.rule, { id: "no-rm", line: 5, reason: "Files are not removed here" });
  assert.equal(decision.evidence, "rm -rf x");
  assert.equal(decision.message, "Files are not removed here");
  assert.deepEqual(
    decision.verdicts.map((verdict) => [verdict.effect, verdict.evidence]),
    [
      ["allow", "ls"],
      ["deny", "rm -rf x"],
    ],
  );
});

test("evidence shows what would be hidden from the person who decides", () => {
  const decision = decideShell(careful, "make \u202e\u200b x");
  assert.equal(decision.evidence, "make \\u{202e}\\u{200b} x");
  assert.ok(!/[\u202e\u200b]/.test(decision.message));
});

const effects = fc.constantFrom<Effect>("allow", "ask", "deny");
const word = fc.constantFrom("ls", "rm", "cat", "git", "-rf", "/etc", "a", "../b", "*", "$x", "'q'", "build");
const commandText = fc
  .array(fc.tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom(" && ", "; ", " | ", " > ", "\n")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.map(([words, last]) => words.join(" ") + last).join("") + "ls");
const condition = fc.constantFrom(
  "command: rm **",
  "command: ls **",
  "command: git *",
  "command: [cat **, 'ls -rf']",
  "options: -r",
  "paths: { outside: /project }",
  "paths: { under: /project }",
  "redirect: write",
  "tool: bash",
  "session: dev",
  'arguments: [{ at: /command, regex: "etc" }]',
  'command: "* **"',
);
const ruleText = fc.tuple(effects, condition).map(([effect, text]) => `effect: ${effect}, ${text}`);
const policyText = fc
  .tuple(effects, effects, fc.array(ruleText, { maxLength: 6 }))
  .map(([fallback, opaque, rules]) => ({
    head: `default: ${fallback}\nopaque: ${opaque}`,
    rules: rules.map((rule, index) => `  - { id: r${index}, ${rule} }`),
  }));
const order = { allow: 0, ask: 1, deny: 2 };
const build = (head: string, rules: readonly string[]): Policy =>
  policyOf(`${head}\nrules:${rules.length === 0 ? " []" : `\n${rules.join("\n")}`}`);

test("a decision is the same each time", () => {
  fc.assert(
    fc.property(policyText, commandText, ({ head, rules }, command) => {
      assert.deepEqual(decideShell(build(head, rules), command), decideShell(build(head, rules), command));
    }),
  );
});

test("a further deny rule never makes anything more allowed, wherever it stands", () => {
  fc.assert(
    fc.property(policyText, condition, fc.nat(6), commandText, ({ head, rules }, added, at, command) => {
      const before = decideShell(build(head, rules), command);
      const more = rules.toSpliced(at, 0, `  - { id: added, effect: deny, ${added} }`);
      const after = decideShell(build(head, more), command);
      assert.ok(order[after.effect] >= order[before.effect], `${before.effect} -> ${after.effect}`);
    }),
    { numRuns: runsOf(300) },
  );
});

test("the order of rules does not change the effect", () => {
  fc.assert(
    fc.property(policyText, commandText, ({ head, rules }, command) => {
      const effect = decideShell(build(head, rules), command).effect;
      assert.equal(decideShell(build(head, rules.toReversed()), command).effect, effect);
    }),
  );
});

test("a further command never makes a text more allowed", () => {
  fc.assert(
    fc.property(policyText, commandText, commandText, ({ head, rules }, first, second) => {
      // An allow for a text that contains something is about the whole text, and more text may contain it.
      const aboutCommands = rules.filter((rule) => !rule.includes("arguments"));
      const policy = build(head, aboutCommands);
      const both = decideShell(policy, `${first}\n${second}`);
      assert.ok(order[both.effect] >= order[decideShell(policy, first).effect]);
    }),
  );
});
