/**
 * Acts whose target dies, stops, becomes another program or is followed by one at each step, `LECTERN_ACTS` of them (10; 1,000 in
 * `npm run test:long`). Nothing is submitted to anybody else, and what stands in a line afterwards is reported.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal } from "../../src/core/acting/receipt.ts";
import { SessionEntry } from "../../src/daemon/sessions/session-entry.ts";
import { isRunning, TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const count = Number(process.env["LECTERN_ACTS"] ?? 10);
const first = Number(process.env["LECTERN_ACTS_FIRST"] ?? 1);
const AT_ONCE = 6;
/** Without the site packages, which cost half of its start. */
const READER = `python3 -IS '${resolve("test/support/act-reader.py")}'`;

const ACTS = ["prompt", "prompt", "lines", "answer", "exec"] as const;
const KINDS = {
  prompt: ["line", "raw", "paste"],
  lines: ["line", "raw", "paste"],
  answer: ["question", "key"],
  exec: ["shell"],
};
/** A shell at its prompt takes no signal to become another program. */
const SHELL_FAULTS = ["die", "stop", "replace"] as const;
const FAULTS = [...SHELL_FAULTS, "change"] as const;
const STEPS = ["accept", "wait", "write", "read", "enter", "any"] as const;

interface Plan {
  readonly seed: number;
  readonly act: (typeof ACTS)[number];
  readonly kind: string;
  readonly fault: (typeof FAULTS)[number];
  readonly step: (typeof STEPS)[number];
  /** The fault has had its effect when the act goes on. */
  readonly isSeen: boolean;
  readonly delayMs: number;
}

/** What a reader has written down. */
interface Entry {
  readonly who: string;
  readonly pid: number;
  readonly event: "begun" | "entered" | "left";
  readonly text?: string;
}

interface Outcome {
  readonly submitted: readonly string[];
  readonly left: string;
  readonly isReported: boolean;
  readonly said: string;
}

function planOf(seed: number): Plan {
  let state = (seed * 2_654_435_761) >>> 0;
  const random = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
  const one = <Item>(items: readonly Item[]): Item =>
    items[random(items.length)] ?? assert.fail("nothing to choose from");
  const act = one(ACTS);
  return {
    seed,
    act,
    kind: one(KINDS[act]),
    fault: one(act === "exec" ? SHELL_FAULTS : FAULTS),
    step: one(STEPS),
    isSeen: random(2) === 0,
    delayMs: random(400),
  };
}

/** Called around each input of the daemon. */
interface Input {
  readonly bytes: Uint8Array;
  /** Whom it is for. */
  readonly pid: number | null;
  readonly type: () => Promise<unknown>;
}
const hooks = new Map<string, (input: Input) => Promise<unknown>>();
const inputOf: SessionEntry["input"] = Reflect.get(SessionEntry.prototype, "input");
SessionEntry.prototype.input = async function (this: SessionEntry, bytes, how) {
  const type = async (): ReturnType<SessionEntry["input"]> => await inputOf.call(this, bytes, how);
  const hook = how?.reader === undefined ? undefined : hooks.get(this.id);
  const pid = how?.reader?.pid ?? null;
  return (await (hook === undefined ? type() : hook({ bytes, pid, type }))) as Awaited<
    ReturnType<SessionEntry["input"]>
  >;
};

class Act {
  readonly #plan: Plan;
  readonly #daemon: TemporaryDaemon;
  readonly #directory: string;
  #session = "";
  /** Of the shell behind the target. */
  #pid = 0;
  #target = 0;
  /** For whom the first byte was. An act that is accepted after the fault is for whoever reads then. */
  #reader: number | undefined;
  #isDone = false;

