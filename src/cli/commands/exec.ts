import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { isShellProgram } from "../../core/agents/command-line.ts";
import { waits } from "../../core/waits.ts";
import type { LecternClient } from "../../client/client.ts";
import { exitCodeOf } from "../../protocol/exit-code.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { isAway } from "../ask-again.ts";
import { defineCommand, jsonOption, sessionArgument, TIMED_OUT_EXIT_CODE, WAIT_MS_MAX } from "../command.ts";
import type { CliContext } from "../context.ts";
import { tagsNote } from "../tag-filter.ts";

/** The session was not at a prompt, or the command asks for input: the exit code of `CONFLICT`. */
const NOT_READY = 4;
/** Not 0, so that a script does not continue after a failure. The code with which timeout(1) and env(1) report their own failure. */
const NOT_KNOWN = 125;

type Result = OutputOf<"sessions.exec">;

export const exec = defineCommand({
  name: "exec",
  summary: "Run a command at the prompt of a session and print its output",
  details: [
    "The words are joined by spaces. Exits with the exit code of the command.",
    "What runs are the bytes that were given: bash, zsh and fish fetch them, so that no line editor changes any; into other",
    "programs they are typed, and what a program or the kernel would change or cut is refused with 4.",
    "Commands that are given at once run one after the other: each waits for its turn up to its time limit.",
    "Ctrl-C is sent to the session if the command was typed; otherwise nothing is typed, and the exit code is 130.",
    "It is typed only behind the prompt that the program began with: never into a pager, a question or an incomplete command.",
    "Exit codes: 124 timed out, the command keeps running; 4 nothing was typed, or the command waits for input;",
    "125 the exit code is unknown because the shell sends no marks. In a REPL the exit code is 0.",
  ],
  arguments: [sessionArgument, { name: "command", summary: "What to run", count: "many" }],
  options: {
    timeout: { type: "duration", short: "t", placeholder: "TIME", summary: "Default: 60s" },
    "max-bytes": {
      type: "size",
      minimum: 2,
      maximum: 16_777_216,
      placeholder: "SIZE",
      summary: "Longer output is truncated to head and tail; default: 1M",
    },
    raw: { type: "flag", summary: "With event tags in the output" },
    inside: { type: "flag", summary: "Also type into a foreground program of the shell, such as ssh or a REPL" },
    prompt: {
      type: "text",
      placeholder: "TEXT",
      summary: "Also type behind this text, if the program has changed its prompt",
    },
    json: jsonOption,
  },
  examples: [
    "lectern exec work -- git status --short",
    "lectern exec work --timeout 10m -- make test",
    "lectern exec repl --json -- 'print(6 * 7)'",
  ],
  async run({ arguments: { session, command }, options }, context) {
    const client = await context.client();
    const input = {
      session,
      command: command.join(" "),
      timeoutMs: Math.min(options.timeout ?? 60_000, WAIT_MS_MAX),
      inside: options.inside,
      raw: options.raw,
      key: randomUUID(),
      ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
      ...(options["max-bytes"] === undefined ? {} : { outputBytesMax: options["max-bytes"] }),
    };
    const result = await interruptible(client, input, context, () =>
      client.call("sessions.exec", input).catch((cause: unknown) => rethrow(cause, session)),
    );
    if (options.json) await context.print(JSON.stringify(result));
    else await print(result, context);
    return exitCodeFor(result);
  },
});

/** Explains an error after which the command may keep running. */
function rethrow(cause: unknown, session: string): never {
  if (!isAway(cause)) throw cause;
  throw new LecternError(
    cause.code,
    `Lost the daemon: a command that was typed keeps running; see "lectern logs ${session}", and wait for it with "lectern wait ${session} --for ready"`,
    { cause },
  );
}

