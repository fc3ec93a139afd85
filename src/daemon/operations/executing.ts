/** Commands in a session, and waits until it is ready. */
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { waits } from "../../core/waits.ts";
import { LecternError } from "../../core/errors.ts";
import type { Draft } from "../../core/acting/draft.ts";
import type { ActTarget } from "../../core/acting/target.ts";
import type { SessionEvent } from "../../core/records.ts";
import { wholeCharacters } from "../../core/text/cut-text.ts";
import { isReady } from "../../core/readiness/readiness.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import { executableOf, isCaught } from "../../pty/proc-files.ts";
import type { OmittedOutput } from "../../terminal/command-output.ts";
import type { BlobSink } from "../../terminal/blob-sink.ts";
import type { SessionSource } from "../../terminal/session-source.ts";
import { readDefaults } from "../../terminal/read-defaults.ts";
import { assertGoesOn } from "../../terminal/run-command.ts";
import { CTRL_C, TerminalState, TextTail } from "../../terminal/terminal-state.ts";
import { Terminal } from "../../terminal/terminal.ts";
import { withoutTags } from "./events.ts";
import { mayResume, openEntrySource, type SeenTo } from "./entry-source.ts";
import { typeFor } from "../acting/executor.ts";
import { foregroundGroup, targetNow } from "../acting/targets.ts";
import { assertFree, isAtPrompt } from "../acting/type-prompt.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import type { SessionViews } from "../views/session-views.ts";

/** A command of a session, from when it waits for its turn to its result. */
interface Execution {
  key: string | undefined;
  readonly abort: AbortController;
  /** Resolves when it leaves the line. */
  readonly left: PromiseWithResolvers<void>;
  /** For whom the command is typed; absent until the line was seen. */
  target?: ActTarget;
  /** When the command was typed, or the shell had taken it. */
  typedAtMs?: number;
  /** When the shell reported that it runs. */
  startedAtMs?: number;
  /** Who reads now; undefined until the command is typed. */
  reader?: () => Promise<ActTarget>;
}

/** Of a command that is handed over, in its mark. */
const MARKED_CHARS_MAX = 65_536;
/** Read at once, to count. */
const COUNTED_BYTES = 256 * 1024;

/** Kept for the next command; whoever wants more reads the journal. */
const HISTORY_CHARS_MAX = 4096;

/** Of one session: the one that runs, and those that wait behind it. */
const COMMANDS_MAX = 64;

/** Two commands at a time would be typed into each other: each runs when those in front of it have ended. Empty lines are removed. */
const executions = new WeakMap<SessionEntry, Execution[]>();

/** What the last terminal of a session has seen, with which the next one goes on; absent while one has it. */
const rests = new WeakMap<SessionEntry, SeenTo>();

interface Means {
  readonly blobs?: BlobSink | undefined;
  readonly views: SessionViews;
  readonly signal: AbortSignal;
}

/**
 * Runs behind the commands that were given before: waits for its turn as long as it may run itself, and up to 5 s while a prompt is typed. Throws
 * `CONFLICT` if it is still another command's turn then, somebody types, or a line is typed and not entered; `LIMIT_EXCEEDED`, `SESSION_ENDED`,
 * `HOST_UNREACHABLE`.
 */
export async function executeIn(
  entry: SessionEntry,
  input: ParsedInputOf<"sessions.exec">,
  { blobs, signal, views }: Means,
): Promise<OutputOf<"sessions.exec">> {
  entry.requireSeat();
  const line = executions.get(entry) ?? [];
  if (line.length >= COMMANDS_MAX) {
    const why = `${line.length - 1} commands wait for their turn, the most that may`;
    throw new LecternError("LIMIT_EXCEEDED", `Cannot run a command in session "${entry.stored.name}": ${why}`);
  }
  const execution: Execution = { key: input.key, abort: new AbortController(), left: Promise.withResolvers() };
  executions.set(entry, line);
  line.push(execution);
  const ends = AbortSignal.any([signal, execution.abort.signal]);
  try {
    await untilTurn(entry, { line, execution, ends, timeoutMs: input.timeoutMs });
    await entry.lease.untilTyped(AbortSignal.any([ends, AbortSignal.timeout(waits.answerMs)]));
    entry.lease.assertFree(Date.now());
    const seen = await views.use(entry, async (own) => await assertEmptyLine(entry, own));
    return await execute(entry, input, { blobs, views, signal: ends, execution, seen });
  } finally {
    line.splice(line.indexOf(execution), 1);
    if (line.length === 0) executions.delete(entry);
    execution.left.resolve();
  }
}

interface Turn {
  readonly line: readonly Execution[];
  readonly execution: Execution;
  readonly ends: AbortSignal;
  readonly timeoutMs: number;
}

