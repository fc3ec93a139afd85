/**
 * What a view of a session is folded over: the records of its journal in order, as the few things that views look at.
 *
 * Laws: the same records give the same changes, however the output was cut into chunks; time comes from the records and from
 * `tick`, never from a clock; a fold that is restored from what it saved goes on as if it had not stopped.
 */
import type { Approval } from "../approvals/approval.ts";
import type { ForegroundVerdict } from "../events/foreground.ts";
import type { Frame } from "../screen/frame.ts";
import { readShellMark, type ShellMark } from "../readiness/shell-marks.ts";
import type { OscSequence } from "../text/osc-reader.ts";

/** One thing that happened. In the order of offsets; of the same offset, `osc` and `shell-mark` come before `frame`. */
export type Step =
  | {
      readonly type: "start";
      readonly command: readonly string[];
      /** The agent that the program is, if somebody said so; else the command shows it. */
      readonly agent?: string;
      /** What raises a plain tag to the trust `nonce`. */
      readonly eventNonce?: string;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** An operating system command in the output: title, program status. Never a shell mark. */
  | { readonly type: "osc"; readonly sequence: OscSequence; readonly timeUs: number }
  /** A mark of a shell; `mark.isTrusted` says whether the session's shell wrote it. */
  | {
      readonly type: "shell-mark";
      readonly mark: ShellMark;
      readonly offset: number;
      /** Offset behind it. */
      readonly end: number;
      readonly timeUs: number;
    }
  /** The screen, when it was worth looking at. */
  | { readonly type: "frame"; readonly frame: Frame }
  /** Bytes that were typed; masked with `*` where `isSecret`. */
  | {
      readonly type: "input";
      readonly bytes: Uint8Array;
      readonly isSecret: boolean;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** The pty host's word about the program in the foreground. */
  | {
      readonly type: "foreground";
      readonly verdict: ForegroundVerdict;
      readonly program: string | null;
      /** Whether the terminal echoes; missing where that is not known. */
      readonly echo?: boolean | null;
      /** The screen that it is about, where the program may read and all that came was in a frame already: no other follows. */
      readonly frame?: Frame;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** What another view found: status and chat both want to know of it. */
  | { readonly type: "approval"; readonly approval: Approval }
  /** Any other mark of the journal, such as those of the gateway. */
  | {
      readonly type: "mark";
      readonly event: { readonly type: string };
      readonly offset: number;
      /** Offset behind it. */
      readonly end: number;
      readonly timeUs: number;
    }
  /** Bytes are missing here. */
  | { readonly type: "gap"; readonly offset: number; readonly timeUs: number }
  /** The program has ended. */
  | {
      readonly type: "exit";
      readonly code: number | null;
      readonly signal: string | null;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** Time has passed and nothing came. */
  | { readonly type: "tick"; readonly timeUs: number };

/** The step that an operating system command is. `markNonce` is that of the session's shell marks; null if it has none. */
export function sequenceStep(
  sequence: OscSequence,
  { timeUs, markNonce }: { readonly timeUs: number; readonly markNonce: string | null },
): Step {
  const mark = readShellMark(sequence, markNonce);
  if (mark === undefined) return { type: "osc", sequence, timeUs };
  return { type: "shell-mark", mark, offset: sequence.offset, end: sequence.end, timeUs };
}

/** A view as a state machine. `State` is plain JSON, bounded. */
export interface Fold<Change, State> {
  step(step: Step): readonly Change[];
  /** When it wants a `tick`, in the time of the records; null where time alone changes nothing. */
  readonly wakeUs: number | null;
  save(): State;
}
