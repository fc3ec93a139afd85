/** Sessions go on after their end: with the conversation of their agent, by their command, or not, and then it is said why. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Session } from "../../src/protocol/session.ts";
import { until } from "../support/until.ts";
import { CliHome, killAtOnce, SharedHome } from "./cli-home.ts";
import { platform } from "../../src/pty/platform.ts";

const shared = new SharedHome();

const linuxOnly = { skip: !platform.hasProc && "needs /proc" };
const firstId = "11111111-1111-4111-8111-111111111111";
const secondId = "22222222-2222-4222-8222-222222222222";

/** Shows the box of Claude Code, and keeps its files as that does. */
const agentScript = `#!/bin/bash
files=$HOME/.claude; mkdir -p $files/sessions $files/projects/p
id=$FIRST_ID
if [ "$1" = --resume ]; then
  id=$2
  [ -n "$ASTRAY" ] && id=$ASTRAY
  [ -n "$FORGETS" ] && { echo "No conversation found with session ID: $id"; exit 1; }
fi
echo '{"sessionId":"'$id'"}' > $files/sessions/$$.json
touch $files/projects/p/$id.jsonl
line=$(printf '─%.0s' {1..40})
printf '● %s\\n\\n%s\\n❯ \\n%s\\n  ? for shortcuts' "$*" $line $line
while read -r more; do :; done
`;

async function opened(): Promise<{ home: CliHome; environment: Record<string, string> }> {
  const home = new CliHome();
  const bin = join(home.directory, "bin");
  const user = join(home.directory, "user");
  mkdirSync(bin, { recursive: true });
  mkdirSync(user);
  writeFileSync(join(bin, "claude"), agentScript, { mode: 0o755 });
  const environment = { ...home.environment, HOME: user };
  return { home, environment };
}

async function begun(home: CliHome, environment: Record<string, string>, name: string, id: string): Promise<Session> {
  const env = { ...environment, FIRST_ID: id };
  const started = await home.run(
    ["run", "-d", "--name", name, "-l", "team=a", "--", "claude", "--model", "opus", "fix it"],
    { env },
  );
  assert.equal(started.code, 0, started.stderr);
  let session: Session | undefined;
  await until(async () => {
    session = await home.client.call("sessions.get", { session: name });
    return session.conversation?.id === id && session.status?.state === "waiting";
  }, "the conversation is learned");
  assert.ok(session);
  return session;
}

test(
  "two agents of one directory go on with their own conversations after everything was killed",
  linuxOnly,
  async () => {
    const { environment, home } = await opened();
    await using _ = home;
    const one = await begun(home, environment, "one", firstId);
    const two = await begun(home, environment, "two", secondId);
    assert.match((await home.run(["resume", "one"], { env: environment })).stderr, /is running/);
    const info = await home.info();
    assert.ok(info && one.pid && two.pid);
    await killAtOnce([one.pid, two.pid, ...info.hosts.map(({ pid }) => pid), info.pid]);
    rmSync(home.paths.runtimeDirectory, { recursive: true, force: true });

    const resumed = await home.run(["resume", "-d", "one"], { env: environment });
    assert.equal(resumed.stdout.trim(), "one", resumed.stderr);
    const session = await home.client.call("sessions.get", { session: "one" });
    assert.deepEqual(session.command.slice(1), ["--resume", firstId, "--model", "opus"]);
    assert.deepEqual([session.continues, session.labels, session.conversation?.id], [one.id, { team: "a" }, firstId]);
    assert.equal((await home.client.call("sessions.get", { session: one.id })).continuedBy, session.id);
    assert.match((await home.run(["resume", one.id], { env: environment })).stderr, /continues in session "one"/);

    const listed = await home.run(["resume"], { env: environment });
    assert.match(listed.stdout, new RegExp(`two +${two.id} +lost +resume +claude --resume ${secondId} --model opus`));
    assert.ok(!listed.stdout.includes(one.id));
    const all = await home.run(["resume", "--all", "--lost"], { env: environment });
    assert.match(all.stdout, new RegExp(`^two \\(${two.id}\\): two \\(\\w+\\) claude --resume ${secondId}`));
  },
);

test("a conversation is resumed once, by whoever asks and wherever in its line of sessions", linuxOnly, async () => {
  const { environment, home } = await opened();
  await using _ = home;
  const first = await begun(home, environment, "one", firstId);
  await home.ok("kill", "one");
  const resume = async (session: string) => await home.run(["resume", "-d", session], { env: environment });
  const both = await Promise.all([resume(first.id), resume(first.id)]);
  const refused = both.map(({ stderr }) => stderr).join("");
  assert.deepEqual(both.map(({ code }) => String(code)).toSorted(), ["0", "4"], refused);
  assert.match(refused, /is being resumed already|continues in session "one"/);
  await home.ok("kill", "one");
  assert.equal((await resume("one")).code, 0);
  // The session in the middle has ended; the conversation is in use further on.
  assert.match((await resume(first.id)).stderr, /its conversation goes on in session "one" \(\w+\): attach/);
  const { sessions } = await home.client.call("sessions.list", {});
  assert.deepEqual(sessions.map(({ state }) => state).toSorted(), ["exited", "exited", "running"]);
});

test(
  "an agent that has forgotten, or is in another conversation, is not left as one that works",
  linuxOnly,
  async () => {
    const { environment, home } = await opened();
    await using _ = home;
    await begun(home, environment, "one", firstId);
    await home.ok("kill", "one");
    const forgets = await home.run(["resume", "-d", "one"], { env: { ...environment, FORGETS: "1" } });
    assert.match(forgets.stderr, new RegExp(`has forgotten the conversation ${firstId} .*--restart`));
    const astray = await home.run(["resume", "-d", "--conversation", firstId, "one"], {
      env: { ...environment, ASTRAY: secondId },
    });
    assert.notEqual(astray.code, 0);
    // Neither failed session is the continuation, also for a registry that is rebuilt from their files.
    for (const { id } of (await home.client.call("sessions.list", {})).sessions) {
      const file = readFileSync(join(home.paths.sessionsDirectory, id, "session.json"), "utf8");
      assert.equal(JSON.parse(file).continues, undefined);
    }
    const file = join(environment["HOME"] ?? "", ".claude/projects/p", `${firstId}.jsonl`);
    assert.ok(existsSync(file));
    rmSync(file);
    const { sessions } = await home.client.call("sessions.list", {});
    assert.ok(sessions.every(({ state }) => state !== "running"));
    const oldest = sessions.toSorted((left, right) => (left.createdAt < right.createdAt ? -1 : 1))[0]?.id ?? "";
    assert.match(
      (await home.run(["resume", "-d", oldest], { env: environment })).stderr,
      /has forgotten conversation .*its file is gone/,
    );
    const anew = await home.run(["resume", "-d", "--restart", oldest], { env: { ...environment, FIRST_ID: secondId } });
    assert.equal(anew.code, 0, anew.stderr);
  },
);

test("a program without a conversation is started again only if that is asked for", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "shell", "--", "sh", "-c", "read line");
  await home.ok("kill", "shell");
  assert.match(
    (await home.run(["resume", "shell"])).stderr,
    /the program has no conversation: --restart starts it again/,
  );
  assert.equal((await home.ok("resume", "-d", "--restart", "shell")).trim(), "shell");
  assert.match((await home.run(["resume"])).stderr, /Nothing to resume/);
  assert.match((await home.run(["resume", "--all", "--lost"])).stderr, /no session was lost; "lectern resume" lists/);
});
