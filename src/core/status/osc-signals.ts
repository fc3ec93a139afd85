/** What operating system commands say about the state: progress, tab status, titles; and the marks of shells. */
import type { Agent } from "../agents/agent.ts";
import { titleRuleOf } from "../agents/fitting-rule.ts";
import type { Cause } from "../observe/observation.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import type { ProgramRecord } from "./program-records.ts";
import type { Signal } from "./signal.ts";
import type { StatusState } from "./status.ts";

/** At a prompt, or at a dialog that it does not tell from a prompt. */
const waitingOrBlocked: readonly StatusState[] = ["waiting", "blocked"];
/** A dialog may stand while a spinner turns. */
const workingOrBlocked: readonly StatusState[] = ["working", "blocked"];
/** A command runs in a shell; it may be a program that waits, too. */
const anything: readonly StatusState[] = ["working", "waiting", "blocked", "idle"];

/** Where and when. */
export type SignalPlace = Pick<Signal, "offset" | "timeUs">;

type Claim = Pick<Signal, "says" | "allows" | "isFirm">;

/** OSC 7501: the program reports its own state; `idle` and `done` do not rule out a dialog that it knows nothing of. */
export function programSignal(record: ProgramRecord): Signal {
  const claims: Record<ProgramRecord["state"], Claim> = {
    working: { says: "working", allows: ["working"], isFirm: true },
    blocked: { says: "blocked", allows: ["blocked"], isFirm: true },
    idle: { says: "waiting", allows: waitingOrBlocked, isFirm: true },
    done: { says: "waiting", allows: waitingOrBlocked, isFirm: true },
    error: { says: "waiting", allows: waitingOrBlocked, isFirm: true },
  };
  const { state, app, kind, message, offset, timeUs } = record;
  const words = [`state=${state}`, app && `app=${app}`, kind && `kind=${kind}`, message].filter(Boolean).join(" ");
  return { kind: "osc-7501", ...claims[state], text: words, rule: null, offset, timeUs };
}

/** OSC 9;4. No progress rules nothing out: some programs report it before each change. */
export function progressSignal({ isActive, text }: Extract<Cause, { type: "progress" }>, at: SignalPlace): Signal {
  const claim: Claim = isActive
    ? { says: "working", allows: workingOrBlocked, isFirm: true }
    : { says: "waiting", allows: anything, isFirm: false };
  return { kind: "osc-9-4", ...claim, text, rule: null, ...at };
}

const tabStates: Readonly<Record<string, Claim>> = {
  idle: { says: "waiting", allows: waitingOrBlocked, isFirm: true },
  working: { says: "working", allows: ["working"], isFirm: true },
  waiting: { says: "blocked", allows: ["blocked"], isFirm: true },
};

/** OSC 21337: the status of a tab. Null if it was taken back. */
export function tabSignal(status: string, at: SignalPlace): Signal | null {
  const found = tabStates[status];
  return found === undefined ? null : { kind: "osc-21337", ...found, text: `status=${status}`, rule: null, ...at };
}

/** A title by the rules of the agent that wrote it; null where they say nothing of it. */
export function titleSignal(
  title: { readonly text: string; readonly offset: number; readonly timeUs: number },
  profile: Agent,
): Signal | null {
  const says = titleRuleOf(profile, title.text)?.says ?? null;
  if (says === null) return null;
  const claims: Record<typeof says, Claim> = {
    // Not firm: a dialog that the agent does not report in its title looks the same.
    waiting: { says: "waiting", allows: waitingOrBlocked, isFirm: false },
    working: { says: "working", allows: workingOrBlocked, isFirm: true },
    blocked: { says: "blocked", allows: ["blocked"], isFirm: true },
  };
  const { offset, timeUs } = title;
  return {
    kind: "title",
    ...claims[says],
    text: title.text.trim(),
    rule: profile.rulesName,
    offset,
    timeUs,
  };
}

const markSignals: Readonly<Partial<Record<ShellMark["type"], Claim & { readonly text: string }>>> = {
  "prompt-start": { says: "waiting", allows: waitingOrBlocked, isFirm: true, text: "the shell shows its prompt" },
  "prompt-end": { says: "waiting", allows: waitingOrBlocked, isFirm: true, text: "the shell reads a command" },
  continuation: {
    says: "waiting",
    allows: waitingOrBlocked,
    isFirm: true,
    text: "the shell wants the rest of a command",
  },
  "output-start": { says: "working", allows: anything, isFirm: true, text: "a command runs" },
};

/** A mark that any program can print, beside a signal of the kernel: evidence, and no more. */
export const weakened = (signal: Signal): Signal => ({ ...signal, allows: anything, isFirm: false });

/** A mark of a shell. Undefined for a mark that changes nothing. */
export function shellSignal({ type, code, isTrusted }: ShellMark, at: SignalPlace): Signal | undefined {
  const found = markSignals[type];
  if (found === undefined) return undefined;
  const origin = isTrusted ? "" : ", which any program can print";
  return { kind: "osc-133", ...found, text: `${found.text} (${code}${origin})`, rule: null, ...at };
}
