/**
 * What an agent file holds, as data: recognition, screen, dialogs, draft, chat, launch, outcomes. `docs/agents.md` describes each key, the schema in
 * `agent-schema.ts` checks them, and the files in `built-in/` are examples. Patterns are those of `pattern.ts`.
 */

export type AgentState = "working" | "waiting" | "blocked";

/** A text that must fit one pattern, and none of the other. */
export type TextTestData = string | { readonly text?: string; readonly not?: string };

export interface AgentFile {
  readonly name: string;
  /** The agent whose file this one starts from: its rules, not how it is recognised. */
  readonly extends?: string;
  readonly title?: string;
  readonly version?: number;
  readonly basis?: "recorded" | "public";
  readonly commands?: readonly string[];
  readonly packages?: readonly string[];
  readonly batchArguments?: readonly string[];
  readonly statusApps?: readonly string[];
  /** Arguments directly behind the program that continue the conversation `{id}`. */
  readonly resume?: readonly string[];
  readonly conversation?: ConversationData;
  readonly titles?: Named<TitleData>;
  readonly boxes?: Named<BoxData>;
  readonly screen?: Named<ScreenData>;
  readonly dialogs?: DialogsData;
  /** What it shows when a limit of usage is reached. */
  readonly limits?: Named<LimitData>;
  readonly draft?: DraftData;
  readonly chat?: ChatData;
  readonly variants?: Named<VariantData>;
  readonly launch?: LaunchData;
  readonly outcomes?: Named<OutcomeData>;
  /** Texts without which it takes no text of an answer for a tool call: an answer with one of them is refused. */
  readonly textCalls?: readonly string[];
}

/** How files of an agent hold what was said: it ties an agent to its conversation, or to one of those that it has open. */
export const SAID_FORMATS = ["codex", "gemini", "opencode"] as const;
export type SaidFormat = (typeof SAID_FORMATS)[number];

/**
 * Its conversations: how the id of one is learned, where it is kept, and how the command of a session is changed to continue it. Paths are as
 * in `LaunchSandboxData`, with the variables of the running agent; `*` is any name of one directory or file.
 */
export interface ConversationData {
  /** What an id looks like. */
  readonly id: string;
  /** A JSON file that the agent keeps for each of its processes, `{pid}`: `key` is the id, `started` the start of the process in clock ticks. */
  readonly process?: { readonly file: string; readonly key: string; readonly started?: string };
  /** A file that it has open while the conversation goes on; the first group of the pattern is the id. */
  readonly open?: string;
  /** A file for each conversation or for all, in a format that is known: the one in which the prompts of the session stand. */
  readonly said?: { readonly format: SaidFormat; readonly file: string };
  /** The file of the conversation `{id}`: without it the agent has forgotten. */
  readonly kept?: string;
  /** What it prints if it has forgotten. */
  readonly forgotten?: string;
  /** Options that take one value, and those that take several. */
  readonly values?: readonly string[];
  readonly lists?: readonly string[];
  /** Options that are not repeated: earlier conversations and first prompts. */
  readonly drop?: readonly string[];
  /** Words that are not options are the first prompt, which is not repeated, or something else. Default: `prompt`. */
  readonly words?: "prompt" | "keep";
}

/** Rules by name, tried in order. */
type Named<Data> = Readonly<Record<string, Data>>;

/** Texts that a rule fits, which shows that it still does what it was written for. */
type Examples = string | readonly string[];

interface TitleData {
  readonly pattern: string;
  readonly state?: AgentState;
  readonly identifies?: boolean;
  readonly test?: Examples;
}

export interface BoxData {
  readonly top?: TextTestData;
  readonly prompt?: TextTestData;
  readonly bottom: TextTestData;
  readonly below?: TextTestData;
  readonly inner?: TextTestData;
  readonly rowsMax: number;
  readonly rowsBelowMax: number;
}

interface ScreenData {
  readonly in: "above" | "top" | "below" | "end";
  readonly rows: number;
  readonly pattern: string;
  readonly state: AgentState;
  readonly identifies?: boolean;
  readonly test?: Examples;
}

/** The first group of the pattern is when it ends, if the notice has that. */
interface LimitData {
  readonly in: "above" | "top" | "below" | "end";
  readonly rows: number;
  readonly pattern: string;
  readonly test?: Examples;
}

interface DialogsData {
  readonly questions?: readonly string[];
  readonly hints?: readonly string[];
  readonly buttons?: readonly (readonly string[])[];
  /** Characters of which one is in front of the selected option. */
  readonly pointer?: string;
  readonly top?: string;
  /** The last row of a dialog: without it the dialog is still being drawn. */
  readonly bottom?: string;
  readonly options?: { readonly row: string; readonly orUnderTop: boolean };
  /** How it writes what a dialog is about; the first group of a pattern is the value. */
  readonly parts?: {
    readonly tool?: string;
    readonly command?: string;
    readonly directory?: string;
    readonly reason?: string;
    readonly tips?: readonly string[];
    readonly clips?: number;
    readonly scrolls?: number;
  };
}

