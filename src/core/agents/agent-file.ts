/**
 * The form of an agent file: recognition, screen, dialogs, draft, chat, launch, outcomes. `docs/agents.md` explains each key, the files in `built-in/`
 * are examples, and patterns are those of `pattern.ts`. Each form is a JSON Schema 2020-12, and the types at the end are derived from them.
 *
 * A null takes a key away in a file that changes another agent; the data of a complete file has none.
 */
import { form, wordForm, type DataOf, type Form, type MapData } from "../json-schema/typed-form.ts";

/** The agents whose own records of their conversations are read: each has a format of its own. */
const RECORD_FORMATS = ["claude", "codex", "pi", "opencode", "qwen", "copilot", "gemini", "cline"] as const;

/** The APIs that the gateway stands in for. */
export const WIRE_ROUTES = ["anthropic", "openai", "gemini", "code-assist"] as const;
export type WireRoute = (typeof WIRE_ROUTES)[number];

const name = "^[a-z][a-z0-9-]{0,39}$";
const text = form<string>({ type: "string", minLength: 1, maxLength: 1000 });
const pattern = text;
const flag = form<boolean>({ type: ["boolean", "null"] });
const count = (maximum: number): Form<number> => form({ type: ["integer", "null"], minimum: 0, maximum });
const orNull = <Data>(schema: Form<Data>): Form<Data> => ({ ...schema, type: [schema["type"], "null"] });
const texts = form<readonly string[]>({ type: ["array", "null"], items: text, maxItems: 100 });
const record = form<Readonly<Record<string, string>>>({
  type: ["object", "null"],
  additionalProperties: { type: "string" },
});
const oneOf = <const Word extends string>(...words: readonly Word[]): Form<Word> => form({ enum: [...words, null] });
/** A map. A file that changes another agent names only what it changes, so `missingKeys` looks for the needed keys in the complete file. */
const map = <const Forms extends Readonly<Record<string, Form<unknown>>>, const Needed extends keyof Forms = never>(
  properties: Forms,
  ...needed: readonly Needed[]
): Form<MapData<Forms, Needed>> =>
  form({ type: ["object", "null"], additionalProperties: false, properties, "x-needed": needed });
/** Rules by name, tried in order. */
const named = <Data>(rule: Form<Data>): Form<Readonly<Record<string, Data>>> =>
  form({ type: ["object", "null"], propertyNames: { pattern: name }, maxProperties: 200, additionalProperties: rule });
const ref = <Data>(definition: string): Form<Data> => form({ $ref: `#/$defs/${definition}` });
const [textTest, rowTest] = [ref<TextTestData>("textTest"), ref<RowTestData>("rowTest")];
const spanTest = ref<SpanTestData>("spanTest");
const colour = ref<ColourData | readonly ColourData[]>("colour");

const states = oneOf("working", "waiting", "blocked");
/** Texts that a rule fits, which shows that it still does what it was written for. */
const examples = form<string | readonly string[]>({ type: ["string", "array", "null"], items: { type: "string" } });
const state = { state: states, identifies: flag, test: examples };

const textFacts = { text: orNull(pattern), not: orNull(pattern) };
const column = form<number | { readonly min?: number; readonly max?: number }>({
  type: ["integer", "object", "null"],
  additionalProperties: false,
  properties: { min: count(10_000), max: count(10_000) },
});
const spanFacts = { column, colour, background: colour, bold: flag, dim: flag, italic: flag };

const box = map(
  {
    top: textTest,
    prompt: textTest,
    bottom: textTest,
    below: textTest,
    inner: textTest,
    rowsMax: count(100),
    rowsBelowMax: count(200),
  },
  "bottom",
  "rowsMax",
  "rowsBelowMax",
);
const boxes = named(box);

const rowFacts = {
  is: rowTest,
  text: orNull(pattern),
  not: orNull(pattern),
  shade: oneOf("none", "left", "full"),
  first: spanTest,
  some: spanTest,
  every: spanTest,
  at: spanTest,
  spans: count(1000),
  freeColumnsMax: count(1000),
  isNumbered: flag,
  isPadded: flag,
  isCovered: flag,
  opensBlock: flag,
  next: rowTest,
};

const rowRule = map({
  ...rowFacts,
  /** What the row belongs to; see `RowRole`. `blank`: to nothing. */
  role: oneOf(
    "blank",
    "covered",
    "skip",
    "notice",
    "welcome",
    "user",
    "assistant",
    "tool-call",
    "tool-result",
    "command",
    "error",
  ),
  start: flag,
  as: orNull(text),
  cut: orNull(pattern),
  squeeze: flag,
  indent: count(100),
  hang: count(100),
  behindCall: oneOf("tool-result"),
  joinsCall: flag,
  summary: form<boolean | RowTestData>({ type: ["boolean", "string", "object", "array", "null"] }),
  test: examples,
});

