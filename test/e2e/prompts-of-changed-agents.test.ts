/** What may happen to an agent while prompts wait for it: each is typed for that agent, once, or fails. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readStat } from "../../src/pty/proc-files.ts";
import { quote } from "../support/launcher.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { firstOf } from "../support/variants.ts";

const shared = new SharedDaemon();
const program = join(import.meta.dirname, "../support/boxed-program.ts");
const bash = ["bash", "--norc", "--noprofile"];
const WAIT_MS_MAX = 90_000;
const MISSED = /it was meant for .*, which (?:has ended|is not in the foreground any more)/;

/** Agents of one name, each with a file of what it took. */
class Agents {
  readonly daemon: TemporaryDaemon;
  readonly #directory: string;
  #session = "";

  private constructor(daemon: TemporaryDaemon) {
    this.daemon = daemon;
    this.#directory = mkdtempSync(join(daemon.paths.dataDirectory, "agents-"));
  }

  /** `script` is typed at a shell, which gives each agent a process group, or is what runs, so that all agents have its group. */
  static async run(
    script: (agents: Agents) => string,
    where: "shell" | "script",
    state: "waiting" | "working" = "working",
  ): Promise<Agents> {
    const agents = new Agents(await shared.empty());
    const { id } = await agents.daemon.run(where === "shell" ? bash : ["sh", "-c", script(agents)]);
    agents.#session = id;
    if (where === "shell") {
      await agents.untilState("waiting");
      await agents.enter(script(agents));
    }
    await agents.daemon.untilOutput(id, "/model", 0);
    await agents.untilState(state);
    return agents;
  }

  #file(name: string): string {
    return join(this.#directory, name);
  }

  command(name: string, how = "busy"): string {
    const begun = `touch ${quote(this.#file(`${name}.begun`))}`;
    return `${begun}; ${[process.execPath, program, this.#file(name), "", how].map(quote).join(" ")}`;
  }