async function untilTurn(entry: SessionEntry, { line, execution, ends, timeoutMs }: Turn): Promise<void> {
  const over = AbortSignal.any([ends, AbortSignal.timeout(timeoutMs)]);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  over.addEventListener("abort", () => resolve(), { once: true });
  while (line[0] !== execution && !over.aborted) await Promise.race([line[0]?.left.promise, end]);
  assertGoesOn(ends);
  if (line[0] === execution) return;
  const why = `another command has been running for ${timeoutMs / 1000} s; nothing was typed`;
  throw new LecternError("CONFLICT", `Cannot run a command in session "${entry.stored.name}": ${why}`);
}

/** What somebody has typed behind the prompt would be run with the command. What a program asks is seen later, when the prompt is waited for. */
async function assertEmptyLine(entry: SessionEntry, views: EntryViews): Promise<Draft> {
  const draft = await views.view.draft();
  // The status may have been behind the screen.
  if (isAtPrompt(entry) && draft.place === "line") await assertFree(entry, views, { doing: "run a command in", draft });
  return draft;
}

/** What was not typed yet is never typed; what was typed gets Ctrl-C. Throws `CONFLICT` while somebody else types into that. */
export async function abortIn(entry: SessionEntry, key: string): Promise<OutputOf<"sessions.abort">> {
  const execution = executions.get(entry)?.find((each) => each.key === key);
  if (execution === undefined) return { outcome: "unknown" };
  if (execution.reader === undefined) {
    execution.abort.abort();
    return { outcome: "not-typed" };
  }
  for (;;) {
    await untilRunning(entry, execution);
    const target = await execution.reader();
    if (!isUnderWay(entry, execution)) return { outcome: "unknown" };
    entry.lease.assertFree(Date.now());
    // Missed where the command has gone on to another program since.
    if ("next" in (await typeFor(entry, target, { bytes: CTRL_C }))) return { outcome: "interrupted" };
  }
}

const isUnderWay = (entry: SessionEntry, execution: Execution): boolean =>
  executions.get(entry)?.includes(execution) === true;

/**
 * Until a Ctrl-C is for the program of the command, or for a shell that runs the command itself. Bash that gets one earlier loses it between giving
 * the terminal to a program and becoming that, or runs the command without its first characters (5.2.15, seen with `strace`).
 */
async function untilRunning(entry: SessionEntry, execution: Execution): Promise<void> {
  const { left, target } = execution;
  while (isUnderWay(entry, execution)) {
    const { typedAtMs = Infinity, startedAtMs = Infinity } = execution;
    const nowMs = performance.now();
    const group = foregroundGroup(entry);
    const isShell = group === undefined || group === target?.group;
    if (nowMs > typedAtMs && !isShell && !isStarting(group, target)) return;
    if (nowMs > typedAtMs + waits.answerMs || (isShell && nowMs > startedAtMs + waits.interruptMs)) return;
    await Promise.race([delay(waits.pollMs), left.promise]);
  }
}

/** The shell has given it the terminal, and it has the handler and the image of the shell yet. */
const isStarting = (group: number, shell: ActTarget | undefined): boolean =>
  isCaught(group, constants.signals.SIGINT) && executableOf(group) === executableOf(shell?.group ?? group);

async function execute(
  entry: SessionEntry,
  { command, timeoutMs, outputBytesMax, inside, prompt, raw }: ParsedInputOf<"sessions.exec">,
  { blobs, views, signal, execution, seen }: Means & { readonly execution: Execution; readonly seen: Draft },
): Promise<OutputOf<"sessions.exec">> {
  // Others are held back from when the line is read until the command is typed.
  using typing = new DisposableStack();
  const readyMarkers = prompt === undefined ? [] : [prompt];
  await using opened = await terminalOf(entry, { blobs, readyMarkers, target: () => execution.target ?? null });
  const { terminal, source } = opened;
  const ran = await terminal.run(command, {
    timeoutMs,
    maxOutputBytes: outputBytesMax,
    inside,
    signal,
    onTyping: async (handOver) => {
      const { signal: taken } = typing.use(entry.lease.acquire("a command", Date.now()));
      const marked = handOver === null ? undefined : entry.mark(commandMark(handOver, command));
      // A shell that is handed a command looks at its line itself.
      const look = handOver === null ? views.use(entry, async (own) => await assertEmptyLine(entry, own)) : seen;
      const [draft] = await Promise.all([look, marked]);
      execution.target = targetNow(entry, draft);
      if (taken.aborted)
        throw new LecternError("CONFLICT", "Cannot run the command: somebody else types; nothing was typed");
      execution.reader = async () => targetNow(entry, await views.use(entry, async ({ view }) => await view.draft()));
    },
    onTyped: () => {
      typing.dispose();
      execution.typedAtMs = performance.now();
    },
    onStarted: () => {
      execution.startedAtMs = performance.now();
    },
  });
  const { bytes: _bytes, exit, foreground, omitted, ...result } = ran;
  // What runs from now on is somebody else's.
  execution.key = undefined;
  // A command that is not complete would leave a prompt that takes the next one for its rest. Of a REPL it is not known what Ctrl-C does.
  if (result.ran && result.asks === "more" && result.reason === "mark") await terminal.giveUpLine();
  // Its result has come with its exit, and the host reports that of the session by itself.
  if (exit !== null) await entry.refresh();
  const offset = source.inputOffset ?? source.next;
  const whole = { text: result.output, tags: 0 };
  const { text: output, tags } = raw ? whole : await withoutTags(result.output, { entry, views, from: offset });
  return {
    ...result,
    output,
    tags,
    exact: result.exact && tags === 0,
    omitted: omitted === null ? null : withoutPath(omitted),
    program: foreground?.program ?? null,
    offset,
    next: source.next,
    session: entry.view,
  };
}

