/** Sends a prompt to an agent, a shell or a REPL, once. */
import { oneLine } from "../../core/text/one-line.ts";
import { randomUUID } from "node:crypto";
import { LecternError } from "../../core/errors.ts";
import { unitMs } from "../../core/waits.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { askAgain, isAway } from "../ask-again.ts";
import { ASKS_EXIT_CODE, defineCommand, jsonOption, sessionArgument, TIMED_OUT_EXIT_CODE } from "../command.ts";
import type { CliContext } from "../context.ts";
import { showProgress } from "../prompt-progress.ts";
import { readInput } from "../standard-input.ts";

const TEXT_BYTES_MAX = 262_144;
/** Removed from standard input, because it would be typed. */
const LAST_LINE_END = /\r?\n$/;

export const prompt = defineCommand({
  name: "prompt",
  aliases: [],
  summary: "Type a prompt once, when the program is ready for it",
  details: [
    "States: accepted, echoed, submitted, working, done. Several lines are pasted as one prompt. With --key the",
    "same prompt is never typed twice, even if the command is repeated or the daemon is killed in between.",
    "--cancel KEY cancels a prompt that was not typed yet.",
    "With --wait it exits if the session asks a question: the question and how to answer it are printed",
    "to standard error, the prompt stays submitted, and the same command with the same --key waits again.",
    "On a terminal, a line shows the progress.",
    "The prompt is refused if the input box or line is not empty: it is never appended to a draft.",
    "Exit codes: 0 accepted (with --wait: done), 1 failed or cancelled, 4 refused, 10 a question is open, 124 timed out.",
  ],
  arguments: [sessionArgument, { name: "text", summary: "What to type; - reads standard input", count: "optional" }],
  options: {
    key: { type: "text", short: "k", placeholder: "KEY", summary: "Idempotency key of this prompt" },
    cancel: { type: "text", placeholder: "KEY", summary: "Cancel the prompt with this key if nothing of it was typed" },
    wait: { type: "flag", short: "w", summary: "Wait until it is done or failed, or a question is open" },
    "through-questions": { type: "flag", summary: "With --wait: wait on while a question is open" },
    literal: { type: "flag", summary: "In an agent, /name is text for its model, not a command" },
    "when-empty": { type: "flag", summary: "If a draft is in the input box or line, wait until it is gone" },
    timeout: { type: "duration", short: "t", placeholder: "TIME", summary: "With --wait; default: 10m" },
    json: jsonOption,
  },
  examples: [
    "lectern prompt claude 'fix the failing test' --wait",
    "lectern prompt claude - --key job-17 < task.md",
    "lectern prompt claude --cancel job-17",
  ],
  async run({ arguments: { session, text }, options }, context) {
    if ((text === undefined) === (options.cancel === undefined))
      throw new LecternError("USAGE", 'Missing argument: give either a text or "--cancel KEY"');
    if (options.cancel !== undefined) {
      const input = { session, key: options.cancel };
      const receipt = await context.call("sessions.cancel", input);
      await context.print(options.json ? JSON.stringify(receipt) : `${receipt.state} (key ${receipt.key})`);
      return 0;
    }
    const wanted =
      text === "-" ? (await readInput(context, "a prompt", TEXT_BYTES_MAX)).replace(LAST_LINE_END, "") : (text ?? "");
    const waitMs = options.wait ? Math.min(options.timeout ?? 600_000, unitMs.h) : 0;
    const key = options.key ?? randomUUID();
    const input = { session, text: wanted, key, whenEmpty: options["when-empty"], literal: options.literal };
    const throughQuestions = options["through-questions"];
    const receipt = await send(context, { ...input, throughQuestions }, waitMs);
    if (options.json) await context.print(JSON.stringify(receipt));
    else {
      const reason = receipt.reason === null ? "" : `: ${oneLine(receipt.reason)}`;
      await context.print(`${receipt.state} (key ${receipt.key})${reason}`);
    }
    if (receipt.state === "failed" || receipt.state === "cancelled") return 1;
    if (options.wait && receipt.asks !== null) {
      const { question, howToAnswer } = receipt.asks;
      const waitAgain = `the same command with --key ${receipt.key} waits again`;
      context.note(
        `lectern: "${context.addressOf(session)}" asks "${oneLine(question)}"; ${howToAnswer}; ${waitAgain}`,
      );
      return throughQuestions ? TIMED_OUT_EXIT_CODE : ASKS_EXIT_CODE;
    }
    if (options.wait && receipt.state === "accepted")
      context.note(
        `lectern: the prompt is not typed yet; "lectern prompt ${context.addressOf(session)} --cancel ${receipt.key}" cancels it`,
      );
    return options.wait && receipt.state !== "done" ? TIMED_OUT_EXIT_CODE : 0;
  },
});

interface Prompt {
  readonly session: string;
  readonly text: string;
  readonly key: string;
  readonly whenEmpty: boolean;
  readonly literal: boolean;
  readonly throughQuestions: boolean;
}

/** The receipt, after at most `waitMs`. */
async function send(context: CliContext, sent: Prompt, waitMs: number): Promise<OutputOf<"sessions.prompt">> {
  const { session, key } = sent;
  // The prompt may have been typed when the wait is interrupted; with its key, the wait can be repeated.
  const noteKey = (): void => context.note(`lectern: ${interruptedText(context.addressOf(session), key)}`);
  if (waitMs > 0) context.signal.addEventListener("abort", noteKey, { once: true });
  const answered = new AbortController();
  const signal = AbortSignal.any([context.signal, answered.signal]);
  const progress = waitMs > 0 ? showProgress(context, { session, key, signal }) : undefined;
  const deadline = performance.now() + waitMs;
  let hasAsked = false;
  try {
    return await askAgain(context, (client) => {
      hasAsked = true;
      const leftMs = Math.ceil(Math.max(0, Math.min(waitMs, deadline - performance.now())));
      return client.call("sessions.prompt", { ...sent, waitMs: leftMs }, { signal: context.signal });
    });
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

const interruptedText = (session: string, key: string): string =>
  `the prompt stays submitted; "lectern status ${session}" and "lectern chat ${session}" show its progress, the same command with --key ${key} waits again`;
