import { oneLine } from "../../core/text/one-line.ts";
import { randomUUID } from "node:crypto";
import { LecternError } from "../../core/errors.ts";
import { unitMs, waits } from "../../core/waits.ts";
import type { InputOf, OutputOf } from "../../protocol/operations.ts";
import { isFinal, type AnsweredReceipt, type Receipt } from "../../core/acting/receipt.ts";
import { AFTER_LIMIT_HOURS_MAX } from "../../core/acting/schedule.ts";
import { askAgain, isAway } from "../ask-again.ts";
import { ASKS_EXIT_CODE, defineCommand, jsonOption, sessionArgument, TIMED_OUT_EXIT_CODE } from "../command.ts";
import { localTime } from "../../core/status/limit-text.ts";
import type { CliContext } from "../context.ts";
import { printTable } from "../columns.ts";
import { readInput } from "../standard-input.ts";
import { parseDuration } from "../../core/text/quantities.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { SessionStatus } from "../../core/status/status.ts";
import { truncateToWidth } from "../../core/text/width.ts";
import { formatAge } from "../quantities.ts";

const ERASE_LINE = "\r\u001B[K";
const COLUMNS = 80;

const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const SPAN = /^(?:\+|in\s+)\s*(\S+)$/;
/** Without a zone it is local. */
const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-][01]\d:?[0-5]\d)?$/i;

const TEXT_BYTES_MAX = 262_144;
/** Removed from standard input, because it would be typed. */
const LAST_LINE_END = /\r?\n$/;

export const prompt = defineCommand({
  name: "prompt",
  summary: "Type a prompt once, when the program is ready for it",
  details: [
    "States: accepted, typed, echoed, submitted, working, done. Several lines are pasted as one prompt. With --key the",
    "same prompt is never typed twice, even if the command is repeated or the daemon is killed in between.",
    "--cancel KEY cancels a prompt that was not typed yet.",
    "--at TIME types it later, --after-limit when the usage limit of the agent has ended; both survive a restart of",
    "the daemon. The session is checked then, as for any prompt; what is refused then has failed, and is not typed.",
    "TIME is 14:00 (the next such local time), +2h, or ISO 8601; at most 30 days ahead, 32 prompts a session.",
    "With --wait it exits if the session asks a question: the question and how to answer it are printed",
    "to standard error, the prompt stays submitted, and the same command with the same --key waits again.",
    "On a terminal, a line shows the progress.",
    "The prompt is refused if the input box or line is not empty: it is never appended to a draft. It is also refused",
    "if the program takes single keys and shows no input line, such as a menu, where a key of it could answer a",
    "question: --force types it there. A shell would run the text: it is refused without --shell, see lectern exec.",
    "Exit codes: 0 accepted (with --wait: done), 1 failed or cancelled, 4 refused, 10 a question is open, 124 timed out.",
  ],
  arguments: [sessionArgument, { name: "text", summary: "What to type; - reads standard input", count: "optional" }],
  options: {
    key: { type: "text", short: "k", placeholder: "KEY", summary: "Idempotency key of this prompt" },
    cancel: { type: "text", placeholder: "KEY", summary: "Cancel the prompt with this key if nothing of it was typed" },
    wait: { type: "flag", short: "w", summary: "Wait until it is done or failed, or a question is open" },
    at: { type: "text", placeholder: "TIME", summary: "Type it at this time: 14:00, +2h or ISO 8601" },
    "after-limit": { type: "flag", summary: "Type it when the usage limit has ended; without a limit, now" },
    scheduled: { type: "flag", summary: "List the prompts that are scheduled" },
    "through-questions": { type: "flag", summary: "With --wait: wait on while a question is open" },
    literal: { type: "flag", summary: "In an agent, /name is text for its model, not a command" },
    force: { type: "flag", summary: "Type it although the program shows no input line" },
    shell: { type: "flag", summary: "Type it for a shell, too, which runs it as a command" },
    "when-empty": { type: "flag", summary: "If a draft is in the input box or line, wait until it is gone" },
    timeout: {
      type: "duration",
      short: "t",
      placeholder: "TIME",
      summary: "With --wait, from its time on; default: 10m",
    },
    json: jsonOption,
  },
  examples: [
    "lectern prompt claude 'fix the failing test' --wait",
    "lectern prompt claude - --key job-17 < task.md",
    "lectern prompt claude --cancel job-17",
    "lectern prompt claude 'run the tests again' --at 14:00",
    "lectern prompt claude 'run the tests again' --after-limit",
    "lectern prompt claude --scheduled",
  ],
  async run({ arguments: { session, text }, options }, context) {
    if ([text !== undefined, options.cancel !== undefined, options.scheduled].filter(Boolean).length !== 1)
      throw new LecternError("USAGE", 'Missing argument: give either a text, "--cancel KEY" or "--scheduled"');
    const dueMs = dueOf(options);
    if (options.scheduled) return await listScheduled(context, session, options.json);
    if (options.cancel !== undefined) {
      const receipt = await context.call("sessions.cancel", { session, key: options.cancel });
      await context.print(options.json ? JSON.stringify(receipt) : `${receipt.state} (key ${receipt.key})`);
      return 0;
    }
    const wanted =
      text === "-" ? (await readInput(context, "a prompt", TEXT_BYTES_MAX)).replace(LAST_LINE_END, "") : (text ?? "");
    const afterLimit = options["after-limit"];
    const afterLimitMs = afterLimit ? AFTER_LIMIT_HOURS_MAX * unitMs.h : 0;
    const laterMs = dueMs === undefined ? afterLimitMs : Math.max(0, dueMs - Date.now());
    const waitMs = options.wait ? laterMs + Math.min(options.timeout ?? 600_000, unitMs.h) : 0;
    const key = options.key ?? randomUUID();
    const { literal, force, shell } = options;
    const input = { session, text: wanted, key, whenEmpty: options["when-empty"], literal, force, shell };
    const throughQuestions = options["through-questions"];
    const dueUs = dueMs === undefined ? {} : { dueUs: dueMs * 1000 };
    const receipt = await send(context, { ...input, throughQuestions, afterLimit, ...dueUs }, waitMs);
    await context.print(options.json ? JSON.stringify(receipt) : receiptText(receipt, options.wait));
    if (afterLimit && receipt.afterLimit === undefined)
      context.note(`lectern: "${context.addressOf(session)}" has no usage limit now: the prompt was not scheduled`);
    if (receipt.state === "failed" || receipt.state === "cancelled") return 1;
    if (options.wait && receipt.asks !== null) {
      const { question, howToAnswer } = receipt.asks;
      const waitAgain = `the same command with --key ${receipt.key} waits again`;
      context.note(
        `lectern: "${context.addressOf(session)}" asks "${oneLine(question)}"; ${howToAnswer}; ${waitAgain}`,
      );
      return throughQuestions ? TIMED_OUT_EXIT_CODE : ASKS_EXIT_CODE;
    }
    if (options.wait && (receipt.state === "accepted" || receipt.state === "scheduled"))
      context.note(
        `lectern: the prompt is not typed yet; "lectern prompt ${context.addressOf(session)} --cancel ${receipt.key}" cancels it`,
      );
    if (options.wait && receipt.state === "typed")
      context.note("lectern: the prompt is typed, and was not seen on the screen; Enter is not pressed");
    return options.wait && receipt.state !== "done" ? TIMED_OUT_EXIT_CODE : 0;
  },
});

