/**
 * `kill -9` of the daemon at each step of the life of a question on a screen, `LECTERN_QUESTION_LIVES` lives (4, each at another step; 200 in
 * `npm run test:long`). After each the next daemon has the same list, and in the end there was one notice and one answer.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionApproval } from "../../src/protocol/views.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import { questionIn } from "../support/question-in.ts";
import { until } from "../support/until.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

/** Where in the life of the question the daemon is killed, in the order of the lives. */
const STEPS = ["open", "accepted", "hint", "typed", "written", "sent", "gone"] as const;
type Step = (typeof STEPS)[number];

const lives = Number(process.env["LECTERN_QUESTION_LIVES"] ?? 4);

/** Asks before it reads, until it gets SIGUSR1. */
const PROGRAM = `import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("Remove all files? [y/N] ", end="", flush=True)
signal.sigwait([signal.SIGUSR1])
print("answer=" + sys.stdin.readline().strip(), flush=True)
sys.stdin.readline()`;

class Life {
  readonly #home: CliHome;
  readonly #receiver: NoticeReceiver;
  readonly #session: string;
  readonly #pid: number;
  /** The question as it was listed before the daemon was killed. */
  #before: SessionApproval | undefined;

  constructor(home: CliHome, receiver: NoticeReceiver, { id, pid }: { id: string; pid: number | null }) {
    this.#home = home;
    this.#receiver = receiver;
    this.#session = id;
    this.#pid = pid ?? 0;
  }

  async killAt(step: Step): Promise<void> {
    this.#receiver.status = 204;
    await this.#liveTo(step);
    await this.#home.crashDaemon();
    this.#receiver.status = 204;
    // A daemon that listens where the last one did.
    await this.#home.ok("ls");
  }

  /** One question, one notice and one answer, whatever was lost. */
  async end(step: Step): Promise<void> {
    if (step === "hint") {
      const hint = await this.#hint();
      assert.equal(hint.id, this.#before?.id);
      process.kill(this.#pid, "SIGUSR1");
    }
    let question: SessionApproval | undefined;
    await until(async () => {
      [question] = (await this.#list()).approvals;
      return question !== undefined || (await this.#output()).includes("answer=");
    }, "the question, or its answer");
    if (question !== undefined) {
      const { digest, id } = question;
      if (step !== "hint") assert.deepEqual([id, digest], [this.#before?.id, this.#before?.digest]);
      await this.#noticed();
      // What the killed daemon has begun may have answered it.
      await this.#answer(question).catch(() => undefined);
    }
    await until(async () => (await this.#output()).includes("answer="), "an answer");
    await until(async () => (await this.#last())?.state === "answered", "the question is answered");
    assert.equal((await this.#output()).split("answer=y").length, 2);
    const typed = await this.#typed();
    assert.deepEqual([typed, (await this.#last())?.answer?.option], ["y\r".length, "y"]);
    const { approvals, hints } = await this.#list();
    assert.deepEqual([approvals, hints, await this.#ids()], [[], [], [this.#before?.id]]);
    await this.#noticed();
    const { notices } = await this.#home.client.call("notify.list", {});
    assert.deepEqual(
      notices.filter(({ session }) => session === this.#session).map(({ state }) => state),
      ["sent"],
    );
    assert.equal(new Set(this.#arrived()).size, 1);
    await this.#home.client.call("sessions.kill", { session: this.#session, graceMs: 0 });
  }

  async #liveTo(step: Step): Promise<void> {
    this.#before = await this.#hint();
    if (step === "hint") return;
    // No answer of the receiver reaches the daemon: the row is written, and the notice may have arrived.
    if (step === "written") this.#receiver.status = 0;
    process.kill(this.#pid, "SIGUSR1");
    const question = await questionIn(this.#home.client);
    this.#before = question;
    if (step === "open") return;
    await until(() => this.#arrived().length > 0, "the notice arrives");
    if (step === "written") return;
    await this.#noticed();
    if (step === "sent") return;
    const answered = this.#answer(question).catch(() => undefined);
    await until(async () => (await this.#list()).approvals.length === 0, "the answer is accepted");
    if (step === "accepted") return;
    await until(async () => (await this.#output()).includes("answer="), "the keys are typed");
    if (step === "gone") await answered;
  }

  async #answer({ digest, id: approval }: SessionApproval): Promise<void> {
    await this.#home.client.call("approvals.answer", { session: this.#session, approval, digest, option: "y" });
  }

  async #hint(): Promise<SessionApproval> {
    let hint: SessionApproval | undefined;
    await until(async () => {
      [hint] = (await this.#list()).hints;
      return hint !== undefined;
    }, "a hint");
    assert.ok(hint);
    return hint;
  }

  async #list() {
    return await this.#home.client.call("approvals.list", { session: this.#session });
  }

  /** Resolves when the daemon has noted that its notice was sent. */
  async #noticed(): Promise<void> {
    await until(async () => {
      const { notices } = await this.#home.client.call("notify.list", {});
      return notices.some(({ session, state }) => session === this.#session && state === "sent");
    }, "the notice is sent");
  }

  /** Ids of the notices that arrived about the session. */
  #arrived(): string[] {
    return this.#receiver.received
      .filter(({ body }) => body.includes(this.#session))
      .map(({ headers }) => String(headers["webhook-id"]));
  }

  async #changes() {
    const { changes } = await this.#home.client.call("sessions.changes", {
      session: this.#session,
      kinds: ["approval"],
    });
    return changes.flatMap((change) => (change.kind === "approval" ? [change.approval] : []));
  }

  async #last() {
    return (await this.#changes()).at(-1);
  }

  async #ids(): Promise<string[]> {
    return [...new Set((await this.#changes()).map(({ id }) => id))];
  }

  async #output(): Promise<string> {
    const given = { session: this.#session, scrollback: true, ansi: false };
    return (await this.#home.client.call("sessions.screen", given)).text;
  }

  /** The number of bytes that were typed. */
  async #typed(): Promise<number> {
    const given = { session: this.#session, types: ["input" as const] };
    const { records } = await this.#home.client.call("sessions.records", given);
    return records.reduce((sum, record) => sum + Number(record["bytes"]), 0);
  }
}

const shared = new SharedHome();

test("a daemon that is killed at any step of a question leaves the same list, one notice and one answer", async () => {
  await using receiver = await NoticeReceiver.start();
  const home = await shared.empty();
  const rules = [{ on: ["blocked"], after: "0s", content: "question", presence: false, to: ["hook"] }];
  const channels = { hook: { kind: "webhook", url: `http://${receiver.host}/` } };
  const settings = { notify: { channels, rules, privateTargets: [receiver.host] } };
  writeFileSync(join(home.paths.dataDirectory, "lectern.yaml"), JSON.stringify(settings));
  await home.ok("reload");
  for (let number = 0; number < lives; number += 1) {
    const step = STEPS[number % STEPS.length] ?? "gone";
    const name = `life-${number}-${step}`;
    const session = await home.client.call("sessions.create", { name, command: ["python3", "-c", PROGRAM] });
    const life = new Life(home, receiver, session);
    await life.killAt(step);
    await life.end(step);
  }
});
