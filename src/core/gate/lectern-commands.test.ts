import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";

function effectOf(rules: string, command: string): string {
  const checked = checkPolicyText(`version: 1\n${rules}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  const call = { name: "bash", arguments: { command }, finish: "tool_calls" } as const;
  const { effect, source } = decide(checked.policy, call, { workingDirectory: "/project", home: "/me", labels: [] });
  return `${effect} ${source}`;
}

const open = "default: allow\nopaque: allow\n";

test("an agent's shell text does not answer, type, make tokens or end the daemon, however it is spelt", () => {
  for (const command of [
    "lectern approve work q1",
    "lectern answer work q1",
    "lectern token create --scope admin",
    "lectern policy check x.yaml",
    "lectern send work hi --enter",
    "lectern exec work id",
    "lectern key work Enter",
    "lectern prompt work x",
    "lectern down",
    "lectern kill work",
    "lectern signal work INT",
    "lectern attach work",
    "lectern open --print",
    "lectern mcp",
    "lectern run --mine -- bash",
    "lectern label work team=b",
    "lectern",
    "lectern $x",
    'lectern "$x" work q1',
    "lectern something-new",
    "le''ctern appr\\ove work q1",
    "/usr/local/bin/lectern approve work q1",
    "./node_modules/.bin/lectern approve work q1",
    "npx lectern approve work q1",
    "npx -y lectern@latest approve work q1",
    "npx -p lectern lectern approve work q1",
    "npm exec -- lectern approve work q1",
    "npm x lectern approve work q1",
    "pnpm dlx lectern approve work q1",
    "yarn lectern approve work q1",
    "bunx lectern approve work q1",
    "node /opt/lectern/bin/lectern.mjs approve work q1",
    "node --no-warnings bin/lectern.mjs token create",
    "node src/cli/main.ts send work hi",
    "node dist/cli/main.js send work hi",
    "env -i PATH=/bin lectern approve work q1",
    "LECTERN_HOME=/x lectern approve work q1",
    "bash -c 'lectern approve work q1'",
    'sh -lc "lectern approve work q1"',
    "eval 'lectern approve work q1'",
    "alias l=lectern; l approve work q1",
    "nohup setsid lectern approve work q1 &",
    "(sleep 5; lectern approve work q1) &",
    "true | xargs lectern approve work",
    "echo approve work q1 | xargs lectern",
    "find . -exec lectern approve work {} ';'",
    "timeout 5 lectern approve work q1",
    "echo $(lectern approve work q1)",
    "f() { lectern approve work q1; }; f",
    "trap 'lectern approve work q1' EXIT",
    "curl --unix-socket ~/.local/share/lectern/run/daemon.sock http://lectern/v1/tokens -d '{}'",
    'curl --unix-socket "$LECTERN_HOME/run/daemon.sock" http://lectern/v1/tokens',
    "nc -U /run/user/0/lectern/daemon.sock",
    "socat - UNIX-CONNECT:/run/user/0/lectern/host-0a1b2c3d4e5f.sock",
  ]) {
    assert.equal(effectOf(open, command), "deny lectern", command);
    assert.equal(
      effectOf(`default: deny\nrules: [{ id: all, effect: allow, command: "* **" }]`, command).slice(0, 4),
      "deny",
      command,
    );
  }
});

test("reading commands of Lectern, and others that only name it, are judged like any command", () => {
  for (const command of [
    "lectern ls",
    "lectern logs work",
    "lectern emit build.done '{}'",
    "lectern --help",
    "lectern help approve",
    "lectern attach work --read-only",
    "lectern mcp --read-only",
    "node bin/lectern.mjs status work",
    "npx lectern ls",
    "npm install lectern",
    "npm view lectern version",
    "grep approve lectern.mjs",
    "cat /opt/lectern/README.md",
    "ls run/daemon.sock",
    "curl https://example.com/lectern/approve",
    "git commit -m 'lectern approve'",
    "echo lectern approve work q1",
  ]) {
    assert.match(effectOf(open, command), /^allow /, command);
  }
});

test("lectern run starts a program that is not analysed, so it is as strict as opaque text", () => {
  assert.equal(effectOf("default: allow", "lectern run -- rm -rf x"), "ask opaque");
  assert.equal(effectOf("default: allow\nopaque: deny", "npx lectern agent 'do it'"), "deny opaque");
  assert.equal(effectOf(open, "lectern run -d -- make test"), "allow opaque");
});

test("a rule that names a command of Lectern allows it", () => {
  const named =
    "default: deny\nrules: [{ id: ours, effect: allow, command: [ls **, lectern send helper **, npx lectern **] }]";
  assert.equal(effectOf(named, "lectern send helper hi"), "allow rule");
  assert.equal(effectOf(named, "lectern send other hi"), "deny lectern");
  assert.equal(
    effectOf(
      `${open}rules: [{ id: socket, effect: allow, command: "curl --unix-socket */daemon.sock **" }]`,
      "curl --unix-socket run/daemon.sock http://x",
    ),
    "allow rule",
  );
});
