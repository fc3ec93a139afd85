/**
 * What is known of one agent: how it is recognised, where on the screen it waits, works and asks, how its conversation is read, how it is
 * launched. Compiled from an agent file.
 *
 * Law: a rule reads a fixed place (the title, the input box, the rows next to it, a dialog at the end of the screen), never the whole
 * screen, so that nothing an agent writes can be mistaken for what it does.
 */
import type { AgentFile, AgentState, ConversationData, LaunchData } from "./agent-file.ts";
import type { ChatRules } from "./chat-rules.ts";
import type { Pattern } from "./pattern.ts";
import type { OutcomeRule } from "./tool-outcome.ts";

/** One agent: how it is recognized, how its screen and its conversation are read, how it is started. Compiled from an agent file. */
export interface Agent {
  /** Its name in the whole project: `claude`, `codex`. */
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  /** Rises with each change of the rules. */
  readonly version: number;
  /** How evidence names the rules: `claude@2`, and `claude@2+` if a user's own file changes the built-in ones. */
  readonly rulesName: string;
  /** `recorded`: measured on recordings of this agent. `public`: from what is published; never seen by us. */
  readonly basis: "recorded" | "public";
  /** Names of its programs, without folder and ending; if a name is too common, with the argument that follows it. */
  readonly commands: readonly string[];
  /** Names under which package runners and interpreters start it: `@openai/codex`, `opencode-ai`. */
  readonly packages: readonly string[];
  /** Arguments with which it answers once, or only manages itself, and has no conversation on the screen. */
  readonly batchArguments: readonly string[];
  /** What it calls itself in OSC 7501. */
  readonly statusApps: readonly string[];
  /** Arguments that continue the conversation `{id}`; empty if none are known. */
  readonly resume: readonly string[];
  /** Null if nothing is known of its conversations. */
  readonly conversation: ConversationRule | null;
  readonly titles: readonly TitleRule[];
  /** Where people type; the first that is found counts. */
  readonly boxes: readonly InputBoxRule[];
  readonly screen: readonly ScreenRule[];
  /** How it shows that a limit of usage is reached; the first that fits counts. */
  readonly limits: readonly LimitRule[];
  readonly dialogs: DialogRules;
  /** It reads lines at a prompt, like a shell; null if it draws an input box, or nothing is known. */
  readonly line: LineRules | null;
  /** How to read what its input box holds and was not submitted; absent if that is not known. */
  readonly draft?: DraftRule;
  /** Null if nothing particular is known: the rules of `generic` are used. */
  readonly chat: ChatRules | null;
  /** Other ways in which it draws its conversation, by the command that starts it. */
  readonly variants: readonly { readonly command: Pattern; readonly chat: ChatRules }[];
  /** How it is pointed at the gateway; null if that is not known. */
  readonly launch: LaunchData | null;
  /** How to see what came of a tool call; the first that fits counts. */
  readonly outcomes: readonly OutcomeRule[];
  /** Texts without which it takes no text of an answer for a tool call; empty if it never does. */
  readonly textCalls: readonly string[];
  /** What it was compiled from. */
  readonly file: AgentFile;
}

/** How the id of a conversation is learned and used; see `ConversationData`. */
export interface ConversationRule extends Omit<ConversationData, "id" | "open" | "forgotten"> {
  readonly id: Pattern;
  readonly open: Pattern | null;
  readonly forgotten: Pattern | null;
}

/** An agent that reads lines: what stands in front of the cursor while it waits. */
export interface LineRules {
  readonly prompt: Pattern;
  /** In front of a further line of the same text; null if a text is one line. */
  readonly more: Pattern | null;
  /** Rows of its output that nobody said: rules between the turns, counts of tokens. */
  readonly skip: readonly Pattern[];
}

export interface TextTest {
  test(text: string): boolean;
}