/** Ctrl-C interrupts the command, whose result is then reported as usual; a command that still waits for a prompt is not typed. */
async function interruptible<Value>(
  client: LecternClient,
  command: { readonly session: string; readonly key: string },
  context: CliContext,
  call: () => Promise<Value>,
): Promise<Value> {
  const { signal } = context;
  const over = new AbortController();
  const interrupt = async (): Promise<void> => {
    const { session, key } = command;
    // The daemon may not have received the command yet.
    while ((await client.call("sessions.abort", { session, key }, over)).outcome === "unknown")
      await delay(waits.pollMs, undefined, over);
  };
  // The result of the command shows whether this succeeded.
  const onAbort = (): void => void interrupt().catch(() => undefined);
  if (signal.aborted) throw cancelled(context);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await call();
  } catch (error) {
    if (signal.aborted && error instanceof LecternError && error.code === "CANCELLED") throw cancelled(context);
    throw error;
  } finally {
    over.abort();
    signal.removeEventListener("abort", onAbort);
  }
}

/** After Ctrl-C no error is printed. */
function cancelled(context: CliContext): LecternError {
  context.note("lectern: cancelled: nothing was typed");
  return new LecternError("CANCELLED", "Cancelled: nothing was typed");
}

async function print(result: Result, context: CliContext): Promise<void> {
  await context.writeOutput(result.output);
  for (const note of [omissionOf(result), tagsNote(result.tags, "exec --raw"), noteOf(result)])
    if (note !== undefined) context.note(`lectern: ${note}`);
}

function exitCodeFor(result: Result): number {
  if (result.ended) return result.exitCode ?? (isUnknown(result) ? NOT_KNOWN : 0);
  if (!result.ran) return NOT_READY;
  if (result.reason === "timeout") return TIMED_OUT_EXIT_CODE;
  if (result.reason === "exit") return result.session.exit === null ? 1 : exitCodeOf(result.session.exit);
  return NOT_READY;
}

/** The note for a person unless the command simply ended. */
function noteOf(result: Result): string | undefined {
  const { name } = result.session;
  if (result.ended) {
    return isUnknown(result)
      ? "the exit code is unknown, and the output was extracted without marks: the shell sends none"
      : undefined;
  }
  const who = result.program ?? "the program";
  if (!result.ran) {
    if (result.reason === "mark" && result.asks === "command")
      return "the shell has read the command and ran nothing: it is empty, a comment, not valid, or was given up with Ctrl-C";
    if (result.reason === "timeout") return `timed out waiting for a prompt in session "${name}": nothing was typed`;
    if (result.reason === "exit") return `session "${name}" has ended: nothing was typed`;
    if (result.asks === "password") return `${who} asks for a password in session "${name}": nothing was typed`;
    return `${who} waits for input in session "${name}", not at its prompt: nothing was typed; ${answers(name)}${otherwise(result)}`;
  }
  if (result.reason === "timeout")
    return `the command keeps running in session "${name}": follow it with "lectern logs -f ${name}"`;
  if (result.reason === "exit") return `session "${name}" has ended`;
  if (result.asks === "more" && result.reason === "mark")
    return "the command is incomplete: it was cancelled with Ctrl-C";
  if (result.asks === "more")
    return `the command is incomplete: send the rest with "lectern send ${name} --enter TEXT", or give it up with "lectern key ${name} C-c"`;
  if (result.asks === "password")
    return `${who} asks for a password: answer with "lectern send ${name} --secret --enter -"`;
  return `${who} waits for input: ${answers(name)}`;
}

const answers = (name: string): string =>
  `answer with "lectern send ${name} --enter TEXT" or "lectern key ${name} KEY"`;

/** A program in front of a shell is typed into only if that is wanted. */
function otherwise({ asks, session, program }: Result): string {
  if (asks === "more") return "";
  const isInFront = isShellProgram(session.command[0] ?? "") && !isShellProgram(program ?? "");
  return isInFront ? ", or type at its prompt with --inside" : ", or name its prompt with --prompt";
}

/** Each command of a shell has an exit code, which only marks report. */
const isUnknown = ({ exitCode, program, session }: Result): boolean =>
  exitCode === null && isShellProgram(program ?? session.command[0] ?? "");

function omissionOf({ offset, omitted, session }: Result): string | undefined {
  if (omitted === null) return undefined;
  const command = omitted.kept ? `blob ${omitted.sha256.slice(0, 16)}` : `logs ${session.name} --raw --from ${offset}`;
  return `${omitted.bytes} of ${omitted.totalBytes} bytes were omitted in the middle: "lectern ${command}" prints all of it, --max-bytes accepts up to 16M`;
}
