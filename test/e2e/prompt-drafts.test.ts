/** A prompt and what stands in the input box, or behind the prompt of a shell, already. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { quote } from "../support/launcher.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const shared = new SharedDaemon();

type Answer = OutputOf<"sessions.prompt">;

const program = join(import.meta.dirname, "../support/boxed-program.ts");
const WAIT_MS_MAX = 90_000;

class Boxed {
  readonly daemon: TemporaryDaemon;
  readonly session: string;
  readonly #file: string;

  private constructor(daemon: TemporaryDaemon, session: string, file: string) {
    this.daemon = daemon;
    this.session = session;
    this.#file = file;
  }

  static async start(...words: string[]): Promise<Boxed> {
    const daemon = await shared.empty();
    const file = join(daemon.paths.dataDirectory, "taken.txt");
    rmSync(file, { force: true });
    const { id } = await daemon.run([process.execPath, program, file, ...words]);
    const states = { type: "status" as const, states: ["waiting" as const] };
    await daemon.call("sessions.wait", { session: id, for: states, timeoutMs: WAIT_MS_MAX });
    return new Boxed(daemon, id, file);
  }

  /** What was entered. */
  get taken(): unknown[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  }

  async prompt(text: string, how: { readonly literal?: boolean } = {}): Promise<Answer> {
    return await this.daemon.call("sessions.prompt", { session: this.session, text, waitMs: WAIT_MS_MAX, ...how });
  }

  async type(text: string): Promise<void> {
    const { next } = await this.daemon.call("sessions.input", { session: this.session, text });
    await this.daemon.untilOutput(this.session, "/model", next);
  }

  /** Empties the box, and waits until that is drawn. */
  async clear(): Promise<void> {
    const { next } = await this.daemon.call("sessions.keys", { session: this.session, keys: ["C-u"] });
    await this.daemon.untilOutput(this.session, "/model", next);
  }
}

test("a prompt reaches an agent as it is, whatever its first character does as a single key", async () => {
  const boxed = await Boxed.start();
  const texts = ["? what is this", "is it so? tell me", "one\nand two", "?"];
  for (const text of texts) {
    const { state, reason } = await boxed.prompt(text);
    assert.equal(state, "done", `${text}: ${reason}`);
  }
  assert.deepEqual(boxed.taken, texts);
});

test("a box that holds a draft refuses a prompt with its length and the next step, and takes it when it is empty", async () => {
  const boxed = await Boxed.start();
  await boxed.type("a draft of mine");
  await assert.rejects(boxed.prompt("hello"), (error: Error & { code?: string }) => {
    assert.equal(error.code, "CONFLICT");
    assert.match(error.message, /its input box holds 15 characters that nobody has entered; .*lectern key .* C-u/);
    return true;
  });
  assert.deepEqual(boxed.taken, []);
  await boxed.clear();
  assert.equal((await boxed.prompt("hello")).state, "done");
  assert.deepEqual(boxed.taken, ["hello"]);
});

test("a draft that an agent draws late is not typed behind", async () => {
  const boxed = await Boxed.start("", "late");
  const { daemon, session } = boxed;
  await daemon.call("sessions.input", { session, text: "a draft of mine" });
  await assert.rejects(boxed.prompt("hello"), { code: "CONFLICT" });
  assert.deepEqual(boxed.taken, []);
  const inputs = (await daemon.recordsOf(session)).filter(({ type }) => type === "input");
  assert.equal(inputs.length, 1);
});

test("half of a placeholder that an agent is drawing refuses no prompt", async () => {
  const boxed = await Boxed.start("", "halves");
  const texts = ["one", "two", "three", "four", "five", "six"].map((word) => `prompt ${word}`);
  for (const text of texts) assert.equal((await boxed.prompt(text)).state, "done");
  assert.deepEqual(boxed.taken, texts);
});

test("Enter that an agent takes for a part of the paste is pressed once more", async () => {
  const boxed = await Boxed.start("", "joins");
  const { state, reason } = await boxed.prompt("hello");
  assert.equal(state, "done", reason ?? "");
  assert.deepEqual(boxed.taken, ["hello\n"]);
  const inputs = (await boxed.daemon.recordsOf(boxed.session)).filter(({ type }) => type === "input");
  assert.equal(inputs.length, 3);
});

