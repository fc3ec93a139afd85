/**
 * Prompts and answers that are cut off half way: at each step the daemon or the program is killed with `kill -9`, or the terminal is
 * resized. Counts what was typed twice, what was left for the next prompt or question, what a shell ran in place of a program that had
 * died, and prompts that a receipt calls done although nobody took them: all must be 0.
 *
 *   node bench/half-way.ts [rounds=3] [prompts,answers]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type Receipt } from "../src/core/acting/receipt.ts";
import { BenchDaemon } from "./support/daemon.ts";

const rounds = Number(process.argv[2] ?? 3);
const parts = (process.argv[3] ?? "prompts,answers").split(",");
const WAIT_MS_MAX = 90_000;
const POLL_MS = 4;
const steps = ["accepted", "typed", "echoed", "entered", "submitted", "working"] as const;
const answerSteps = ["sent", "marked", "typed"] as const;
const actions = ["kill the daemon", "kill the program", "resize"] as const;
const boxed = join(import.meta.dirname, "../test/support/boxed-program.ts");
const asks = `for q in "Overwrite it" "Delete the rest"; do read -p "$q? [y/n] " a; echo "$q <$a>" >> "$1"; done; cat`;

type Action = (typeof actions)[number];

const directory = mkdtempSync(join(tmpdir(), "lectern-half-"));
await using daemon = await BenchDaemon.start();
let faults = 0;

function fault(text: string): void {
  faults += 1;
  console.log(`  ${text}`);
}

const counts = { done: 0, failed: 0, refused: 0 };

/** Asks again if the daemon has ended meanwhile. */
async function retry<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const deadline = performance.now() + WAIT_MS_MAX; ;) {
    try {
      return await call();
    } catch (error) {
      const isAway = (error as { code?: string }).code === "DAEMON_UNREACHABLE";
      if (!isAway || performance.now() > deadline) throw error;
    }
    await sleep(POLL_MS);
  }
}

async function marksOf(session: string): Promise<{ type: string; pid?: number | null; key?: string }[]> {
  const found: { type: string }[] = [];
  for (let from = 0; ;) {
    const page = await retry(() => daemon.client.call("sessions.records", { session, from, types: ["mark"] }));
    found.push(...page.records.map((record) => record["event"] as { type: string }));
    if (page.next === from) return found;
    from = page.next;
  }
}

async function act(action: Action, session: string): Promise<void> {
  if (action === "kill the daemon") await daemon.crash();
  else if (action === "resize") {
    await daemon.client.call("sessions.resize", { session, columns: 60, rows: 18 });
    await sleep(30);
    await daemon.client.call("sessions.resize", { session, columns: 100, rows: 30 });
  } else {
    const pid = (await marksOf(session)).findLast(({ type }) => type === "foreground")?.pid;
    if (pid) process.kill(pid, "SIGKILL");
  }
}

async function untilState(session: string, ...states: ("waiting" | "blocked")[]): Promise<void> {
  const wait = { session, for: { type: "status" as const, states }, timeoutMs: WAIT_MS_MAX };
  await retry(() => daemon.client.call("sessions.wait", wait));
}

/** The step of a prompt is reached: by its receipt, or by its keys in the journal. */
async function untilStep(session: string, key: string, step: (typeof steps)[number]): Promise<void> {
  const part = { typed: "text", entered: "enter" }[step as string];
  for (const deadline = performance.now() + 10_000; performance.now() < deadline; await sleep(POLL_MS)) {
    if (part !== undefined) {
      if ((await marksOf(session)).some((mark) => mark.key === `${key}:${part}`)) return;
    } else if ((await receiptOf(session, key)).steps.some(({ state }) => state === step)) return;
    if (isFinal(await receiptOf(session, key))) return;
  }
}

const receiptOf = async (session: string, key: string, waitMs = 0): Promise<Receipt> =>
  await retry(() => daemon.client.call("sessions.receipt", { session, key, waitMs }));

