/** Who is in the foreground of a session, by the kernel. Nothing else decides for whom an act is; the pty host compares it when it types. */
import { LecternError } from "../../core/errors.ts";
import { isShellProgram } from "../../core/agents/command-line.ts";
import type { Draft, Reader } from "../../core/acting/draft.ts";
import type { MissedAct } from "../../core/acting/type-plan.ts";
import { isTarget, missedReason, type ForegroundReader, type PromptTarget } from "../../core/acting/target.ts";
import { runsScript } from "../../core/events/shell-arguments.ts";
import { lineParts, pasteParts } from "../../core/input/paste.ts";
import type { Written } from "../../host/messages.ts";
import { argumentsOf, readLivingStat, readStat } from "../../pty/proc-files.ts";
import { processIn } from "../../pty/reading-process.ts";
import { processesOfGroup } from "../../pty/session-processes.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** Of one act, each typed by itself. */
const LINES_MAX = 2000;
/** Of a paste that is taken as one. In a longer one some parts have several lines, which are with whoever follows a reader that dies just then. */
const PASTE_PARTS_MAX = 64;

/** They make commands of the lines that they read. */
const RUNNERS: ReadonlySet<string> = new Set(["xargs", "parallel"]);

/** Who reads now. */
export interface ReadingNow {
  /** False if it is none of the targets, or not whom the views saw. Without targets, everybody whom they saw is meant. */
  readonly isMeant: boolean;
  /** For the pty host; undefined where the kernel does not tell. */
  readonly reads: ForegroundReader | undefined;
  /** Its name; null where that is not known. */
  readonly program: string | null;
  /** A shell at its prompt, which runs what is entered. */
  readonly isShell: boolean;
}

/**
 * For whom a prompt is accepted while this program is in the foreground. If it has not read yet, it may be a command after which the one
 * that read before goes on. Empty if nobody has read yet. Throws `CONFLICT` for what is or may be a shell, which would run the text, unless it is meant.
 */
export function targetsOf(
  entry: SessionEntry,
  { reader, mayBeShell }: Pick<Draft, "reader" | "mayBeShell">,
  { isForShell, isFirst = false }: { readonly isForShell: boolean; readonly isFirst?: boolean },
): PromptTarget[] {
  const group = foregroundGroup(entry);
  const { target: now, isShell } = targetIn(group, reader);
  if (!isForShell && !isFirst && (isShell || mayBeShell || handsToShell(entry, reader))) {
    const why = whyNoShell(entry, { program: now.program, isShell });
    throw new LecternError("CONFLICT", `Cannot prompt "${entry.stored.name}": ${why}`);
  }
  // A shell is about to start the agent.
  if (reader.agent !== null) return [now.agent === null ? unknownTarget(reader) : now];
  if (now.group === null) return [];
  // The marks of a shell come before the kernel is asked.
  if (reader.lastPid === null) return entry.status?.state === "waiting" ? [now] : [];
  const last = readLivingStat(reader.lastPid)?.group;
  if (last === undefined || last === group) return [now];
  const before = targetIn(last, reader);
  return before.isShell && !isForShell ? [now] : [now, before.target];
}

/** Whether a program beside the one that reads runs what is handed on to it, as in `cat | sh`; false while an agent reads. */
export function handsToShell(entry: Pick<SessionEntry, "leaderPid">, { agent, pid }: Reader): boolean {
  const group = agent === null ? foregroundGroup(entry) : null;
  if (group === null) return false;
  return processesOfGroup(group).some(
    ({ pid: own, name }) =>
      RUNNERS.has(name) || (own !== pid && isShellProgram(name) && !runsScript(argumentsOf(own) ?? [])),
  );
}

/** The program in the foreground, and whether it is one of the targets. */
export function readingNow(
  entry: Pick<SessionEntry, "leaderPid">,
  reader: Reader,
  targets: readonly PromptTarget[] = [],
): ReadingNow {
  const { target, reads, isShell } = targetIn(foregroundGroup(entry), reader);
  const isSeen =
    target.agent === reader.agent && (reader.pid === null || reads === undefined || reads.pid === reader.pid);
  const isMeant = isSeen && (targets.length === 0 || targets.some((each) => isTarget(each, target)));
  return { isMeant, reads, isShell, program: target.program };
}