interface DraftData {
  readonly mark: string;
  readonly placeholder?: string;
  /** Names of keys. */
  readonly clear?: readonly string[];
  /** Characters in front of a text that the agent takes for its own also behind a blank: "!" for a shell, "/" for a command. */
  readonly trims?: string;
  /** Signs in place of a long paste; the first group is its size. */
  readonly folds?: Named<{ readonly pattern: string; readonly counts: "lines" | "breaks" | "characters" }>;
  readonly boxes?: Named<BoxData>;
  readonly footerRows?: number;
}

interface VariantData {
  /** Fits the command line that starts it. */
  readonly command: string;
  /** In place of that of the agent. */
  readonly chat: ChatData;
}

export interface ChatData {
  readonly margin?: number;
  readonly indent?: number;
  readonly breaksBehind?: string;
  readonly changing?: string;
  readonly scrollbar?: string;
  readonly plainAnswers?: boolean;
  readonly streamsCalls?: boolean;
  readonly printsTwice?: boolean;
  readonly pending?: string;
  readonly tool?: ToolData;
  readonly marks?: Named<RowTestData>;
  readonly window?: WindowData;
  readonly rows?: Named<RowRuleData>;
}

export interface ToolData {
  readonly joinLines?: boolean;
  readonly shellName?: string;
  readonly calls?: Named<{ readonly pattern: string; readonly name: string; readonly input: string }>;
  readonly jsonArgument?: boolean;
  readonly cut?: string;
}

/** The name of a mark, a test, or several of which one must fit. */
export type RowTestData = string | RowFacts | readonly (string | RowFacts)[];

/** What must be true of a row: all that is named. */
export interface RowFacts {
  readonly is?: RowTestData;
  readonly text?: string;
  readonly not?: string;
  readonly shade?: "none" | "left" | "full";
  readonly first?: SpanTestData;
  readonly some?: SpanTestData;
  readonly every?: SpanTestData;
  readonly at?: SpanTestData;
  readonly spans?: number;
  readonly freeColumnsMax?: number;
  readonly isNumbered?: boolean;
  readonly isPadded?: boolean;
  readonly isCovered?: boolean;
  readonly next?: RowTestData;
}

export type SpanTestData = SpanFacts | readonly SpanFacts[];

export type ColourData = string | number;

/** What must be true of cells next to each other that look alike. */
export interface SpanFacts {
  readonly column?: number | { readonly min?: number; readonly max?: number };
  readonly colour?: ColourData | readonly ColourData[];
  readonly background?: ColourData | readonly ColourData[];
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
}

export interface RowRuleData extends RowFacts {
  readonly role?: ChatRowRole;
  readonly start?: boolean;
  readonly as?: string;
  readonly cut?: string;
  readonly squeeze?: boolean;
  readonly indent?: number;
  readonly hang?: number;
  readonly behindCall?: "tool-result";
  readonly joinsCall?: boolean;
  readonly summary?: boolean | RowTestData;
  readonly test?: Examples;
}

/** What a rule may say that a row belongs to; see `RowRole`. `blank`: to nothing. */
export type ChatRowRole =
  | "blank"
  | "covered"
  | "skip"
  | "notice"
  | "welcome"
  | "user"
  | "assistant"
  | "tool-call"
  | "tool-result"
  | "command"
  | "error";

export interface WindowData {
  /** Ways to find the row at which the conversation ends, tried in order. */
  readonly ends?: Named<{ readonly steps: readonly WindowStepData[]; readonly isDialog?: boolean }>;
  /** From there upwards: what stands between the conversation and that row. */
  readonly above?: readonly WindowStepData[];
  readonly busy?: {
    readonly title?: string;
    readonly at?: RowTestData;
    readonly above?: RowTestData;
    readonly below?: RowTestData;
  };
  /** The first row, where it is a prompt that stays on top while its answer scrolls. */
  readonly sticky?: RowTestData;
  /** The first row, where it shows the mark of a message that began further up. */
  readonly floating?: RowTestData;
  /** A panel at the right edge, of another background. */
  readonly panelColumnsMin?: number;
}

/** One step from the end of the screen upwards. */
export type WindowStepData =
  | {
      readonly to: RowTestData;
      readonly rowsMax?: number;
      readonly when?: RowTestData;
      readonly optional?: "quiet" | "busy";
    }
  | { readonly over: RowTestData; readonly first?: RowTestData }
  | { readonly overShade: true }
  | { readonly downTo: RowTestData }
  | { readonly up: number }
  | { readonly cursor: true }
  | { readonly here: RowTestData }
  | { readonly under: RowTestData }
  | { readonly notOver: RowTestData }
  | { readonly noneAbove: RowTestData }
  | { readonly noneBelow: RowTestData };