async function promptRound(step: (typeof steps)[number], action: Action, round: number): Promise<void> {
  const name = `${step}, ${action}, ${round}`;
  const id = `${steps.indexOf(step)}-${actions.indexOf(action)}-${round}`;
  const [taken, run] = [join(directory, `${id}.taken`), join(directory, `${id}.run`)];
  const command: [string, ...string[]] = ["bash", "--norc", "--noprofile"];
  const { id: session } = await daemon.client.call("sessions.create", { command, columns: 100, rows: 30 });
  await untilState(session, "waiting");
  const text = `${process.execPath} ${boxed} ${taken}`;
  await daemon.client.call("sessions.input", { session, text, enter: true });
  const output = { session, for: { type: "output" as const, pattern: "/model" }, from: 0, timeoutMs: WAIT_MS_MAX };
  await daemon.client.call("sessions.wait", output);
  await untilState(session, "waiting");
  const prompt = `touch ${run} # mark${id}x`;
  await daemon.client.call("sessions.prompt", { session, text: prompt, key: "half" });
  await untilStep(session, "half", step);
  await act(action, session);
  let receipt = await receiptOf(session, "half", 60_000);
  while (!isFinal(receipt)) receipt = await receiptOf(session, "half", 60_000);
  const next = action === "kill the program" ? `echo '"next${id}x"' >> ${taken}` : `next${id}x`;
  const after = await retry(() =>
    daemon.client.call("sessions.prompt", { session, text: next, key: "next", shell: true, waitMs: 60_000 }),
  ).catch((error: Error & { code?: string }) => ({ state: error.code ?? "", reason: error.message }));
  const lines = existsSync(taken) ? readFileSync(taken, "utf8").trimEnd().split("\n") : [];
  const times = lines.filter((line) => line === JSON.stringify(prompt)).length;
  const strange = lines.filter((line) => line !== JSON.stringify(prompt) && line !== JSON.stringify(`next${id}x`));
  if (times > 1) fault(`${name}: taken ${times} times`);
  if (strange.length > 0) fault(`${name}: glued: ${strange.join(" ")}`);
  if (existsSync(run)) fault(`${name}: a shell ran it`);
  if (receipt.state === "done" && times === 0 && receipt.reason === null) fault(`${name}: lost`);
  if (receipt.state === "failed" && times === 1) fault(`${name}: taken, and failed: ${receipt.reason}`);
  const isRefused = after.state === "CONFLICT" || after.state === "failed";
  if (isRefused && receipt.left === undefined) fault(`${name}: next is ${after.state}: ${after.reason}`);
  if (!isRefused && !lines.includes(JSON.stringify(`next${id}x`))) fault(`${name}: next is lost, ${after.state}`);
  counts[receipt.state === "done" ? "done" : "failed"] += 1;
  if (isRefused) counts.refused += 1;
  await retry(() => daemon.client.call("sessions.kill", { session, graceMs: 0 }));
}

async function answerRound(step: (typeof answerSteps)[number], action: Action, round: number): Promise<void> {
  const name = `answer ${step}, ${action}, ${round}`;
  const taken = join(directory, `answer-${answerSteps.indexOf(step)}-${actions.indexOf(action)}-${round}`);
  const command: [string, ...string[]] = ["bash", "--norc", "-c", asks, "bash", taken];
  const { id: session } = await daemon.client.call("sessions.create", { command, columns: 100, rows: 30 });
  await untilState(session, "blocked");
  const [asked] = (await daemon.client.call("approvals.list", { session })).approvals;
  if (asked === undefined) return fault(`${name}: not asked`);
  const answer = { session, approval: asked.id, option: "y", digest: asked.digest };
  const answering = daemon.client.call("approvals.answer", answer).then(
    () => "answered",
    (error: Error & { code?: string }) => error.code ?? "",
  );
  for (
    const deadline = performance.now() + (step === "sent" ? 0 : 5000);
    performance.now() < deadline;
    await sleep(POLL_MS)
  ) {
    const isReached =
      step === "marked"
        ? (await marksOf(session)).some(({ type }) => type === "approval-answer")
        : (await daemon.client.call("sessions.records", { session, types: ["input"] })).records.length > 0;
    if (isReached) break;
  }
  await act(action, session);
  const first = await answering;
  // Whoever got no answer sends the same one again; a daemon that has just started knows the question a moment later.
  let second = "";
  for (
    const deadline = performance.now() + (first === "answered" ? 0 : 5000);
    performance.now() < deadline;
    await sleep(200)
  ) {
    second = await retry(() => daemon.client.call("approvals.answer", answer)).then(
      () => "answered",
      (error: Error & { code?: string }) => error.code ?? "",
    );
    if (second !== "NOT_FOUND") break;
  }
  await sleep(1500);
  const lines = existsSync(taken) ? readFileSync(taken, "utf8").trimEnd().split("\n") : [];
  if (lines.some((line) => line.startsWith("Delete")))
    fault(`${name}: the next question was answered: ${lines.join(" ")}`);
  if (lines.some((line) => !line.endsWith("<y>"))) fault(`${name}: another answer: ${lines.join(" ")}`);
  const isAlive = action !== "kill the program";
  if (isAlive && lines.length === 0) fault(`${name}: not answered: ${first}, ${second}`);
  counts[lines.length > 0 ? "done" : "failed"] += 1;
  await retry(() => daemon.client.call("sessions.kill", { session, graceMs: 0 })).catch(() => undefined);
}

for (const action of parts.includes("prompts") ? actions : []) {
  for (let round = 0; round < rounds; round += 1) {
    for (const step of steps) await promptRound(step, action, round);
  }
  console.log(`prompts, ${action}: ${JSON.stringify(counts)}, ${faults} faults so far`);
}
for (const action of parts.includes("answers") ? actions : []) {
  for (let round = 0; round < rounds; round += 1) {
    for (const step of answerSteps) await answerRound(step, action, round);
  }
  console.log(`answers, ${action}: ${JSON.stringify(counts)}, ${faults} faults so far`);
}
console.log(`${faults} faults`);
rmSync(directory, { recursive: true, force: true });
