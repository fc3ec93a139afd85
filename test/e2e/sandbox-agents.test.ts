/** What an agent in a sandbox can leave behind for a later run outside, and what sessions that start others inside hand down. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { CliHome, gone, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const WAIT_MS_MAX = 120_000;

/** A program under the name of a real agent, which tries to leave everything that Codex would execute at its next start. */
const agent = `#!/bin/sh
echo "words $*"
cat ~/.codex/config.toml ~/.codex/auth.json
for file in config.toml AGENTS.md hooks.json; do
  echo 'notify = ["sh", "-c", "touch ~/planted"]' >> ~/.codex/$file && echo "changed $file"
done
for file in rules/mine.rules skills/a/SKILL.md; do
  echo planted > ~/.codex/$file || echo "held $file"
done
mkdir -p ~/.codex/plugins/x && echo planted > ~/.codex/plugins/x/run && echo changed plugins
mv ~/.codex/rules ~/.codex/other || echo held renaming
mv ~/.codex ~/.other || echo held moving
ln -s ~/.bashrc ~/.codex/version.json && echo planted >> ~/.codex/version.json || echo held link
echo planted > ~/.bashrc || echo held bashrc
mkdir -p ~/.codex/sessions/2026 && echo turn > ~/.codex/sessions/2026/new.jsonl && echo kept
mkdir -p ~/.codex/locked/inner && chmod 000 ~/.codex/locked
echo "all tried"
read line
`;

interface Person {
  readonly home: string;
  readonly project: string;
  readonly sandbox: string;
}

function personIn(lectern: CliHome): Person {
  const [home, project] = [join(lectern.directory, "person"), join(lectern.directory, "project")];
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  mkdirSync(project);
  write(".codex/config.toml", 'model = "mine"\n');
  write(".codex/auth.json", "a key\n");
  write(".codex/rules/mine.rules", "own\n");
  write(".codex/skills/a/SKILL.md", "own\n");
  write(".codex/sessions/2026/old.jsonl", "own\n");
  write(".bashrc", "own\n");
  mkdirSync(join(lectern.directory, "bin"), { recursive: true });
  writeFileSync(join(lectern.directory, "bin/codex"), agent, { mode: 0o755 });
  const sandbox = join(lectern.directory, "sandbox.yaml");
  // Both are in /tmp, which is fresh inside.
  writeFileSync(sandbox, `profile: work\nreadOnly: [${home}/, ${join(lectern.directory, "bin")}/]\n`);
  return { home, project, sandbox };
}

/** Every file with its text. */
function filesIn(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.toSorted().map((path) => [path.slice(directory.length), readFileSync(path, "utf8")]));
}

/** Starts the agent and waits until it has tried everything. Returns the id of its session, the copies of its files, and what it printed. */
async function tried(lectern: CliHome, { home, project, sandbox }: Person, name: string): Promise<[string, string]> {
  const words = ["run", "-d", "--name", name, "-C", project, `--sandbox=${sandbox}`, "--", "codex", "go"];
  const { code, stderr } = await lectern.run(words, { env: { HOME: home } });
  assert.equal(code, 0, stderr);
  const last = { type: "output", pattern: "all tried" } as const;
  const { reason } = await lectern.client.call("sessions.wait", {
    session: name,
    for: last,
    from: 0,
    timeoutMs: WAIT_MS_MAX,
  });
  const output = await lectern.ok("logs", name);
  assert.equal(reason, "output", output);
  const { id } = await lectern.client.call("sessions.get", { session: name });
  return [join(lectern.paths.sessionsDirectory, id, "private"), output];
}

test("an agent may change its settings inside, and outside nothing of that is there", async () => {
  const lectern = await shared.empty();
  const person = personIn(lectern);
  const before = filesIn(person.home);
  const [copies, output] = await tried(lectern, person, "first");
  assert.match(output, /^words -c sandbox_mode="danger-full-access" go$/m);
  assert.match(output, /^model = "mine"\na key$/m);
  for (const word of ["config.toml", "AGENTS.md", "hooks.json", "plugins"])
    assert.match(output, new RegExp(`^changed ${word}$`, "m"), output);
  for (const word of ["rules/mine.rules", "skills/a/SKILL.md", "renaming", "moving", "link", "bashrc"])
    assert.match(output, new RegExp(`^held ${word}$`, "m"), output);
  assert.match(output, /^kept$/m);
  assert.deepEqual(filesIn(person.home), { ...before, "/.codex/sessions/2026/new.jsonl": "turn\n" });
  assert.equal(statSync(copies).mode & 0o777, 0o700);

  await lectern.ok("send", "first", "end", "--enter");
  await until(() => !existsSync(copies), "the copies are removed");
  assert.deepEqual(filesIn(person.home), { ...before, "/.codex/sessions/2026/new.jsonl": "turn\n" });

  // The next one finds the settings as they were, and the conversation.
  const [, again] = await tried(lectern, person, "second");
  assert.match(again, /^model = "mine"\na key$/m);
  await lectern.ok("rm", "--force", "second");
  assert.deepEqual(readdirSync(join(person.home, ".codex")).toSorted(), [
    "auth.json",
    "config.toml",
    "rules",
    "sessions",
    "skills",
  ]);
});

