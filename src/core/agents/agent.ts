/**
 * What is known of one agent, as data: how it is recognised, where on the screen it waits, works and asks, and what its titles say.
 *
 * Law: a rule looks at a fixed place (the title, the input box, the rows next to it, a dialog at the end of the screen), never at the
 * whole screen, so that nothing an agent says can be taken for what it does.
 */
import type { StatusState } from "../status/status.ts";

export interface Agent {
  /** Its name in the whole project: `claude`, `codex`. */
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  /** Rises with each change of the rules; evidence names rules as `name@version`. */
  readonly version: number;
  /** `recorded`: measured on recordings of this agent. `public`: from what is published; never seen by us. */
  readonly basis: "recorded" | "public";
  /** Names of its programs, without folder and ending; where a name is too common, with the argument that follows it. */
  readonly commands: readonly string[];
  /** Names under which package runners and interpreters start it: `@openai/codex`, `aider-chat`. */
  readonly packages: readonly string[];
  /** Arguments with which it answers once, or only manages itself, and has no conversation on the screen. */
  readonly batchArguments: readonly string[];
  /** What it calls itself in OSC 7501. */
  readonly statusApps: readonly string[];
  readonly titles: readonly TitleRule[];
  /** Where people type; the first that is found counts. */
  readonly boxes: readonly InputBoxRule[];
  readonly screen: readonly ScreenRule[];
  readonly dialogs: DialogRules;
  /** How to read what stands in its input box and is not entered; absent if that is not known. */
  readonly draft?: DraftRule;
}

/** How to tell a text that somebody has begun from an empty input box. */
export interface DraftRule {
  /** What the first row of the box shows in front of the text. */
  readonly mark: RegExp;
  /** The words that it shows while it is empty, where they are not dim; null where there are none. */
  readonly placeholder: RegExp | null;
  /** Keys that empty the box, from its end on, one line of a text each time; null if no such keys are known. */
  readonly clear: string | null;
  /** Where the box is not the one of the profile. */
  readonly boxes?: readonly InputBoxRule[];
  /** Last rows of the box that hold no text; default 0. */
  readonly footerRows?: number;
}

interface TitleRule {
  readonly pattern: RegExp;
  /** Null where the title only shows that it is this agent. */
  readonly says: Extract<StatusState, "working" | "waiting" | "blocked"> | null;
  /** Nobody else writes such a title. */
  readonly identifies: boolean;
}

/**
 * An input box, searched from the end of the screen upwards: `bottom`, then rows of input, the first of which fits `prompt`, then `top`.
 * Without `prompt` the rows between `top` and `bottom` may be anything.
 */
export interface InputBoxRule {
  readonly top: RegExp | null;
  readonly prompt: RegExp | null;
  readonly bottom: RegExp;
  /** The row under `bottom`; null where it may be anything. */
  readonly below: RegExp | null;
  /** What each further row of input looks like; null where it may be anything. */
  readonly inner: RegExp | null;
  /** Rows of input that are looked through. */
  readonly rowsMax: number;
  /** Rows between `bottom` and the last row that is not blank. */
  readonly rowsBelowMax: number;
}

/**
 * - `above`: the `rows` nearest rows above the input box that are not blank, one per line
 * - `top`: the row that is the upper edge of the box
 * - `below`: the rows under the box
 * - `end`: the last `rows` that are not blank, with or without a box
 */
export interface ScreenPlace {
  readonly in: "above" | "top" | "below" | "end";
  readonly rows: number;
}

/** Rules are tried in order; the first that fits speaks. */
interface ScreenRule {
  readonly name: string;
  readonly place: ScreenPlace;
  readonly pattern: RegExp;
  readonly says: Extract<StatusState, "working" | "waiting" | "blocked">;
  /** Nobody else shows this there. */
  readonly identifies: boolean;
}

/** What the dialogs of an agent look like, beside what is true of all dialogs. */
export interface DialogRules {
  /** The line that asks; matched against single lines without frame. */
  readonly questions: readonly RegExp[];
  /** The line of keys under a dialog. */
  readonly hints: readonly RegExp[];
  /** Buttons side by side in one row, in order. */
  readonly buttons: readonly (readonly string[])[];
  /** The row with which a dialog begins, as it stands on the screen; null where the question begins it. */
  readonly top: RegExp | null;
  /**
   * How one of the rows of a list of options begins, as it stands on the screen, where what the agent says never begins so: while
   * the box is painted anew, nothing else tells a dialog from a text. A list under `top` may begin otherwise with `orUnderTop`.
   * Absent where that is not known.
   */
  readonly options?: { readonly row: RegExp; readonly orUnderTop: boolean };
}

export const noDialogs: DialogRules = { questions: [], hints: [], buttons: [], top: null };

/** To the end of the line, and back to its beginning: Ctrl-E, Ctrl-U. */
export const killLine = "\u0005\u0015";

/** A row of a horizontal line, as wide as a screen is at least. */
export const ruleRow = /^\s*[─━╌]{8,}\s*[▀▄█│┃]?$/u;
