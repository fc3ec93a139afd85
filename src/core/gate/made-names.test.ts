import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { FileView } from "./real-paths.ts";

const project = "/project";
/** `k` and `linked/k` are links to `sub`. */
const there = new Set(["", "/a", "/p", "/k", "/sub", "/sub/a", "/linked", "/linked/k"].map((name) => project + name));
const files: FileView = {
  realPath: (path) => path.replace(/^\/project\/(?:linked\/)?k(?=\/|$)/, "/project/sub"),
  matches: (pattern) => (there.has(pattern) ? [pattern] : []),
  linkedMatches: () => [],
  entriesBelow: () => [],
  linksBelow: (folder) => (/^\/project(?:\/linked)?$/.test(folder) ? ["/project/sub"] : []),
};

const checked = checkPolicyText(`version: 1
rules:
  - { id: work, effect: allow, does: [read, list, write, replace, move, delete, times], paths: { under: ., except: executed-later } }
  - { id: look, effect: allow, does: [read, list], paths: { under: . } }
  - { id: cd, effect: allow, command: cd *, paths: { under: . } }
  - { id: git, effect: allow, command: ["git stash **", "git switch **", npm test] }
  - { id: outside, effect: deny, does: [read, write], paths: { outside: . } }
`);
const { policy } = checked.ok ? checked : assert.fail();

/** With the file system, and without one. */
function effects(command: string): string {
  const call = { name: "Bash", arguments: { command }, finish: "tool_calls" } as const;
  const context = { workingDirectory: project, home: null, labels: [] };
  const found = [{ ...context, files: () => files }, context].map((each) => decide(policy, call, each).effect);
  return found.join(" ");
}

test("what is behind a link that the text makes is not known", () => {
  for (const text of [
    "ln -s .git/hooks h; cp a h/pre-commit",
    "ln -s .git/hooks h && echo x > h/pre-commit",
    "ln -s .git/hooks h; cp a h/*",
    "ln -s .git/hooks h; cd h; cp a pre-commit",
    "ln package.json q; echo > q",
    "cp -s package.json q; echo > q",
    "ln -s .git/hooks h; mv h g; mv a g/x",
    "for i in 1 2; do cp a h/x; ln -s .git/hooks h; done",
    "cp a h/x & ln -s .git/hooks h",
  ])
    assert.equal(effects(text), "ask ask", text);
  for (const text of ["ln -s a b; mv b c", "ln -s a b; rm b", "ln -s sub x; cat a", "cat b; ln -s a b"])
    assert.equal(effects(text), "allow allow", text);
});

test("a copy of a link is one, and a copy of plain files is not", () => {
  for (const text of [
    "mv k l; cat l/a",
    "cp -a k l; echo > l/a",
    "cp -r linked l; cat l/k/a",
    "mv k l; mv l m; cat m/a",
  ])
    assert.equal(effects(text), "ask allow", text);
  for (const text of [
    "mv a b; cat b",
    "cp -r sub t; cat t/a",
    "mv sub t; mv t u; cat u/a",
    "cp a b && mv b c && cat c",
  ])
    assert.equal(effects(text), "allow allow", text);
});

test("a name that was not there may be a link of an archive or a repository", () => {
  for (const text of [
    "tar xf a -C sub; cat sub/q",
    "unzip a -d sub; cat sub/q/r",
    "unzip a -d q; grep -R x q",
    "unzip a -d q; cp -r q r; cat r/x",
    "unzip a -d q; cat q/*",
    "git stash pop; cat q",
    "git switch x; cat q",
  ])
    assert.equal(effects(text), "ask allow", text);
  for (const text of [
    "tar xf a -C sub; cat sub/a",
    "tar xf a -C sub > log",
    "unzip a -d q; ls q; grep -r x q",
    "cat q; git stash pop",
    "git switch -c x; cat > q",
    "git stash && npm test && git stash pop",
  ])
    assert.equal(effects(text), "allow allow", text);
});

test("with more than 24 commands that make names no path of the text is known, however long it is", () => {
  const chain = (length: number): string =>
    Array.from({ length }, (_, at) => `cp sub/a${at + 1} sub/b${at}`).join("; ");
  const judged = (text: string): string =>
    decide(policy, { name: "Bash", arguments: { command: text }, finish: "tool_calls" } as const, {
      workingDirectory: project,
      home: null,
      labels: [],
    }).effect;
  assert.equal(judged(chain(24)), "allow");
  assert.equal(judged(chain(25)), "ask");
  // Took minutes: each copy was compared with each other one, once for each of them.
  assert.equal(judged(chain(900)), "ask");
});

test("a path that is denied by its name stays denied", () => {
  assert.equal(effects("ln -s sub x; cat x/../../y"), "deny deny");
});

test("a denied path may be meant, and the reason is the text itself", () => {
  const call = { name: "Bash", arguments: { command: "ln -s sub x; cat x/a" }, finish: "tool_calls" } as const;
  const { message } = decide(policy, call, { workingDirectory: project, home: null, labels: [] });
  assert.match(
    message,
    /^Which path is meant shows only when it runs: cat x\/a reads x\/a \(the same text makes x\/a,/,
  );
});
