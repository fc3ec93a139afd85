/** Commands without a name, or with the beginning of one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();
const fullScreen = String.raw`printf '\033[?1049hfull screen'; exec sleep 600`;

test("lectern alone says what to do first, then lists what runs; without a terminal it prints the help", async () => {
  const home = await shared.empty();
  const first = home.onTerminal([]);
  await first.until("lectern run -- bash");
  await first.ended;
  await home.ok("run", "-d", "--name", "quiet", "--", "sleep", "600");
  await home.ok("run", "-d", "--name", "asks", "--", "bash", "-c", "read -p 'Delete it? [y/N] ' answer");
  await home.ok("wait", "asks", "--for", "status:blocked");
  const list = home.onTerminal([]);
  await list.until("lectern approvals");
  await list.ended;
  assert.match(list.text, /^NAME.*^asks .*blocked.*^quiet .*1 session asks a question/ms);
  assert.match(await home.ok(), /^Usage: lectern COMMAND/m);
  assert.match(await home.ok("help", "all"), /^Exit codes:$/m);
});

test("a unique beginning of a name shows a session, and neither ends it nor types into it", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "work", "--", "bash", "-c", "echo hello; exec sleep 600");
  await home.ok("run", "-d", "--name", "web", "--", "sleep", "600");
  await home.ok("wait", "work", "--for", "output:hello");
  const { stdout, stderr, code } = await home.run(["logs", "wo"]);
  assert.deepEqual([code, stdout.trim(), stderr.trim()], [0, "hello", '[lectern: "wo" is session "work"]']);
  assert.match(await home.ok("screen", "wo"), /hello/);
  assert.match(await home.ok("status", "we"), /\S/);
  const ambiguous = '4 lectern: "w" is the beginning of 2 names: ';
  assert.ok((await home.fails("logs", "w")).startsWith(ambiguous));
  for (const words of [
    ["kill", "wo"],
    ["rm", "-f", "wo"],
    ["send", "wo", "x"],
    ["prompt", "wo", "x"],
    ["approve", "wo", "a1"],
  ]) {
    assert.match(await home.fails(...words), /^3 lectern: Cannot find session "wo"/, words.join(" "));
  }
});

test("attach without a name takes the only session, lets a person choose, and names them to a script", async () => {
  const home = await shared.empty();
  assert.match(await home.fails("attach"), /^3 lectern: Cannot attach: no session is running; start one/);
  await home.ok("run", "-d", "--name", "one", "--", "bash", "-c", "echo first; exec cat");
  const only = home.onTerminal(["attach"]);
  await only.until("first");
  only.write("\u001C");
  await only.until("[detached from one]");
  await home.ok("run", "-d", "--name", "two", "--", "bash", "-c", "printf 'sec%s' ond; exec cat");
  assert.match(
    await home.fails("attach"),
    /^2 lectern: Missing argument SESSION: 2 sessions are running: (?:one|two), /,
  );
  const chosen = home.onTerminal(["attach"]);
  await chosen.until("Attach to");
  chosen.write("two\r");
  await chosen.until("second");
  chosen.write("\u001C");
  await chosen.until("[detached from two]");
  assert.deepEqual(await chosen.ended, { reason: "exited", code: 0, signal: null });
  const givenUp = home.onTerminal(["attach"]);
  await givenUp.until("Attach to");
  givenUp.write("\u0003");
  assert.deepEqual(await givenUp.ended, { reason: "exited", code: 130, signal: null });
});

test("logs of a full-screen program or an agent say what to read instead, and nothing for anything else", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "plain", "--", "bash", "-c", "echo hello; exec sleep 600");
  await home.ok("run", "-d", "--name", "full", "--", "bash", "-c", fullScreen);
  await home.ok("run", "-d", "--name", "agent", "--agent", "claude", "--", "bash", "-c", "echo hello; exec sleep 600");
  await home.ok("wait", "plain", "--for", "output:hello");
  await home.ok("wait", "full", "--for", "output:full screen");
  const errors = async (name: string): Promise<string> => (await home.run(["logs", name])).stderr;
  assert.equal(await errors("plain"), "");
  assert.match(await errors("full"), /"lectern screen full"/);
  assert.match(await errors("agent"), /"lectern chat agent"/);
});