/** How to tell a text that somebody has begun from an empty input box. */
export interface DraftRule {
  /** What the first row of the box shows in front of the text. */
  readonly mark: Pattern;
  /** The words that it shows while it is empty and that are not dim; null if there are none. */
  readonly placeholder: Pattern | null;
  /** Keys that empty the box from its end, one line of a text each time; null if no such keys are known. */
  readonly clear: string | null;
  /** What the box shows in place of a long paste. Empty if it shows all of it. */
  readonly folds: readonly FoldRule[];
  /** It removes blanks in front before it looks for these characters, with which it does something of its own with the text. */
  readonly trims: string;
  /** A class of characters that it drops or replaces wherever they are, as a native pattern; null if it keeps all. */
  readonly changes: string | null;
  /** If the box is not the one of the agent. */
  readonly boxes?: readonly InputBoxRule[];
  /** Last rows of the box that hold no text; default 0. */
  readonly footerRows?: number;
}

/** What the number in the sign of a folded paste counts: its lines, its line ends, or its characters. */
export type FoldUnit = "lines" | "breaks" | "characters";

/** The sign of a folded paste; the first group of the pattern is its size. */
interface FoldRule {
  readonly pattern: Pattern;
  readonly counts: FoldUnit;
}

export interface TitleRule {
  readonly name: string;
  readonly pattern: Pattern;
  /** Null if the title only shows that it is this agent. */
  readonly says: AgentState | null;
  /** No other program sets such a title. */
  readonly identifies: boolean;
}

/**
 * An input box, searched from the end of the screen upwards: `bottom`, then rows of input, the first of which fits `prompt`, then `top`.
 * Without `prompt` the rows between `top` and `bottom` may be anything.
 */
export interface InputBoxRule {
  readonly top: TextTest | null;
  readonly prompt: TextTest | null;
  readonly bottom: TextTest;
  /** The row under `bottom`; null if it may be anything. */
  readonly below: TextTest | null;
  /** What each further row of input looks like; null if it may be anything. */
  readonly inner: TextTest | null;
  /** Rows of input that are searched. */
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

/** Rules are tried in order; the first that fits counts. */
export interface ScreenRule {
  readonly name: string;
  readonly place: ScreenPlace;
  readonly pattern: Pattern;
  readonly says: AgentState;
  /** No other program shows this there. */
  readonly identifies: boolean;
}

/** A notice that a limit of usage is reached; the first group of the pattern is when it ends, if the notice has that. */
export interface LimitRule {
  readonly place: ScreenPlace;
  readonly pattern: Pattern;
}

/** How an agent writes what a dialog is about. The first group of a pattern is the value. */
export interface DialogParts {
  /** The first row, with the name of the tool. */
  readonly tool: Pattern | null;
  /** The row with which a command begins, if it has a mark other than `$`. */
  readonly command: Pattern | null;
  readonly directory: Pattern | null;
  readonly reason: Pattern | null;
  /** Rows of the vendor's own, such as advertisements: they are left out. */
  readonly tips: readonly Pattern[];
  /** It cuts rows, without a sign, that come this close to the right edge, in columns; null if it does not. */
  readonly clips: number | null;
  /** It scrolls a matter of this many rows or more without a sign; null if it does not. */
  readonly scrolls: number | null;
}

/** What the dialogs of an agent look like, beside what is true of all dialogs. */
export interface DialogRules {
  /** The line that asks; matched against single lines without frame. */
  readonly questions: readonly Pattern[];
  /** The line of keys under a dialog. */
  readonly hints: readonly Pattern[];
  /** Buttons side by side in one row, in order. */
  readonly buttons: readonly (readonly string[])[];
  /** Characters of which one is in front of the selected option; null if it is one of the common ones. */
  readonly pointer: string | null;
  /** The row with which a dialog begins, as it is on the screen; null if the question begins it. */
  readonly top: Pattern | null;
  readonly parts: DialogParts;
  /** Its last row, below the options: a dialog without it is still being drawn. Null if that is not known. */
  readonly bottom: Pattern | null;
  /**
   * How one of the rows of a list of options begins, as it is on the screen, if what the agent says never begins so: while the box is
   * painted anew, nothing else tells a dialog from a text. A list under `top` may begin otherwise with `orUnderTop`.
   * Absent if that is not known.
   */
  readonly options?: { readonly row: Pattern; readonly orUnderTop: boolean };
}