/** What the key that follows it stands for. */
const commandMark = (id: string, command: string): SessionEvent => ({
  type: "command",
  id,
  text: command.slice(0, wholeCharacters(command, MARKED_CHARS_MAX)),
  bytes: Buffer.byteLength(command),
});

type ReadyInput = Extract<ParsedInputOf<"sessions.wait">["for"], { readonly type: "ready" }>;

/** The result of a wait for "ready". `limit`: the program printed too much before it was ready. */
export async function untilReady(
  entry: SessionEntry,
  { type: _type, markers, outputBytesMax = readDefaults.maxOutputBytes, ...how }: ReadyInput,
  limits: { readonly from: number | undefined; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Pick<OutputOf<"sessions.wait">, "reason" | "ready" | "offset">> {
  const { from, timeoutMs, signal } = limits;
  await using own = await terminalOf(entry, { readyMarkers: markers ?? [] });
  const { terminal, source } = own;
  // What was looked at for the state before is not part of what comes.
  const opened = source.next;
  terminal.readAvailableBytes();
  const before = from === undefined ? 0 : await outputBytes(entry, { from, to: opened, bytesMax: outputBytesMax });
  if (before >= outputBytesMax) return { reason: "limit", ready: null, offset: opened };
  const readiness = await terminal.readUntilReady({
    ...definedOf(how),
    timeoutMs,
    signal,
    maxOutputBytes: outputBytesMax - before,
  });
  const { reason, asks } = readiness;
  const offset = source.next;
  if (isReady(readiness)) return { reason: "ready", ready: { reason: reason as "mark", asks }, offset };
  return { reason: reason === "exit" || reason === "limit" ? reason : "timeout", ready: null, offset };
}

type Given<Options> = { readonly [Key in keyof Options]?: Exclude<Options[Key], undefined> };

const definedOf = <Options extends object>(options: Options): Given<Options> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<Options>;

/** How many bytes of output are between two offsets; at `bytesMax` the count ends. */
async function outputBytes(
  entry: SessionEntry,
  { from, to, bytesMax }: { readonly from: number; readonly to: number; readonly bytesMax: number },
): Promise<number> {
  const { reader } = await entry.feed();
  let bytes = 0;
  for (let next = Math.max(from, reader.start); next < to && bytes < bytesMax;) {
    const read = await entry.reading(() => reader.read(next, { bytesMax: Math.min(COUNTED_BYTES, to - next) }));
    for (const { type, payload } of read.records) if (type === "output") bytes += payload.length;
    if (read.next === next) break;
    next = read.next;
  }
  return bytes;
}

const withoutPath = ({ path: _path, ...omitted }: OmittedOutput): Omit<OmittedOutput, "path"> => omitted;

interface Opening {
  readonly blobs?: BlobSink | undefined;
  readonly readyMarkers?: readonly string[];
  readonly target?: () => ActTarget | null;
}

async function terminalOf(
  entry: SessionEntry,
  { blobs, readyMarkers = [], target }: Opening = {},
): Promise<AsyncDisposable & { readonly terminal: Terminal; readonly source: SessionSource }> {
  let source: SessionSource | undefined;
  const feed = await entry.feed();
  const rest = rests.get(entry);
  rests.delete(entry);
  const resumed = rest !== undefined && mayResume(feed, rest) ? rest : undefined;
  const newState = async (): Promise<TerminalState> =>
    new TerminalState({ nonce: await entry.markNonce(), history: new TextTail(HISTORY_CHARS_MAX) });
  const state = resumed?.state ?? (await newState());
  const open = async (receive: Parameters<typeof openEntrySource>[1]): Promise<SessionSource> => {
    source = await openEntrySource(entry, receive, {
      resumed,
      ...(target !== undefined && { target }),
    });
    return source;
  };
  const terminal = await Terminal.over(open, entry.stored.command, {
    readyMarkers,
    state,
    ...(blobs === undefined ? {} : { blobs }),
  });
  if (source === undefined) throw new TypeError("The source was not opened");
  const opened = source;
  return {
    terminal,
    source: opened,
    [Symbol.asyncDispose]: async () => {
      const isAlive = terminal.isAlive();
      await terminal.close();
      const { next } = opened;
      if (isAlive && next >= (rests.get(entry)?.next ?? 0)) rests.set(entry, { next, state: state.atRest() });
    },
  };
}
