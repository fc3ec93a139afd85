import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";

const context = { workingDirectory: "/users/me/project", home: "/users/me", labels: [] };

function judged(rules: string, command: string): string {
  const checked = checkPolicyText(`version: 1\ndefault: allow\nopaque: ask\nrules: [${rules}]`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return decide(checked.policy, { name: "bash", arguments: { command }, finish: "tool_calls" }, context).effect;
}

const noSecrets = '{ id: a, effect: deny, paths: { glob: ["**/.ssh", "**/.ssh/**", /etc/shadow, "**/keys/prod/*"] } }';

test("a search from a parent folder of a secret is not allowed", () => {
  for (const command of [
    "grep -r x ..",
    "grep --recurs x ~",
    "grep -rfe ~",
    "grep -A 3 -r x ~",
    "rg x ~",
    "fd x ~",
    "fdfind --search-path .. -H x",
    "fd --base-directory .. x",
    "rg -f x ~",
    "find ~ -type f",
    "find -L / -name x",
    "find -files0-from x",
    "ls -R ~",
    "tar cf x ~",
    "tar -C .. -cf x .",
    "tar cf x -T list",
    "cp -r ~ y",
    "cp -a ../../me y",
    "cp -r ../* y",
    "mv ~ y",
    "ln -s ~ y",
    "zip -r x ~",
    "rsync -a ~/ y",
    "diff -r src ~",
    "diff x ../y",
    "git -C .. status",
    "chmod -R a+r ~",
    "rm -rf ..",
    "git diff --no-index x ~/other",
    "git diff x ~/other",
    "unzip x -d ~",
    "cd ~; grep -r x .",
    "cd ..; rg x",
    "xargs grep -r x ~ < /dev/null",
    "grep -r x /etc",
    "tar cf x keys",
    "ls | cpio -o",
    "unknown ~",
    "node walk.js ..",
  ])
    assert.equal(judged(noSecrets, command), "ask", command);
});

test("daily work in the project, in /tmp and in the system is let be", () => {
  for (const command of [
    "grep -rn x",
    "grep -rn /api src",
    "grep -rn -A 3 -e /api/x -- src",
    "rg -g '*.ts' /api src/*",
    "find . -path /api -prune -o -type f -print",
    "find . -name x",
    "find /usr/include -name x",
    "tar cf x src",
    "tar cf ../x.tar src",
    "tar -cf ../x.tar --exclude=node_modules src",
    "cp -r src /tmp/x",
    "cp x ../y",
    "ls ~",
    "ls ..",
    "cd .. && npm test",
    "make -C ..",
    "node ../tool/run.js",
    "awk -F/ '{ print $1 }' x",
    "sed 's/../../' x",
    "echo ..",
    "chmod +x ../x",
    "wc -l src/*",
  ])
    assert.equal(judged(noSecrets, command), "allow", command);
});

test("folders below the walked one count for under and outside too", () => {
  assert.equal(judged("{ id: a, effect: deny, paths: { under: ~/.ssh } }", "tar cf x ~"), "ask");
  assert.equal(judged("{ id: a, effect: deny, paths: { under: ~/.ssh } }", "tar cf x src"), "allow");
  assert.equal(judged("{ id: a, effect: deny, paths: { outside: . } }", "tar cf x src"), "allow");
  assert.equal(judged("{ id: a, effect: deny, paths: { outside: . } }", "tar cf x .."), "deny");
  const allowed = "{ id: a, effect: ask }, { id: b, effect: allow, command: tar **, paths: { outside: ~/.ssh } }";
  assert.equal(judged(allowed, "tar cf x ~"), "ask");
});

test("an allow that names a folder holds for what is in it", () => {
  const rule = "{ id: a, effect: allow, command: tar **, paths: { under: [., ~/other] } }";
  const checked = checkPolicyText(`version: 1\ndefault: ask\nrules: [${rule}]`);
  assert.ok(checked.ok);
  const call = { name: "bash", arguments: { command: "tar cf x ~/other" }, finish: "tool_calls" } as const;
  assert.equal(decide(checked.policy, call, context).effect, "allow");
});
