/** A question that a program puts to a person, recovered from its screen or held by the gateway. */

export const APPROVAL_KINDS = ["permission", "trust", "question", "login"] as const;
/** What a question is about; `login`: a password, a code or a sign-in. */
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** One possible answer to a question. */
export interface ApprovalOption {
  /** What `lectern approve SESSION ID OPTION` takes: the number or letter that the dialog shows, else `1`, `2`, ... from the top. */
  readonly id: string;
  /** Exactly as shown, without its number and marks. */
  readonly label: string;
  /** What it does, where that is known. */
  readonly effect: "allow" | "allow-always" | "deny" | "other";
}

/** A question of a program to a person, with its exact options and, once it is answered, the answer. */
export interface Approval {
  /** Stable while the dialog stands, and different for the next one, even with the same words. */
  readonly id: string;
  readonly source: "screen" | "wire";
  readonly kind: ApprovalKind;
  /** Profile name of the agent that asks; null where it is unknown. */
  readonly agent: string | null;
  readonly question: string;
  /** What it is about: the command, the file, the change; as shown. */
  readonly details: string;
  readonly options: readonly ApprovalOption[];
  /** The option that is marked now, by id; null where none is. */
  readonly selected: string | null;
  /** Where it was first seen, and when, microseconds since the Unix epoch. */
  readonly offset: number;
  readonly timeUs: number;
  /** `answered`: it went after a key that answers it; `gone`: it went by itself. */
  readonly state: "open" | "answered" | "gone";
  /** Of what is shown, given by the daemon: an answer carries it, so that it never falls on another question. */
  readonly digest?: string;
  readonly answer: { readonly option: string | null; readonly by: string; readonly timeUs: number } | null;
}
