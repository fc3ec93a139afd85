/**
 * What the observer of a session is given: the records of its journal in order, with the frames of its screen between them.
 *
 * Law: time comes from the records and from `tick`, never from a clock.
 */
import type { ForegroundVerdict, Mark } from "../records.ts";
import type { Frame } from "../screen/frame.ts";
import type { OscSequence } from "../text/osc-reader.ts";

/** One thing that happened. In the order of offsets; of the same offset, `osc` comes before `frame`. */
export type Step =
  | {
      readonly type: "start";
      readonly command: readonly string[];
      /** The agent that the program is, if its user named it; else the command shows it. */
      readonly agent?: string;
      /** What raises a plain tag to the trust `nonce`. */
      readonly eventNonce?: string;
      /** That of the program, for the times that it writes without one. */
      readonly timeZone?: string;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** An operating system command in the output: a title, a program status, the mark of a shell. */
  | { readonly type: "osc"; readonly sequence: OscSequence; readonly timeUs: number }
  /** The screen, at a time that is worth it. */
  | {
      readonly type: "frame";
      readonly frame: Frame;
      /** It was shown before, and is read again by other rules. */
      readonly hasNewRules?: boolean;
    }
  /** Bytes that were typed; masked with `*` if `isSecret`. */
  | {
      readonly type: "input";
      readonly bytes: Uint8Array;
      readonly isSecret: boolean;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** What the kernel reports about the program in the foreground. */
  | {
      readonly type: "foreground";
      readonly verdict: ForegroundVerdict;
      readonly program: string | null;
      /** Whether the terminal echoes; missing if that is not known. */
      readonly echo?: boolean | null;
      /** Whether the terminal collects lines; missing if that is not known. */
      readonly canonical?: boolean | null;
      /** Missing if the reader of the journal does not know it. */
      readonly pid?: number | null;
      /** Of a shell that reads: it runs a script and has no prompt. Missing if that is not known. */
      readonly runsScript?: boolean;
      /** Whether a line editor takes the keys. Missing for programs that take none, and if that is not known. */
      readonly editsLine?: boolean;
      /** It hands what is typed to a program that cannot be seen. Missing for others. */
      readonly isRelay?: true;
      /** The screen at that time, if the program may read and all output is in a frame already: no other frame follows. */
      readonly frame?: Frame;
      readonly offset: number;
      readonly timeUs: number;
    }
  /** Any other mark of the journal, such as those of the gateway. */
  | {
      readonly type: "mark";
      readonly event: Mark;
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