const receiptText = ({ asks, state, key, reason, ...receipt }: AnsweredReceipt, isAwaited: boolean): string => {
  if (isAwaited && asks !== null) return `asks (key ${key}): ${oneLine(asks.question)}`;
  if (state === "scheduled") return `${state} ${scheduleText(receipt)} (key ${key})`;
  return `${state} (key ${key})${reason === null ? "" : `: ${oneLine(reason)}`}`;
};

/** `for 14:00`, `after the usage limit`. */
const scheduleText = ({ dueUs }: Pick<Receipt, "dueUs">): string =>
  dueUs === undefined ? "after the usage limit" : `for ${localTime(dueUs / 1000, Date.now())}`;

interface Later {
  readonly at: string | undefined;
  readonly "after-limit": boolean;
  readonly cancel: string | undefined;
  readonly scheduled: boolean;
}

/** Milliseconds since the Unix epoch; undefined for a prompt that has no time. Throws `USAGE`. */
function dueOf({ at, "after-limit": afterLimit, cancel, scheduled }: Later): number | undefined {
  if ((at !== undefined || afterLimit) && (cancel !== undefined || scheduled))
    throw new LecternError("USAGE", 'Options "--at" and "--after-limit" need a text');
  if (at === undefined) return undefined;
  if (afterLimit) throw new LecternError("USAGE", 'Give either "--at" or "--after-limit", not both');
  const dueMs = parseDueTime(at, Date.now());
  if (dueMs !== undefined) return dueMs;
  throw new LecternError(
    "USAGE",
    `Option "--at" must be a time such as 14:00, +2h or 2026-11-27T14:00, not "${oneLine(at)}"`,
  );
}

async function listScheduled(context: CliContext, session: string, isJson: boolean): Promise<void> {
  const { receipts } = await context.call("sessions.receipts", { session });
  const scheduled = receipts
    .filter(({ state }) => state === "scheduled")
    .toSorted((one, two) => (one.dueUs ?? Infinity) - (two.dueUs ?? Infinity));
  if (isJson) await context.print(JSON.stringify(scheduled));
  else if (scheduled.length === 0) context.note("No scheduled prompts");
  else {
    const rows = scheduled.map((receipt) => [receipt.key, scheduleText(receipt), oneLine(receipt.text)]);
    await printTable([["KEY", "TYPED", "TEXT"], ...rows], context);
  }
}

type Prompt = InputOf<"sessions.prompt"> & { readonly key: string };