  async untilBegun(name: string): Promise<void> {
    await until(() => existsSync(this.#file(`${name}.begun`)));
  }

  async untilState(state: "waiting" | "working"): Promise<void> {
    const states = { type: "status" as const, states: [state] };
    await this.daemon.call("sessions.wait", { session: this.#session, for: states, timeoutMs: WAIT_MS_MAX });
  }

  async enter(text: string): Promise<void> {
    await this.daemon.call("sessions.input", { session: this.#session, text, enter: true });
  }

  let(name: string, what: "ready" | "end"): void {
    writeFileSync(this.#file(`${name}.${what}`), "");
  }

  async prompt(text: string): Promise<void> {
    await this.daemon.call("sessions.prompt", { session: this.#session, text, key: text });
  }

  async endOf(key: string, waitMs = WAIT_MS_MAX): Promise<string> {
    const { state, reason } = await this.daemon.call("sessions.receipt", { session: this.#session, key, waitMs });
    return state === "failed" ? `failed: ${reason}` : state;
  }

  taken(name: string): unknown[] {
    const lines = existsSync(this.#file(name)) ? readFileSync(this.#file(name), "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** The process that a prompt is for. */
  async reader(key: string): Promise<number> {
    const { targets } = await this.daemon.call("sessions.receipt", { session: this.#session, key });
    return targets?.[0]?.pid ?? assert.fail("no process");
  }

  /** Process group that has the terminal. */
  async group(): Promise<number> {
    const { pid } = await this.daemon.call("sessions.get", { session: this.#session });
    return readStat(pid ?? 0)?.foregroundGroup ?? assert.fail("no process group");
  }
}

const oneAndTwo = (agents: Agents): string => `${agents.command("one")}; ${agents.command("two", "")}`;

for (const where of ["shell", "script"] as const)
  for (const isAway of [false, true])
    test(`an agent gets no prompt of the one before it in a ${where}${isAway ? ", also while no daemon runs" : ""}`, async () => {
      const agents = await Agents.run(oneAndTwo, where);
      await agents.prompt("for-one");
      if (isAway) await agents.daemon.close();
      agents.let("one", "end");
      await agents.untilBegun("two");
      if (isAway) await agents.daemon.open();
      assert.match(await agents.endOf("for-one"), MISSED);
      assert.deepEqual([agents.taken("one"), agents.taken("two")], [[], []]);
    });

test("prompts wait for an agent that is stopped", async () => {
  const agents = await Agents.run((own) => own.command("one").replace("; ", "; exec "), "script");
  const group = await agents.group();
  await agents.prompt("at-work");
  process.kill(group, "SIGSTOP");
  agents.let("one", "ready");
  assert.equal(await agents.endOf("at-work", 500), "accepted");
  process.kill(group, "SIGCONT");
  assert.equal(await agents.endOf("at-work"), "done");
  process.kill(group, "SIGSTOP");
  await agents.prompt("at-its-prompt");
  assert.equal(await agents.endOf("at-its-prompt", 500), "accepted");
  process.kill(group, "SIGCONT");
  assert.equal(await agents.endOf("at-its-prompt"), "done");
  assert.deepEqual(agents.taken("one"), ["at-work", "at-its-prompt"]);
});

test("an agent in the background gets no prompt, nor does another one of its name in front of it", async () => {
  const agents = await Agents.run((own) => own.command("one"), "shell");
  await agents.prompt("for-one");
  process.kill(-(await agents.group()), "SIGSTOP");
  assert.match(await agents.endOf("for-one"), MISSED);
  await agents.enter(agents.command("two", ""));
  agents.let("one", "ready");
  await agents.untilBegun("two");
  await agents.untilState("waiting");
  assert.deepEqual([agents.taken("one"), agents.taken("two")], [[], []]);
});

test("prompts for an agent that is killed are not for its next run in a loop", async () => {
  const loop = (own: Agents): string => `for each in one two; do ${own.command("$each").replaceAll("'", '"')}; done`;
  const agents = await Agents.run(loop, "shell");
  await agents.prompt("first");
  await agents.prompt("second");
  agents.let("two", "ready");
  process.kill(await agents.group(), "SIGKILL");
  for (const key of ["first", "second"]) assert.match(await agents.endOf(key), MISSED);
  assert.deepEqual([agents.taken("one"), agents.taken("two")], [[], []]);
});

for (const follower of firstOf(["exec python3 -q", "exec tail -f /dev/null"], 1))
  test(`a prompt fails when its agent has ended, though the title still reads "Working", and ${follower} has its group`, async () => {
    const agents = await Agents.run((own) => `${own.command("one")}; ${follower}`, "script");
    await agents.prompt("for-one");
    agents.let("one", "end");
    assert.match(await agents.endOf("for-one"), MISSED);
    assert.deepEqual(agents.taken("one"), []);
  });

test("a prompt that an agent has taken is over when the agent is killed at work, whatever reads after it", async () => {
  const agents = await Agents.run(
    (own) => `${own.command("one", "stops")}; exec tail -f /dev/null`,
    "script",
    "waiting",
  );
  await agents.prompt("go-on");
  await until(async () => ["working", "submitted"].includes(await agents.endOf("go-on", 1)));
  await until(() => agents.taken("one").length === 1);
  process.kill(await agents.reader("go-on"), "SIGKILL");
  assert.equal(await agents.endOf("go-on"), "done");
});

test("prompts of several clients at once, each sent twice, are typed once each, also by the next daemon", async () => {
  const agents = await Agents.run((own) => own.command("one"), "shell");
  const texts = Array.from({ length: 6 }, (_, at) => `client-${at}`);
  await Promise.all(texts.flatMap((text) => [agents.prompt(text), agents.prompt(text)]));
  await agents.daemon.restart();
  agents.let("one", "ready");
  for (const text of texts) assert.equal(await agents.endOf(text), "done");
  assert.deepEqual(agents.taken("one").map(String).toSorted(), texts);
});