const step = map({
  to: rowTest,
  rowsMax: count(1000),
  when: rowTest,
  optional: oneOf("quiet", "busy"),
  over: rowTest,
  first: rowTest,
  overShade: form<true>({ const: true }),
  downTo: rowTest,
  up: count(1000),
  cursor: form<true>({ const: true }),
  here: rowTest,
  under: rowTest,
  notOver: rowTest,
  noneAbove: rowTest,
  noneBelow: rowTest,
});
const steps = form<readonly WindowStepData[]>({ type: ["array", "null"], maxItems: 50, items: step });

const tool = map({
  joinLines: flag,
  shellName: orNull(text),
  calls: named(map({ pattern, name: text, input: text }, "pattern", "name", "input")),
  jsonArgument: flag,
  cut: orNull(pattern),
});

const window = map({
  /** Ways to find the row at which the conversation ends, tried in order. */
  ends: named(map({ steps, isDialog: flag }, "steps")),
  /** From there upwards: what stands between the conversation and that row. */
  above: steps,
  busy: map({ title: orNull(pattern), at: rowTest, above: rowTest, below: rowTest }),
  /** The first row, where it is a prompt that stays on top while its answer scrolls. */
  sticky: rowTest,
  /** The first row, where it shows the mark of a message that began further up. */
  floating: rowTest,
  /** A panel at the right edge, of another background. */
  panelColumnsMin: count(1000),
});

const chat = map({
  margin: count(100),
  indent: count(100),
  breaksBehind: orNull(pattern),
  changing: orNull(pattern),
  scrollbar: orNull(pattern),
  plainAnswers: flag,
  streamsCalls: flag,
  printsTwice: flag,
  pending: orNull(pattern),
  tool,
  marks: named(rowTest),
  window,
  rows: named(rowRule),
});

/** What is added to the command and the environment. */
const launchWay = map({
  variable: orNull(text),
  environment: record,
  /** Directly behind the program's name. */
  arguments: texts,
  /** By name in the directory; they have the same values. */
  files: record,
});

const settingsFile = map(
  {
    /**
     * Paths of it. `~/` is the home, `./` the working directory, `.../` that one and each above it, `{NAME}` or `{NAME:otherwise}` a variable of
     * the environment, `{--option}` an option of the command line; a path with one that is not there does not count.
     */
    paths: texts,
    /** The text itself is in this variable. */
    variable: orNull(text),
    /** Options of the command line whose value is the text, or the path of the file. `toml`: each value is one line. */
    options: texts,
    format: oneOf("json", "toml", "env"),
    /** Nothing that Lectern could set overrides it, so that an address in it cannot be taken over. */
    isLast: flag,
  },
  "format",
);

const settingsKey = map(
  {
    /** `env.ANTHROPIC_BASE_URL`; `*` is any name. */
    key: orNull(text),
    /** Names of the files in which it counts; default all. */
    from: texts,
    /** Values that do not matter; a `*` at the end is any text. Empty values, `false`, `0`, `no` and `off` never matter. */
    fine: texts,
    /** The values that matter; default all others. */
    only: texts,
    /** It is the address of this route: it becomes the upstream, and the agent is pointed at the gateway. */
    route: oneOf(...WIRE_ROUTES),
    /** What the agent adds to the base URL of the route. */
    cut: orNull(text),
    /** Why the agent is not started. Not where the upstream of `unlessNamed` is named. */
    refuse: orNull(text),
    unlessNamed: oneOf(...WIRE_ROUTES),
  },
  "key",
);

const ownSettings = map({
  /** Where it reads them, besides its command line, which is the file `command`: options by name, other words in `words`. */
  files: named(settingsFile),
  /** Which of them count; all that are found. */
  keys: named(settingsKey),
  /** Added to the launch if an address in its settings is taken over: it overrides that one. */
  override: launchWay,
});

/**
 * What it needs in a sandbox, where the home directory is read-only. Paths are `~/.name...`, or `{VARIABLE:~/.name}/...` for a directory that the
 * variable names if it is set; a slash at the end means a directory; `{project}` is the working directory with a dash for all but letters and digits.
 */
const launchSandbox = map({
  /** A copy that ends with the session: of a file, or of the files of a directory, whose own directories are read-only. */
  private: texts,
  /** Directories that are empty inside, and end with the session. */
  fresh: texts,
  /** Directories of conversations and the like: what is written there stays, so nothing in them may ever be executed. */
  write: texts,
  /** Directly behind the program's name. */
  arguments: texts,
});