test("the copies of a session are removed by the next daemon if the one that made them and its host were killed", async () => {
  await using lectern = new CliHome();
  const person = personIn(lectern);
  const before = filesIn(person.home);
  const [copies] = await tried(lectern, person, "killed");
  assert.ok(existsSync(copies));
  const { hosts = [], pid } = (await lectern.info()) ?? {};
  for (const each of [pid ?? assert.fail("no daemon"), ...hosts.map((host) => host.pid)]) {
    process.kill(each, "SIGKILL");
    await gone(each);
  }
  assert.ok(existsSync(copies));
  await lectern.ok("ls");
  await until(() => !existsSync(copies), "the copies are removed");
  assert.deepEqual(filesIn(person.home), { ...before, "/.codex/sessions/2026/new.jsonl": "turn\n" });
});

test("an agent whose sandbox is only wanted keeps its own one, and its own places", async () => {
  await using lectern = new CliHome((directory) => ({
    LECTERN_HOME: join(directory, "home"),
    LECTERN_BUBBLEWRAP: "/nowhere/bwrap",
  }));
  const { project } = personIn(lectern);
  writeFileSync(join(lectern.directory, "bin/codex"), '#!/bin/sh\necho "words $*"\n', { mode: 0o755 });
  await lectern.ok("run", "-d", "--name", "open", "-C", project, "--sandbox-optional", "--", "codex", "go");
  await lectern.client.call("sessions.wait", { session: "open", for: { type: "exit" }, timeoutMs: WAIT_MS_MAX });
  assert.equal(await lectern.ok("logs", "open"), "words go\n");
});

test("a session that one inside starts gets its policy and its sandbox, also if there were no walls around that one", async () => {
  const link = "bwrap";
  await using lectern = new CliHome((directory) => ({
    LECTERN_HOME: join(directory, "home"),
    LECTERN_BUBBLEWRAP: join(directory, link),
  }));
  const project = join(lectern.directory, "project");
  const inner = join(project, "inner");
  mkdirSync(inner, { recursive: true });
  const [policy, other] = [join(lectern.directory, "policy.yaml"), join(lectern.directory, "other.yaml")];
  writeFileSync(policy, "version: 1\ndefault: deny\nsandbox: { profile: offline }\n");
  writeFileSync(other, "version: 1\ndefault: allow\n");
  const start =
    '$L run -d --name "$name" "$@" -- sh -c \'echo x > ../out || echo held; echo x > in; cat "$LECTERN_HOME/x"; cat\'';
  const script = `while read -r name words; do set -- $words; ${start}; echo "code $?"; done`;
  const words = ["--wire", "--policy", policy, "--sandbox-optional", "--", "sh", "-c", script];
  const env = { ...lectern.launcherEnvironment };
  const { code, stderr } = await lectern.run(["run", "-d", "--name", "parent", "-C", project, ...words], { env });
  assert.equal(code, 0, stderr);
  symlinkSync(
    spawnSync("sh", ["-c", "command -v bwrap"], { encoding: "utf8" }).stdout.trim(),
    join(lectern.directory, link),
  );
  const printed = async (pattern: string): Promise<void> => {
    const wanted = { type: "output", pattern } as const;
    const found = await lectern.client.call("sessions.wait", {
      session: "parent",
      for: wanted,
      from: 0,
      timeoutMs: WAIT_MS_MAX,
    });
    assert.equal(found.reason, "output", await lectern.ok("logs", "parent"));
  };

  await lectern.ok("send", "parent", `child -C ${inner}`, "--enter");
  await printed("code 0");
  const [above, child] = await Promise.all(
    ["parent", "child"].map((session) => lectern.client.call("sessions.get", { session })),
  );
  assert.deepEqual([above?.sandbox?.backend, child?.sandbox?.backend], ["none", "bubblewrap"]);
  assert.deepEqual([child?.sandbox?.profile, child?.parent], ["offline", above?.id]);
  const { policy: inherited } = await lectern.client.call("policy.get", { session: "child" });
  assert.equal(inherited, readFileSync(policy, "utf8"));
  // The sandbox of the parent is that of its own directory.
  await until(() => existsSync(join(inner, "in")), "the child writes in its directory");
  assert.ok(existsSync(join(project, "out")));

  await lectern.ok("send", "parent", `twin -C ${inner} --sandbox=look`, "--enter");
  await printed("code 0[^]*code 0");
  assert.equal((await lectern.client.call("sessions.get", { session: "twin" })).sandbox?.profile, "offline");
  await lectern.ok("send", "parent", `away -C ${lectern.directory}`, "--enter");
  await printed("code [1-9]");
  await lectern.ok("send", "parent", `free -C ${inner} --wire --policy ${other}`, "--enter");
  await printed("this is another policy");
  assert.doesNotMatch(await lectern.ok("ls"), /away|free/);
});