/** The receipt, after at most `waitMs`. */
async function send(context: CliContext, sent: Prompt, waitMs: number): Promise<OutputOf<"sessions.prompt">> {
  const { session, key } = sent;
  // The prompt may have been typed when the wait is interrupted; with its key, the wait can be repeated.
  const noteKey = (): void => context.note(`lectern: ${interruptedText(context.addressOf(session), sent)}`);
  if (waitMs > 0) context.signal.addEventListener("abort", noteKey, { once: true });
  const answered = new AbortController();
  const signal = AbortSignal.any([context.signal, answered.signal]);
  const progress = waitMs > 0 ? showProgress(context, { session, key, signal }) : undefined;
  const deadline = performance.now() + waitMs;
  let hasAsked = false;
  const ask = async (): Promise<OutputOf<"sessions.prompt">> =>
    await askAgain(context, (client) => {
      hasAsked = true;
      const leftMs = Math.ceil(Math.max(0, Math.min(waitMs, unitMs.h, deadline - performance.now())));
      return client.call("sessions.prompt", { ...sent, waitMs: leftMs }, { signal: context.signal });
    });
  try {
    let receipt = await ask();
    // One request waits for an hour at most.
    while (!isFinal(receipt) && receipt.asks === null && performance.now() < deadline) receipt = await ask();
    return receipt;
  } catch (cause) {
    throw hasAsked ? withKey(cause, context.addressOf(session), key) : cause;
  } finally {
    context.signal.removeEventListener("abort", noteKey);
    answered.abort();
    await progress;
  }
}

/** If no daemon answers, it is unknown whether the last one accepted the prompt: with its key, the command is safe to repeat. */
function withKey(cause: unknown, session: string, key: string): unknown {
  if (!isAway(cause) && !(cause instanceof LecternError && cause.code === "NOT_AVAILABLE")) return cause;
  return new LecternError(
    cause.code,
    `${cause.message}; an accepted prompt stays submitted: the same command with --key ${key} waits again and types nothing twice, and "lectern status ${session}" shows its progress`,
    { details: { key }, cause },
  );
}

const interruptedText = (session: string, { afterLimit, dueUs, key }: Prompt): string =>
  dueUs !== undefined || afterLimit
    ? `the prompt is still typed at its time; "lectern prompt ${session} --cancel ${key}" cancels it, the same command with --key ${key} waits again`
    : `the prompt stays submitted; "lectern status ${session}" and "lectern chat ${session}" show its progress, the same command with --key ${key} waits again`;

/** Milliseconds since the Unix epoch; undefined if it is not a time. A time of day is the next one after `nowMs`, in the local zone. */
export function parseDueTime(text: string, nowMs: number): number | undefined {
  const written = text.trim();
  const span = SPAN.exec(written)?.[1];
  if (span !== undefined) {
    const ms = parseDuration(span);
    return ms === undefined ? undefined : nowMs + ms;
  }
  const clock = CLOCK.exec(written);
  if (clock !== null) {
    const [, hour, minute, second = 0] = clock.map(Number);
    const time = new Date(nowMs);
    const set = (): number => time.setHours(hour ?? 0, minute, Number.isNaN(second) ? 0 : second, 0);
    if (set() > nowMs) return time.getTime();
    time.setDate(time.getDate() + 1);
    return set();
  }
  const date = DATE_TIME.exec(written);
  if (date === null) return undefined;
  const [year, month, day] = date.slice(1, 4).map(Number) as [number, number, number];
  // Without this check the 30th of February would be a day of March.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const ms = Date.parse(written.replace(" ", "T"));
  return Number.isNaN(ms) ? undefined : ms;
}

/** Resolves when `signal` is aborted. Does nothing if standard error is not a terminal. */
async function showProgress(
  { client, stderr }: Pick<CliContext, "client" | "stderr">,
  { session, key, signal }: { readonly session: string; readonly key: string; readonly signal: AbortSignal },
): Promise<void> {
  if (!stderr.isTTY) return;
  const startMs = Date.now();
  while (!signal.aborted) {
    // A daemon that does not answer, or does not know the prompt yet, has nothing to show.
    const text = await progressOf(await client(), { session, key, signal }).catch(() => null);
    if (signal.aborted) break;
    const line = `${formatAge(startMs, Date.now())}  ${text ?? ""}`;
    if (text !== null) stderr.write(ERASE_LINE + truncateToWidth(line, (stderr.columns || COLUMNS) - 1));
    await delay(waits.activityMs, undefined, { signal }).catch(() => undefined);
  }
  stderr.write(ERASE_LINE);
}

async function progressOf(
  client: Awaited<ReturnType<CliContext["client"]>>,
  { session, key, signal }: { readonly session: string; readonly key: string; readonly signal: AbortSignal },
): Promise<string> {
  const [receipt, { status }] = await Promise.all([
    client.call("sessions.receipt", { session, key }, { signal }),
    client.call("sessions.status", { session }, { signal }),
  ]);
  return progressText(receipt, status);
}

/** `accepted: waits until ...`, `working  Working (12s)`. */
export function progressText(
  { state, reason }: Pick<Receipt, "state" | "reason">,
  status: Pick<SessionStatus, "state" | "summary"> | null,
): string {
  if (reason !== null) return `${state}: ${oneLine(reason)}`;
  const isTyped = state === "submitted" || state === "working";
  return isTyped && status !== null ? `${status.state}  ${oneLine(status.summary)}` : state;
}