/**
 * How it is pointed at the gateway without a change of its files. In values, `{anthropic}`, `{openai}`, `{gemini}` and `{code-assist}` are
 * the base URLs of these routes; `{openai:header}` is one without the secret, which then goes in the header `x-lectern-wire`; `{secret}` is
 * the secret; `{directory}` a private directory in which `files` are written.
 */
const launch = map(
  {
    /** The routes that it uses. Empty: it cannot be pointed at the gateway. */
    routes: form<readonly WireRoute[]>({ type: ["array", "null"], items: wordForm(WIRE_ROUTES) }),
    /** The first of which the variable is set, or that needs none. */
    ways: named(launchWay),
    /** Settings of its own that decide where its requests go: they are read when a session starts. */
    settings: ownSettings,
    /** Variables in which people name the upstream of a route for this agent. */
    upstreamVariables: map({ anthropic: texts, openai: texts, gemini: texts, "code-assist": texts }),
    /** Variables that send it to a server that the gateway does not speak with, and the name of that. */
    elsewhere: record,
    /** What to know about it. */
    notes: orNull(text),
    sandbox: launchSandbox,
  },
  "routes",
);

/**
 * Its conversations: how the id of one is learned, where it is kept, and how the command of a session is changed to continue it. Paths are as
 * in `launchSandbox`, with the variables of the running agent; `*` is any name of one directory or file.
 */
const conversation = map(
  {
    /** What an id looks like. */
    id: pattern,
    /**
     * A JSON file that the agent keeps for each of its processes, `{pid}`: `key` is the id, `pid` the process where the name of the file is
     * not, `started` the start of the process in clock ticks; without that, a file from before the process does not count. `status`: its key
     * `status` says what the agent does, in the words of Claude Code.
     */
    process: map({ file: text, key: text, pid: orNull(text), started: orNull(text), status: flag }, "file", "key"),
    /** A file that it has open while the conversation goes on; the first group of the pattern is the id. */
    open: orNull(pattern),
    /** A file for each conversation or for all, in a format that is known: the one in which the prompts of the session stand. */
    said: map({ format: oneOf(...RECORD_FORMATS), file: text }, "format", "file"),
    /** The file of the conversation `{id}`, or the files, in the order of their names: without one the agent has forgotten. `{id:8}`: its first 8 characters. */
    kept: orNull(text),
    /** These files are also a record of what was said, in this format. */
    record: oneOf(...RECORD_FORMATS),
    /** What it prints if it has forgotten. */
    forgotten: orNull(pattern),
    /** Options that take one value, and those that take several. */
    values: texts,
    lists: texts,
    /** Options that are not repeated: earlier conversations and first prompts. */
    drop: texts,
    /** Words that are not options are the first prompt, which is not repeated, or something else. Default: `prompt`. */
    words: oneOf("prompt", "keep"),
  },
  "id",
);

const places = oneOf("above", "top", "below", "end");

const dialogs = map({
  questions: texts,
  hints: texts,
  buttons: form<readonly (readonly string[])[]>({ type: ["array", "null"], items: { type: "array", items: text } }),
  /** Characters of which one is in front of the selected option. */
  pointer: form<string>({ type: ["string", "null"], minLength: 1, maxLength: 20 }),
  top: orNull(pattern),
  /** The last row of a dialog: without it the dialog is still being drawn. */
  bottom: orNull(pattern),
  options: map({ row: pattern, orUnderTop: form<boolean>({ type: "boolean" }) }, "row", "orUnderTop"),
  /** How it writes what a dialog is about; the first group of a pattern is the value. */
  parts: map({
    tool: orNull(pattern),
    command: orNull(pattern),
    directory: orNull(pattern),
    reason: orNull(pattern),
    tips: texts,
    clips: count(20),
    scrolls: count(200),
  }),
});

const draft = map(
  {
    mark: pattern,
    placeholder: orNull(pattern),
    /** Names of keys. */
    clear: texts,
    /** Characters in front of a text that the agent takes for its own also behind a blank: "!" for a shell, "/" for a command. */
    trims: orNull(text),
    /** A class of characters, such as `[\t\p{Cf}]`, that the agent drops or replaces: a prompt with one of them is refused. */
    changes: orNull(form<string>({ type: "string", pattern: String.raw`^\[(?:[^\]\\]|\\.)+\]$`, maxLength: 1000 })),
    /** Signs in place of a long paste; the first group is its size. */
    folds: named(map({ pattern, counts: oneOf("lines", "breaks", "characters") }, "pattern", "counts")),
    boxes,
    footerRows: count(20),
  },
  "mark",
);