interface Act {
  readonly bytes: Uint8Array;
  /** Undefined where the kernel does not tell. */
  readonly reader: ForegroundReader | undefined;
  readonly key?: string;
  /** It is one paste, which the program takes as one, as agents do. Default false. */
  readonly isWhole?: boolean;
}

/**
 * Types for this reader alone. Law: a key that acts by itself, such as the end of a line, is typed after the same reader has read what
 * stands before it, and begins its own input: whoever follows a reader that dies gets a key or a part of a line, and nothing to run.
 */
export async function typeFor(
  entry: SessionEntry,
  { bytes, reader, key, isWhole = false }: Act,
): Promise<Written | MissedAct> {
  const cut = isWhole ? pasteParts(bytes, PASTE_PARTS_MAX) : lineParts(bytes);
  const parts = reader === undefined ? [{ bytes, acts: false }] : cut;
  if (parts.length > LINES_MAX)
    throw new LecternError(
      "TOO_LARGE",
      `Cannot type ${parts.length} lines: at most ${LINES_MAX}; write them into a file`,
    );
  let first: Written | undefined;
  let next = 0;
  for (const [at, part] of parts.entries()) {
    // A paste has been typed with its last part: a daemon that goes on with it types the rest.
    const isNamed = at === (isWhole ? parts.length - 1 : 0);
    const how = { key: key === undefined || isNamed ? key : `${key}.${at}`, reader, acts: part.acts };
    try {
      const written = await entry.input(part.bytes, how);
      first ??= written;
      ({ next } = written);
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      const { unread, foreground } = error.details;
      if (unread === undefined && foreground === undefined) throw error;
      return { why: error.message, isBegun: at > 0, isOther: unread === undefined };
    }
  }
  return { offset: first?.offset ?? next, next };
}

export function whyNoShell(
  { stored: { name } }: SessionEntry,
  { program, isShell }: Pick<ReadingNow, "program" | "isShell">,
): string {
  const reads = isShell ? "" : "what reads there may be a shell, which ";
  return `${program ?? "a shell"} is in the foreground, and ${reads}would run the text as a command; run it with "lectern exec ${name} COMMAND", or prompt the shell with --shell`;
}

export function whyMissed(targets: readonly PromptTarget[]): string {
  const isLeft = ({ group, startTicks }: PromptTarget): boolean =>
    group !== null && readLivingStat(group)?.startTicks === startTicks;
  const isUnknown = targets.some(({ group }) => group === null);
  return missedReason(targets, { hasEnded: isUnknown ? null : !targets.some(isLeft) });
}

function foregroundGroup({ leaderPid }: Pick<SessionEntry, "leaderPid">): number | null {
  const group = leaderPid === null ? undefined : readStat(leaderPid)?.foregroundGroup;
  return group === undefined || group <= 0 ? null : group;
}

const unknownTarget = ({ agent, run }: Pick<Reader, "agent" | "run">): PromptTarget => ({
  agent,
  run,
  program: null,
  group: null,
  startTicks: null,
});

function targetIn(
  group: number | null,
  reader: Reader,
): Pick<ReadingNow, "reads" | "isShell"> & { readonly target: PromptTarget } {
  const unknown = { target: unknownTarget(reader), isShell: false };
  if (group === null) return { ...unknown, reads: undefined };
  const { run, pid, lastPid } = reader;
  const leader = processIn(group, group);
  const seen = processIn(group, pid) ?? processIn(group, lastPid);
  const first = seen ?? leader;
  if (first === undefined) return { ...unknown, reads: { group, pid: null, startTicks: null, image: null } };
  const { program, ...reads } = first;
  const isPrompt = reads.pid === group && isShellProgram(program) && !runsScript(argumentsOf(group) ?? []);
  // The views see a moment later that an agent has left the foreground to the shell that started it; a shell that nobody has seen reading may
  // be about to start one.
  const agent = isPrompt && lastPid !== null ? null : reader.agent;
  const target = {
    agent,
    run,
    program: leader?.program ?? program,
    group,
    startTicks: leader?.startTicks ?? null,
    // One that nobody has seen reading may be a wrapper that becomes the agent, and an agent reads in any of its processes.
    image: agent === null || seen !== undefined ? (leader?.image ?? null) : null,
    pid: agent === null ? pid : null,
  };
  return { target, reads, isShell: isPrompt && agent === null };
}