/** The APIs that the gateway stands in for. */
export const WIRE_ROUTES = ["anthropic", "openai", "gemini", "code-assist"] as const;
export type WireRoute = (typeof WIRE_ROUTES)[number];

/**
 * How it is pointed at the gateway without a change of its files. In values, `{anthropic}`, `{openai}`, `{gemini}` and `{code-assist}` are
 * the base URLs of these routes; `{openai:header}` is one without the secret, which then goes in the header `x-lectern-wire`; `{secret}` is
 * the secret; `{directory}` a private directory in which `files` are written.
 */
export interface LaunchData {
  /** The routes that it uses. Empty: it cannot be pointed at the gateway. */
  readonly routes: readonly WireRoute[];
  /** The first of which the variable is set, or that needs none. */
  readonly ways?: Named<LaunchWayData>;
  /** Variables in which people name the upstream of a route for this agent. */
  readonly upstreamVariables?: Partial<Record<WireRoute, readonly string[]>>;
  /** Variables that send it to a server that the gateway does not speak with, and the name of that. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Settings of its own that decide where its requests go: they are read when a session starts. */
  readonly settings?: OwnSettingsData;
  /** What to know about it. */
  readonly notes?: string;
  /** What it needs in a sandbox. */
  readonly sandbox?: LaunchSandboxData;
}

/**
 * What it needs in a sandbox, where the home directory is read-only. Paths are `~/.name...`, or `{VARIABLE:~/.name}/...` for a directory that the
 * variable names if it is set; a slash at the end means a directory; `{project}` is the working directory with a dash for all but letters and digits.
 */
export interface LaunchSandboxData {
  /** A copy that ends with the session: of a file, or of the files of a directory, whose own directories are read-only. */
  readonly private?: readonly string[];
  /** Directories that are empty inside, and end with the session. */
  readonly fresh?: readonly string[];
  /** Directories of conversations and the like: what is written there stays, so nothing in them may ever be executed. */
  readonly write?: readonly string[];
  /** Directly behind the program's name. */
  readonly arguments?: readonly string[];
}

/** What an agent's own result of a tool call shows about it, in a place that no output of the tool reaches. */
interface OutcomeData {
  /** A pattern for the names of the tools, and one for tools that are not meant. */
  readonly tools: string;
  readonly notTools?: string;
  /** Whether the result has the error flag of its API. Default: either. */
  readonly flag?: "error" | "none";
  /** Patterns for the first and the last 1,000 characters of the result. */
  readonly begins?: string;
  readonly ends?: string;
  readonly result: "succeeded" | "failed" | "refused" | "unknown";
}

interface OwnSettingsData {
  /** Where it reads them, besides its command line, which is the file `command`: options by name, other words in `words`. */
  readonly files?: Named<SettingsFileData>;
  /** Which of them count; all that are found. */
  readonly keys?: Named<SettingsKeyData>;
  /** Added to the launch if an address in its settings is taken over: it overrides that one. */
  readonly override?: LaunchWayData;
}

export interface SettingsFileData {
  /**
   * Paths of it. `~/` is the home, `./` the working directory, `.../` that one and each above it, `{NAME}` or `{NAME:otherwise}` a variable of
   * the environment, `{--option}` an option of the command line; a path with one that is not there does not count.
   */
  readonly paths?: readonly string[];
  /** The text itself is in this variable. */
  readonly variable?: string;
  /** Options of the command line whose value is the text, or the path of the file. `toml`: each value is one line. */
  readonly options?: readonly string[];
  readonly format: "json" | "toml" | "env";
  /** Nothing that Lectern could set overrides it, so that an address in it cannot be taken over. */
  readonly isLast?: boolean;
}

export interface SettingsKeyData {
  /** `env.ANTHROPIC_BASE_URL`; `*` is any name. */
  readonly key: string;
  /** Names of the files in which it counts; default all. */
  readonly from?: readonly string[];
  /** Values that do not matter; a `*` at the end is any text. Empty values, `false`, `0`, `no` and `off` never matter. */
  readonly fine?: readonly string[];
  /** The values that matter; default all others. */
  readonly only?: readonly string[];
  /** It is the address of this route: it becomes the upstream, and the agent is pointed at the gateway. */
  readonly route?: WireRoute;
  /** What the agent adds to the base URL of the route. */
  readonly cut?: string;
  /** Why the agent is not started. Not where the upstream of `unlessNamed` is named. */
  readonly refuse?: string;
  readonly unlessNamed?: WireRoute;
}

/** What is added to the command and the environment. */
export interface LaunchWayData {
  readonly variable?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Directly behind the program's name. */
  readonly arguments?: readonly string[];
  /** By name in the directory; they have the same values. */
  readonly files?: Readonly<Record<string, string>>;
}
