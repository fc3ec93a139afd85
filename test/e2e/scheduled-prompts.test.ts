/** Prompts that are typed later: durable, listed, cancelled, and checked again at their time. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Receipt } from "../../src/core/acting/receipt.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

const shared = new SharedHome();
const shell = ["run", "-d", "--name", "w", "--", "bash", "--norc", "--noprofile"];
const program = join(import.meta.dirname, "../support/boxed-program.ts");

const states = ({ steps }: Pick<Receipt, "steps">): string[] => steps.map(({ state }) => state);

async function receiptOf(home: CliHome, key: string, waitMs = 0): Promise<Receipt> {
  return await home.client.call("sessions.receipt", { session: "w", key, waitMs });
}

test("a scheduled prompt is typed once at its time, although the daemon was killed before it and after it", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  const later = ["prompt", "w", "--shell", "echo late-$((40+2))", "--key", "one", "--at", "+5s"];
  assert.match(await home.ok(...later), /^scheduled for \d\d:\d\d \(key one\)\n$/);
  await home.crashDaemon();
  assert.match(await home.ok(...later, "--wait", "--timeout", "90s"), /^done \(key one\)/);
  const { steps } = await receiptOf(home, "one");
  assert.deepEqual(states({ steps: steps.slice(0, 5) }), ["scheduled", "accepted", "typed", "echoed", "submitted"]);
  await home.crashDaemon();
  assert.match(await home.ok(...later, "--wait"), /^done/);
  await home.ok("prompt", "w", "--shell", "echo last-$((40+2))", "--wait");
  const output = await home.ok("logs", "w");
  assert.match(output, /late-42[^]*last-42/);
  assert.equal(output.split("late-42").length, 2);
});

test("scheduled prompts are listed and cancelled, also by the next daemon, and end with their session", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  await home.ok("prompt", "w", "--shell", "echo second", "--key", "b", "--at", "+2h");
  await home.ok("prompt", "w", "--shell", "echo first", "--key", "a", "--at", "in 1h");
  await home.crashDaemon();
  assert.match(
    await home.ok("prompt", "w", "--scheduled"),
    /^KEY[^\n]*\na +for \d\d:\d\d +echo first\nb +for .*second\n$/,
  );
  assert.match(await home.ok("prompt", "w", "--cancel", "a"), /^cancelled \(key a\)/);
  assert.deepEqual(states(await receiptOf(home, "a")), ["scheduled", "cancelled"]);
  const listed = JSON.parse(await home.ok("prompt", "w", "--scheduled", "--json")) as Receipt[];
  assert.deepEqual(
    listed.map(({ key, state }) => [key, state]),
    [["b", "scheduled"]],
  );
  await home.ok("kill", "w");
  await home.ok("wait", "w", "--for", "exit");
  await home.crashDaemon();
  await home.ok("ls", "--all");
  const ended = await receiptOf(home, "b", 90_000);
  assert.deepEqual([ended.state, ended.reason], ["failed", "the session ended before its time"]);
});

test("what is refused at its time has failed with the reason, and nothing was typed", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  // Before its first prompt the shell has not read what is typed.
  await home.ok("wait", "w", "--for", "status:waiting");
  await home.ok("send", "w", "rm -rf /tm");
  await home.ok("wait", "w", "--for", "output:rm -rf /tm", "--from", "0");
  const { code, stdout } = await home.run([
    "prompt",
    "w",
    "--shell",
    "echo no",
    "--at",
    "+1s",
    "--wait",
    "--timeout",
    "90s",
  ]);
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^failed \(key [^)]+\): nothing was typed at its time: .*10 characters that nobody has entered/);
  assert.doesNotMatch(await home.ok("logs", "w"), /echo no/);

  await home.ok("run", "-d", "--name", "asks", "--", "bash", "--norc", "-c", "read -rp 'Overwrite? [y/N] ' x; cat");
  await home.ok("wait", "asks", "--for", "status:blocked");
  const asked = await home.run(["prompt", "asks", "hello", "--at", "+1s", "--wait", "--timeout", "90s"]);
  assert.match(asked.stdout, /nothing was typed at its time: .*it asks "Overwrite\?/, asked.stderr);
});

test("a time that is not possible is refused, and so are more prompts than there is room for", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  const at = async (...time: string[]): Promise<string> => await home.fails("prompt", "w", "echo x", ...time);
  assert.match(
    await at("--at", "2020-01-01T10:00Z"),
    /^2 lectern: Cannot schedule .* is in the past; give a later time/,
  );
  assert.match(await at("--at", "+31d"), /more than 30 days ahead/);
  assert.match(await at("--at", "soon"), /^2 .*must be a time such as 14:00, \+2h/);
  assert.match(await at("--at", "+1h", "--after-limit"), /^2 .*not both/);
  const dueUs = (Date.now() + 3_600_000) * 1000;
  const schedule = async (key: string) =>
    await home.client.call("sessions.prompt", { shell: true, session: "w", text: key, key, dueUs });
  for (let each = 0; each < 32; each += 1) await schedule(`k${each}`);
  await assert.rejects(schedule("more"), { code: "LIMIT_EXCEEDED", message: /32 prompts are scheduled/ });
  assert.equal((await schedule("k1")).state, "scheduled");
});

test("after a limit: typed at once where there is none, and otherwise when it has ended", async () => {
  const home = await shared.empty();
  const file = join(home.directory, "taken.txt");
  await home.ok("run", "-d", "--name", "w", "--", process.execPath, program, file, "", "limited");
  await home.ok("wait", "w", "--for", "output:Keep trying", "--from", "0");
  await home.ok("wait", "w", "--for", "status:blocked");
  const prompt = ["prompt", "w", "go on", "--after-limit", "--key", "one"];
  assert.match(await home.ok(...prompt), /^scheduled after the usage limit/);
  await home.crashDaemon();
  assert.match(await home.ok("prompt", "w", "--scheduled"), /one +after the usage limit +go on/);
  await home.ok("key", "w", "Enter");
  assert.match(await home.ok(...prompt, "--wait", "--timeout", "90s"), /^done/);
  assert.equal(readFileSync(file, "utf8"), '"go on"\n');
  const { code, stdout, stderr } = await home.run(["prompt", "w", "now", "--after-limit", "--wait"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^done/);
  assert.match(stderr, /"w" has no usage limit now: the prompt was not scheduled/);
  assert.equal(readFileSync(file, "utf8"), '"go on"\n"now"\n');
});