test("of a prompt that an agent took without a sign of work, the receipt says so", async () => {
  const boxed = await Boxed.start("", "idle");
  const { state, reason } = await boxed.prompt("/clear");
  assert.deepEqual([state, reason], ["done", "gemini took it, and was not seen working"]);
  assert.deepEqual(boxed.taken, ["/clear"]);
});

test("a text that the box takes in part is not entered, is taken out again, and the next prompt is not glued to it", async () => {
  const boxed = await Boxed.start("#");
  const { state, reason } = await boxed.prompt("a # b");
  assert.equal(state, "failed");
  assert.match(reason ?? "", /did not take the text as it is; Enter was not pressed; it was taken out again/);
  assert.equal((await boxed.prompt("the next one")).state, "done");
  assert.deepEqual(boxed.taken, ["the next one"]);
});

test("what cannot be taken out again stands in the receipt, and the next prompt is refused", async () => {
  const boxed = await Boxed.start("#", "keeps");
  const { state, reason } = await boxed.prompt("a # b");
  assert.equal(state, "failed");
  assert.match(reason ?? "", /Enter was not pressed; the input box holds 4 characters now: "a {2}b"; .*lectern key/);
  await assert.rejects(boxed.prompt("the next one"), { code: "CONFLICT" });
  assert.deepEqual(boxed.taken, []);
});

test("a line that is half typed at a shell refuses a prompt", async () => {
  const daemon = await shared.empty();
  const { id: session } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const prompt = async (text: string): Promise<Answer> =>
    await daemon.call("sessions.prompt", { shell: true, session, text, waitMs: WAIT_MS_MAX });
  assert.equal((await prompt("echo first-$((40+2))")).state, "done");
  const { next } = await daemon.call("sessions.input", { session, text: "rm -rf /tm" });
  await daemon.untilOutput(session, "rm -rf /tm", next);
  await assert.rejects(prompt("echo second"), (error: Error) => {
    assert.match(error.message, /behind its prompt there are 10 characters that nobody has entered/);
    return true;
  });
  await daemon.call("sessions.keys", { session, keys: ["C-u"] });
  // The shell has taken the key when it has taken the line away.
  await until(async () => !(await daemon.call("sessions.screen", { session })).text.includes("rm -rf /tm"));
  assert.equal((await prompt("echo third-$((40+2))")).state, "done");
  const output = (await daemon.outputOf(session)).toString();
  assert.match(output, /third-42/);
  assert.doesNotMatch(output, /second/);
});

test("keys that a program took without a line are not a draft", async () => {
  const daemon = await shared.empty();
  const { id: session } = await daemon.run(["bash", "--norc", "--noprofile"]);
  await daemon.call("sessions.input", { session, text: "read -rsn1 -p 'key: ' x; echo got-$x-$((40+2))\r" });
  await daemon.untilOutput(session, "key: \\s*$");
  await daemon.call("sessions.input", { session, text: "q" });
  await daemon.untilOutput(session, "got-q-42");
  const receipt = await daemon.call("sessions.prompt", {
    shell: true,
    session,
    text: "echo after-$((40+2))",
    waitMs: WAIT_MS_MAX,
  });
  assert.equal(receipt.state, "done", receipt.reason ?? "");
});

test("a prompt is done whatever a person types after it, and one of symbols is seen before it is entered", async () => {
  const boxed = await Boxed.start();
  const { daemon, session } = boxed;
  await daemon.call("sessions.prompt", { session, text: "ok", key: "short" });
  await daemon.call("sessions.receipt", { session, key: "short", waitMs: 1 });
  for (let state = ""; state !== "submitted" && state !== "working" && state !== "done";)
    ({ state } = await daemon.call("sessions.receipt", { session, key: "short", waitMs: 20 }));
  await boxed.type("okay, and then deploy");
  const receipt = await daemon.call("sessions.receipt", { session, key: "short", waitMs: WAIT_MS_MAX });
  assert.equal(receipt.state, "done", receipt.reason ?? "");
  await boxed.clear();
  assert.equal((await boxed.prompt("👍")).state, "done");
  assert.deepEqual(boxed.taken, ["ok", "👍"]);
});

test("a prompt of decoration only is entered, and the next one after it", async () => {
  const daemon = await shared.empty();
  const { id: session } = await daemon.run(["bash", "--norc", "--noprofile"]);
  for (const text of ["#", "echo next-$((40+2))"]) {
    const { state, reason } = await daemon.call("sessions.prompt", { shell: true, session, text, waitMs: WAIT_MS_MAX });
    assert.equal(state, "done", `${text}: ${reason}`);
  }
  await daemon.untilOutput(session, "next-42", 0);
});