  constructor(daemon: TemporaryDaemon, plan: Plan) {
    this.#daemon = daemon;
    this.#plan = plan;
    this.#directory = join(daemon.paths.dataDirectory, `act-${plan.seed}`);
    mkdirSync(this.#directory);
  }

  get #log(): readonly Entry[] {
    const path = this.#place("log");
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Entry);
  }

  #place(name: string): string {
    return join(this.#directory, name);
  }

  async run(): Promise<Outcome> {
    await this.#begin();
    const { step } = this.#plan;
    let inputs = 0;
    hooks.set(this.#session, async ({ bytes, pid, type }) => {
      inputs += 1;
      this.#reader ??= pid ?? undefined;
      const isEnter = /^[\r\n]/.test(Buffer.from(bytes).toString());
      if ((step === "write" && inputs === 1) || (step === "enter" && isEnter)) await this.#fault();
      const written = await type();
      if (step === "read" && inputs === 1) await this.#fault();
      return written;
    });
    if (step === "accept") void this.#fault();
    if (step === "any") void sleep(this.#plan.delayMs).then(async () => await this.#fault());
    const said = await this.#act();
    await this.#fault();
    hooks.delete(this.#session);
    return await this.#end(said);
  }

  /** The target reads in front of a shell. */
  async #begin(): Promise<void> {
    const { act, fault, kind, step } = this.#plan;
    const history = this.#place("history");
    const rc = `PS1='$ '; HISTFILE='${history}'; HISTCONTROL=; PROMPT_COMMAND='history -a'
bind -x '"\\e[7999~": printf %s "$READLINE_LINE" > ${this.#place("line")}'\n`;
    writeFileSync(this.#place("rc"), rc);
    const log = this.#place("log");
    const other = `${READER} other line '${log}'`;
    const begun = `echo '{"who":"target","pid":'$$',"event":"begun"}' >> '${log}'`;
    writeFileSync(this.#place("inner"), `PS1='inner$ '; HISTFILE=\n${begun}\n`);
    const { id, pid } = await this.#daemon.run(["bash", "--rcfile", this.#place("rc"), "-i"]);
    this.#session = id;
    this.#pid = pid ?? 0;
    await this.#status("waiting");
    const target =
      kind === "shell" ? `bash --rcfile '${this.#place("inner")}' -i` : `${READER} target ${kind} '${log}'`;
    await this.#type(fault === "replace" ? `${target}; ${other}` : target);
    await until(() => this.#log.length > 0, "the target begins");
    this.#target = this.#log[0]?.pid ?? 0;
    await this.#status(act === "answer" ? "blocked" : "waiting");
    if (step !== "wait" || kind === "shell" || act === "answer") return;
    writeFileSync(this.#place("log.busy"), "");
    await this.#type("busy");
    await until(() => this.#log.some(({ event }) => event === "entered"), "the target is busy");
  }

  async #status(state: "waiting" | "blocked"): Promise<void> {
    const { reason } = await this.#daemon.call("sessions.wait", {
      session: this.#session,
      for: { type: "status", states: [state] },
      timeoutMs: 60_000,
    });
    assert.equal(reason, "status", `${JSON.stringify(this.#plan)} is ${state}`);
  }

  async #type(text: string): Promise<void> {
    await this.#daemon.call("sessions.input", { session: this.#session, text, enter: true });
  }

  /** What the caller is told: everything that a receipt or an error says. */
  async #act(): Promise<string> {
    const { act, step } = this.#plan;
    try {
      if (act === "exec") return JSON.stringify(await this.#exec());
      if (act === "answer") return JSON.stringify(await this.#answer());
      const text = act === "lines" ? `first\n${this.#text}\nlast` : this.#text;
      const key = "one";
      const session = this.#session;
      await this.#daemon.call("sessions.prompt", { session, text, key });
      if (step === "wait") {
        await this.#fault();
        rmSync(this.#place("log.busy"), { force: true });
      }
      const receipt = await this.#daemon.call("sessions.receipt", { session, key, waitMs: 9000 });
      if (isFinal(receipt)) return JSON.stringify(receipt);
      await this.#fault();
      const late = await this.#daemon.call("sessions.receipt", { session, key, waitMs: 9000 });
      if (isFinal(late)) return JSON.stringify(late);
      await this.#daemon.call("sessions.cancel", { session, key }).catch(() => undefined);
      return JSON.stringify(await this.#daemon.call("sessions.receipt", { session, key, waitMs: 30_000 }));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  get #text(): string {
    return `echo $$ >> '${this.#place("ran")}'`;
  }

  async #exec(): Promise<unknown> {
    return await this.#daemon.call("sessions.exec", { session: this.#session, command: this.#text, timeoutMs: 6000 });
  }

  async #answer(): Promise<unknown> {
    const { approvals } = await this.#daemon.call("approvals.list", { session: this.#session });
    const [question] = approvals;
    if (question === undefined) throw new Error("the question is gone");
    const { digest, id: approval } = question;
    return await this.#daemon.call("approvals.answer", { session: this.#session, approval, digest, option: "y" });
  }

  async #fault(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    const { fault, isSeen } = this.#plan;
    const hasBegun = (): boolean => this.#log.some(({ who, event }) => who === "other" && event === "begun");
    process.kill(this.#target, fault === "stop" ? "SIGSTOP" : fault === "change" ? "SIGUSR1" : "SIGKILL");
    if (!isSeen) return;
    if (fault === "die") await until(() => !isRunning(this.#target), "the target has ended");
    else if (fault === "stop")
      await until(
        () => ["T", "Z", ""].includes(stateOf(this.#target)),
        `the target of ${JSON.stringify(this.#plan)} has stopped`,
      );
    else await until(() => hasBegun() || stateOf(this.#target) === "", "the other has begun");
  }

  /** Lets everybody end but the shell, and asks for what stands in their lines. */
  async #end(said: string): Promise<Outcome> {
    const { fault } = this.#plan;
    if (fault === "stop" || fault === "die") await this.#kill(this.#target);
    const hasOther = fault === "change" || fault === "replace";
    if (hasOther) {
      await until(() => this.#log.some(({ who }) => who === "other"), "the other has begun");
      const { pid } = this.#log.findLast(({ who }) => who === "other") ?? assert.fail();
      process.kill(pid, "SIGUSR2");
      await until(() => this.#log.some(({ event }) => event === "left"), "the other has ended");
    }
    const line = this.#place("line");
    await until(
      async () => {
        await this.#daemon.call("sessions.input", { session: this.#session, text: "\u001B[7999~" });
        return existsSync(line);
      },
      `the shell of ${JSON.stringify(this.#plan)} reports its line`,
    );
    const reader = this.#reader ?? this.#target;
    const entered = this.#log.filter(({ event, pid }) => event === "entered" && pid !== reader);
    const ran = existsSync(this.#place("ran")) ? readFileSync(this.#place("ran"), "utf8").trim() : String(reader);
    const isShell = this.#pid === reader;
    const history = isShell ? [] : readFileSync(this.#place("history"), "utf8").split("\n").slice(1, -1);
    const left =
      readFileSync(line, "utf8") +
      (this.#log.findLast(({ event }) => event === "left")?.text ?? "").replaceAll(/\p{Cc}/gu, "");
    await this.#daemon.call("sessions.remove", { session: this.#session, force: true });
    const submitted = [...entered.map(({ text = "" }) => text.trim()), ...history].filter((text) => text !== "");
    if (ran !== String(reader)) submitted.push(`ran by ${ran}`);
    const isReported = /"left":"[^"]|holds \d|left in/.test(said);
    return { submitted, left, isReported, said };
  }

  async #kill(pid: number): Promise<void> {
    if (!isRunning(pid)) return;
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid), "the target has ended");
  }
}

function stateOf(pid: number): string {
  try {
    return / ([A-Z]) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}

test(`${count} acts whose target goes: none is submitted to another reader, and what is left is reported`, async () => {
  await using daemon = await TemporaryDaemon.start(undefined, { times: { promptEchoMs: 1500 } });
  const bad: string[] = [];
  const counts = { acts: 0, left: 0, reported: 0, submitted: 0 };
  const plans = Array.from({ length: count }, (_, at) => planOf(first + at));
  const next = async (): Promise<void> => {
    for (let plan = plans.shift(); plan !== undefined; plan = plans.shift()) {
      const outcome = await new Act(daemon, plan).run();
      counts.acts += 1;
      counts.submitted += outcome.submitted.length;
      if (outcome.left !== "") counts.left += 1;
      if (outcome.left !== "" && outcome.isReported) counts.reported += 1;
      if (outcome.submitted.length > 0 || (outcome.left !== "" && !outcome.isReported))
        bad.push(JSON.stringify({ ...plan, ...outcome }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  console.log(JSON.stringify(counts));
  assert.deepEqual(bad, []);
});
