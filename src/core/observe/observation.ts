/**
 * What one record of a journal shows: each fact read once, by its only reader. Status, approvals, messages, events, usage and intents
 * are reducers over observations; none of them reads keys, marks, titles or agents itself, and none knows another.
 */
import type { Agent } from "../agents/agent.ts";
import type { ReaderContext } from "../dialogs/reader.ts";
import type { ForegroundVerdict, Mark, SourceFact } from "../records.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import type { TypedInput, TypedLine } from "../typing/typing.ts";
import type { AgentPresence } from "./agent-tracker.ts";
import type { LimitNotice } from "./limit-notice.ts";
import type { ProgramStatusChange } from "./program-report.ts";
import type { ProtocolFacts } from "./protocol-reader.ts";
import type { ScreenFacts } from "./screen-facts.ts";

/** Why there is an observation. */
export type Cause =
  /** `agent`: the one that its user named. */
  | {
      readonly type: "start";
      readonly command: readonly string[];
      readonly agent: string | null;
      readonly eventNonce: string | null;
    }
  | { readonly type: "title"; readonly text: string }
  /** OSC 7501; null for what is not a report. */
  | { readonly type: "program-status"; readonly change: ProgramStatusChange | null }
  /** OSC 9;4. */
  | { readonly type: "progress"; readonly isActive: boolean; readonly text: string }
  /** OSC 21337; "" where a program takes its status back. */
  | { readonly type: "tab-status"; readonly status: string }
  | { readonly type: "shell-mark"; readonly mark: ShellMark }
  /** `hasNewRules`: the screen was shown before, and is read again by other rules. */
  | { readonly type: "frame"; readonly hasNewRules?: boolean }
  /** `handedOver`: a shell has taken this command, of which no key was typed. */
  | ({ readonly type: "input"; readonly isSecret: boolean; readonly handedOver?: string } & TypedInput)
  /** `before`: what the kernel had reported until then. */
  | { readonly type: "foreground"; readonly before: ForegroundVerdict | null }
  | { readonly type: "mark"; readonly mark: Exclude<Mark, SourceFact> }
  /** From another source than the pty: each is seen once. */
  | SourceFact
  | { readonly type: "gap" }
  | { readonly type: "exit"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "tick" };

/** What the kernel reported last about the program in the foreground. */
export interface ForegroundState {
  readonly verdict: ForegroundVerdict;
  readonly program: string | null;
  readonly pid: number | null;
  /** Null if it is not known whether the terminal echoes. */
  readonly echo: boolean | null;
  /** The terminal collects lines; false if the program takes each key. Null if that is not known. */
  readonly canonical: boolean | null;
  /** Of a shell that reads: it runs a script and has no prompt. Null for others, and if that is not known. */
  readonly runsScript: boolean | null;
  /** Whether a line editor takes the keys. Missing for programs that take none, and if that is not known. */
  readonly editsLine?: boolean;
  /** It hands what is typed to a program that cannot be seen. Missing for others. */
  readonly isRelay?: true;
  readonly offset: number;
  readonly timeUs: number;
}

export interface Observation {
  readonly cause: Cause;
  /** Where it begins. Time alone has the place of what came before. */
  readonly offset: number;
  /** Behind it. */
  readonly end: number;
  readonly timeUs: number;
  /** The screen, if the cause brought one: a frame, or a program that is seen to read later than what it asks. */
  readonly screen: ScreenFacts | null;
  /** What a protocol shows, if the cause is a mark or a fact of one, or the end of what was asked in it. */
  readonly protocol: ProtocolFacts | null;
  /** A limit of usage: null if what brought this shows that there is none; undefined if it shows nothing about that. */
  readonly limit: LimitNotice | null | undefined;
  /** Who is in the foreground. */
  readonly agent: AgentPresence;
  readonly hasAgentChanged: boolean;
  /** Of the agent in the foreground. */
  readonly profile: Agent | undefined;
  /** The prompt of the shell or line editor, as it stood in front of the last line that was typed; null if none was seen. */
  readonly prompt: string | null;
  /** What was typed since the last Enter, and the last pastes. */
  readonly typing: { readonly line: TypedLine; readonly pastes: readonly string[] };
  /** Null before the first report of the kernel. */
  readonly foreground: ForegroundState | null;
  /** Who would read the answer to a question. */
  readonly reader: ReaderContext;
}

/**
 * One view of a session, as a state machine over its observations. `State` is plain JSON, bounded.
 *
 * Laws: the same observations give the same changes; a reducer that is restored from what it saved goes on as if it had not stopped.
 */
export interface Reducer<Change, State> {
  step(observation: Observation): readonly Change[];
  save(): State;
}

export interface TimedReducer<Change, State> extends Reducer<Change, State> {
  /** When it wants a `tick`, in the time of the records; null if time alone changes nothing. */
  readonly wakeUs: number | null;
}