test("a prompt that may wait is typed when the draft is gone, and can be taken back before", async () => {
  const boxed = await Boxed.start();
  const { daemon, session } = boxed;
  await boxed.type("a draft of mine");
  for (const key of ["first", "second"])
    await daemon.call("sessions.prompt", { session, text: `the ${key}`, key, whenEmpty: true });
  for (let reason: string | null = null; reason?.includes("is empty") !== true;)
    ({ reason } = await daemon.call("sessions.receipt", { session, key: "first", waitMs: 100 }));
  await daemon.call("sessions.cancel", { session, key: "first" });
  assert.match((await daemon.call("sessions.screen", { session })).text, /a draft of mine/);
  await daemon.call("sessions.keys", { session, keys: ["C-u"] });
  const { state, reason } = await daemon.call("sessions.receipt", { session, key: "second", waitMs: WAIT_MS_MAX });
  assert.equal(state, "done", reason ?? "");
  assert.deepEqual(boxed.taken, ["the second"]);
});

test("what an agent would run in its shell is text, and its own commands are never literal prompts", async () => {
  const boxed = await Boxed.start();
  for (const text of ["!ls -la", "/clear"]) assert.equal((await boxed.prompt(text)).state, "done");
  // The agent takes it for a command whatever is in front of it.
  const { state, reason } = await boxed.prompt("/clear", { literal: true });
  assert.equal(state, "failed");
  assert.match(reason ?? "", /nothing was typed: gemini takes a text that begins with "\/"/);
  assert.deepEqual(boxed.taken, [" !ls -la", "/clear"]);
});

test("a prompt with a character that the agent would drop is refused, and a tab that it keeps arrives", async () => {
  const boxed = await Boxed.start();
  const { state, reason } = await boxed.prompt("open \u202Etxt.exe");
  assert.equal(state, "failed");
  assert.match(reason ?? "", /^nothing was typed: gemini drops or changes the character U\+202E at position 5;/);
  assert.equal((await boxed.prompt("a\tb and 👩\u200D👧")).state, "done");
  assert.deepEqual(boxed.taken, ["a\tb and 👩\u200D👧"]);
});

test("a prompt with a character that acts as a key is refused", async () => {
  const boxed = await Boxed.start();
  await assert.rejects(boxed.prompt("a\u0003b"), { code: "INVALID_INPUT", message: /U\+0003 at position 1/ });
  assert.deepEqual(boxed.taken, []);
});

test("of an agent that dies half way nothing reaches the shell behind it", async () => {
  const daemon = await shared.empty();
  const [file, run] = ["taken.txt", "run.txt"].map((name) => join(daemon.paths.dataDirectory, name));
  const { id: session } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const waiting = { type: "status" as const, states: ["waiting" as const] };
  const { next } = await daemon.call("sessions.input", {
    session,
    text: `${quote(process.execPath)} ${quote(program)} ${file} '#'\r`,
  });
  await daemon.untilOutput(session, "/model", next);
  await daemon.call("sessions.wait", { session, for: waiting, timeoutMs: WAIT_MS_MAX });
  // The box takes it in part, and the prompt is not entered.
  await daemon.call("sessions.prompt", { session, text: `touch ${run} # never`, key: "dies" });
  await daemon.untilOutput(session, "touch");
  const foreground = (await daemon.recordsOf(session)).flatMap((record) => {
    const event = record["event"] as { readonly type: string; readonly pid?: number } | undefined;
    return event?.type === "foreground" && event.pid !== undefined ? [event.pid] : [];
  });
  process.kill(foreground.at(-1)!, "SIGKILL");
  const receipt = await daemon.call("sessions.receipt", { session, key: "dies", waitMs: WAIT_MS_MAX });
  assert.equal(receipt.state, "failed");
  assert.match(receipt.reason ?? "", /gemini is not in the foreground any more; Enter was not pressed/);
  const after = await daemon.call("sessions.prompt", {
    shell: true,
    session,
    text: "echo after-$((40+2))",
    waitMs: WAIT_MS_MAX,
  });
  assert.equal(after.state, "done", after.reason ?? "");
  await daemon.untilOutput(session, "\nafter-42", 0);
  assert.ok(!existsSync(run!) && !existsSync(file!));
});
