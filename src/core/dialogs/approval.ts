/** A question that a program puts to a person, recovered from its screen or held by the gateway. */

export const APPROVAL_KINDS = ["permission", "trust", "question", "login"] as const;
/** What a question is about; `login`: a password, a code or a sign-in. */
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const APPROVAL_STATES = ["hint", "open", "answered", "gone"] as const;
/** What has become of a question. */
type ApprovalState = (typeof APPROVAL_STATES)[number];

/** One possible answer to a question. */
export interface ApprovalOption {
  /** What `lectern approve SESSION ID OPTION` takes: the number or letter that the dialog shows, else `1`, `2`, ... from the top. */
  readonly id: string;
  /** Exactly as shown, without its number, marks and box. */
  readonly label: string;
  /** What it does, where that is known. */
  readonly effect: "allow" | "allow-always" | "deny" | "other";
  /** One of several choices: whether its box is ticked now. Missing for an option that answers by itself. */
  readonly checked?: boolean;
}

/** What a question is about, read from a dialog or from a held call. */
export interface QuestionSubject {
  /** The tool that the agent wants to use, by the agent's name for it; null if it is not shown. */
  readonly tool: string | null;
  /** The command that would run, line by line, without the marks in front of it; null if it is not about a command. */
  readonly command: string | null;
  /** The change that would be made: the file, and the lines as shown; null if it is not about a change. */
  readonly change: string | null;
  /** Where, if it is shown. */
  readonly directory: string | null;
  /** Why, in the words of the agent; null if it gives no reason. */
  readonly reason: string | null;
}

export const noSubject: QuestionSubject = { tool: null, command: null, change: null, directory: null, reason: null };

/** A question of a program to a person, with its exact options and, once it is answered, the answer. */
export interface Approval extends QuestionSubject {
  /** Stable while the dialog stands, and different for the next one, even with the same words. */
  readonly id: string;
  readonly source: "screen" | "wire" | "protocol";
  /** Of a question in a protocol: the id of its request and that of its call, as JSON. */
  readonly request?: string;
  readonly kind: ApprovalKind;
  /** Profile name of the agent that asks; null where it is unknown. */
  readonly agent: string | null;
  readonly question: string;
  /** All that is shown about it, without the vendor's own tips. */
  readonly details: string;
  readonly options: readonly ApprovalOption[];
  /** False if the program shows only a part of the text or of the options: it folded them, or the terminal is too small. */
  readonly isComplete: boolean;
  /** The option that is marked now, by id; null where none is. */
  readonly selected: string | null;
  /** Where it was first seen, and when, microseconds since the Unix epoch. */
  readonly offset: number;
  readonly timeUs: number;
  /**
   * - `hint`: it is shown, and nobody is known to read an answer: it blocks nothing and cannot be answered
   * - `open`: it waits for an answer
   * - `answered`: the program has taken an answer
   * - `gone`: it went by itself
   */
  readonly state: ApprovalState;
  /** Of a hint: why nobody is known to read an answer; null otherwise. */
  readonly whyHint: string | null;
  /** Of what is shown, given by the daemon: an answer carries it, so that it never falls on another question. */
  readonly digest?: string;
  readonly answer: { readonly option: string | null; readonly by: string; readonly timeUs: number } | null;
}