/** An agent that reads lines at a prompt: the pattern fits the whole of what is in front of the cursor while nothing is typed. */
const line = map({ prompt: pattern, more: orNull(pattern), skip: texts }, "prompt");

/** What an agent's own result of a tool call shows about it, in a place that no output of the tool reaches. */
const outcome = map(
  {
    /** A pattern for the names of the tools, and one for tools that are not meant. */
    tools: orNull(pattern),
    notTools: orNull(pattern),
    /** Whether the result has the error flag of its API. Default: either. */
    flag: oneOf("error", "none"),
    /** Patterns for the first and the last 1,000 characters of the result. */
    begins: orNull(pattern),
    ends: orNull(pattern),
    result: oneOf("succeeded", "failed", "refused", "unknown"),
  },
  "tools",
  "result",
);

const agentForms = {
  name: form<string>({ type: "string", pattern: name }),
  /** The agent whose file this one starts from: its rules, not how it is recognised. */
  extends: form<string>({ type: "string", pattern: name }),
  title: text,
  version: form<number>({ type: "integer", minimum: 1 }),
  basis: wordForm(["recorded", "public"]),
  /** The newest release that it was measured on. */
  recorded: form<string>({ type: "string", pattern: String.raw`^\d+(?:\.\d+){1,3}$` }),
  commands: texts,
  packages: texts,
  batchArguments: texts,
  statusApps: texts,
  /** Arguments directly behind the program that continue the conversation `{id}`. */
  resume: texts,
  conversation,
  titles: named(map({ pattern, ...state }, "pattern")),
  boxes,
  screen: named(map({ in: places, rows: count(200), pattern, ...state }, "in", "rows", "pattern", "state")),
  /** What it shows when a limit of usage is reached. The first group of the pattern is when it ends, if the notice has that. */
  limits: named(map({ in: places, rows: count(200), pattern, test: examples }, "in", "rows", "pattern")),
  dialogs,
  draft,
  line,
  chat,
  /** For a command line that fits `command`: a chat in place of that of the agent. */
  variants: named(map({ command: pattern, chat }, "command", "chat")),
  launch,
  /** Texts without which it takes no text of an answer for a tool call: an answer with one of them is refused. */
  textCalls: texts,
  outcomes: named(outcome),
};

export const agentSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Lectern agent",
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: agentForms,
  $defs: {
    textTest: {
      type: ["string", "object", "null"],
      additionalProperties: false,
      properties: textFacts,
    },
    rowTest: {
      type: ["string", "object", "array", "null"],
      additionalProperties: false,
      properties: rowFacts,
      items: rowTest,
      minItems: 1,
      maxItems: 50,
    },
    spanTest: {
      type: ["object", "array", "null"],
      additionalProperties: false,
      properties: spanFacts,
      items: spanTest,
      maxItems: 50,
    },
    colour: {
      type: ["string", "integer", "array", "null"],
      pattern: "^(?:#[0-9a-f]{6}|default|set|grey|colourless|plain|red|orange|accent|hidden|visible)$",
      minimum: 0,
      maximum: 255,
      items: colour,
      maxItems: 50,
    },
  },
};

export type AgentFile = MapData<typeof agentForms, "name">;
export type AgentState = DataOf<typeof states>;
export type BoxData = DataOf<typeof box>;
export type ChatData = DataOf<typeof chat>;
export type ChatRowRole = NonNullable<RowRuleData["role"]>;
export type ConversationData = DataOf<typeof conversation>;
export type LaunchData = DataOf<typeof launch>;
export type LaunchSandboxData = DataOf<typeof launchSandbox>;
export type LaunchWayData = DataOf<typeof launchWay>;
export type RowRuleData = DataOf<typeof rowRule>;
export type SettingsFileData = DataOf<typeof settingsFile>;
export type SettingsKeyData = DataOf<typeof settingsKey>;
export type ToolData = DataOf<typeof tool>;
export type WindowData = DataOf<typeof window>;

/** A text that must fit one pattern, and none of the other. */
export type TextTestData = string | MapData<typeof textFacts, never>;

/** The name of a mark, a test, or several of which one must fit. */
export type RowTestData = string | RowFacts | readonly (string | RowFacts)[];

/** What must be true of a row: all that is named. An interface, since a row test may contain others. */
export interface RowFacts extends MapData<typeof rowFacts, never> {}

export type SpanTestData = SpanFacts | readonly SpanFacts[];

export type ColourData = string | number;

/** What must be true of cells next to each other that look alike. */
export type SpanFacts = MapData<typeof spanFacts, never>;

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
