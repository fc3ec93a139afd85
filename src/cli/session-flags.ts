/** The options of a session on the command line: the flags, and what each option is made of. The compiler names an option without a line. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LecternError } from "../core/errors.ts";
import type { ValueOf } from "../core/config/sections.ts";
import { isEventName } from "../core/events/tagged-event.ts";
import { TAG_NAME } from "../core/events/tag-scanner.ts";
import { DEFAULT_SANDBOX_PROFILE, SANDBOX_PROFILES } from "../core/sandbox/profile.ts";
import { nearestWord } from "../core/text/nearest.ts";
import { splitShellWords } from "../core/text/command-line.ts";
import type { InputOf } from "../protocol/operations.ts";
import type { CommandInput, OptionSpecs } from "./command.ts";
import { startPlaceOf, type CliContext } from "./context.ts";
import { parseLabel } from "./labels.ts";

const SIDE_MAX = 1000;
const PROMPT_BYTES_MAX = 262_144;

export const sessionFlags = {
  name: { type: "text", short: "n", placeholder: "NAME", summary: "Default: made from the name of the program" },
  label: { type: "list", short: "l", placeholder: "KEY=VALUE", summary: "Label; can be repeated" },
  cwd: {
    type: "text",
    short: "C",
    placeholder: "DIRECTORY",
    completes: "file",
    summary: "Working directory; default: the current one",
  },
  cols: {
    type: "number",
    placeholder: "N",
    minimum: 1,
    maximum: SIDE_MAX,
    summary: "Default: width of this terminal; 120 with -d or without one",
  },
  rows: {
    type: "number",
    placeholder: "N",
    minimum: 1,
    maximum: SIDE_MAX,
    summary: "Default: height of this terminal; 40 with -d or without one",
  },
  agent: {
    type: "text",
    placeholder: "NAME",
    summary: "Name of the agent, or like:NAME for a similar program",
  },
  mine: {
    type: "flag",
    summary: "Your own shell: programs in it act as you and may approve; not for agents",
  },
  sandbox: {
    type: "choice",
    placeholder: "PROFILE",
    bare: DEFAULT_SANDBOX_PROFILE,
    choices: SANDBOX_PROFILES,
    summary: "Walls around the program: a profile (default: work) or a YAML file; see docs/sandbox.md",
  },
  "sandbox-optional": {
    type: "flag",
    summary: "As --sandbox, but start without one where there is none; the session then shows it",
  },
  wire: { type: "flag", summary: "Route model requests of the agent through the gateway; see docs/gateway.md" },
  policy: {
    type: "text",
    placeholder: "POLICY",
    completes: "file",
    summary: "With --wire: policy for tool calls, a file or coding, review, ci; default: allow all",
  },
  upstream: {
    type: "list",
    placeholder: "ROUTE=URL",
    summary: "With --wire: upstream server, such as openai=http://127.0.0.1:8000/v1",
  },
  "approval-timeout": {
    type: "duration",
    placeholder: "TIME",
    summary: "With --wire: deny a question without an answer after this; default: 10m",
  },
  "ask-once": {
    type: "flag",
    summary: "With --wire: one question per call; the agent's own is answered from yours (default)",
  },
  "no-ask-once": { type: "flag", summary: "With --wire: the agent asks about a call that you have allowed, too" },
  "must-gate": {
    type: "flag",
    summary: "With --wire: exit code 11 if the agent bypasses the gateway or makes no request",
  },
  exec: { type: "flag", summary: "No terminal processing: output line feeds unchanged, input not echoed" },
  "no-shell-integration": { type: "flag", summary: "Do not ask bash, zsh or fish to mark prompts and output" },
  "retain-bytes": {
    type: "size",
    placeholder: "SIZE",
    minimum: 1_048_576,
    summary: "Drop the oldest output beyond this, a quarter (at most 64M) at a time; default: 1G",
  },
  "event-schema": {
    type: "list",
    placeholder: "NAME=FILE",
    summary: "JSON Schema of an event; events that do not match are kept as invalid",
  },
  "trust-text": {
    type: "flag",
    summary: "Trust event tags in any output of the session; see docs/events.md",
  },
  "event-tag": {
    type: "text",
    placeholder: "NAME",
    summary: "Name of event tags in the output; default: FORGE_EVENT",
  },
  "event-bytes": {
    type: "size",
    placeholder: "SIZE",
    minimum: 256,
    maximum: 1_048_576,
    summary: "A larger tag is abandoned; default: 256K",
  },
  "event-time": {
    type: "duration",
    placeholder: "TIME",
    summary: "A tag that is open for longer is abandoned; default: 30s",
  },
  worktree: {
    type: "text",
    short: "w",
    placeholder: "NAME",
    summary: "Start in a new git worktree with a branch of this name; see docs/tasks.md",
  },
  branch: {
    type: "text",
    placeholder: "BRANCH",
    summary: "With --worktree: the branch, which may exist; default: a new one, NAME",
  },
  base: {
    type: "text",
    placeholder: "REF",
    summary: "With --worktree: commit, branch or tag to start from; default: HEAD",
  },
  count: {
    type: "number",
    placeholder: "N",
    minimum: 1,
    maximum: 16,
    summary: "With --worktree: so many sessions, each in its own, NAME-1 to NAME-N",
  },
  prompt: {
    type: "text",
    short: "p",
    placeholder: "TEXT",
    summary: "Type this once the program is ready; - reads standard input",
  },
  summaries: {
    type: "flag",
    summary: "Add an event with a digest at the end of each turn and at the exit",
  },
  "on-blocked": {
    type: "text",
    placeholder: "CMD",
    summary: "Command for each question, with it as JSON on its input; runs outside of the session",
  },
} as const satisfies OptionSpecs;

type Flags = CommandInput<typeof sessionFlags, readonly []>["options"];
type CreateInput = InputOf<"sessions.create">;
type Whole<Fields> = { readonly [Key in keyof Fields]-?: Fields[Key] };

interface Given {
  readonly context: CliContext;
  /** The section `run` of the configuration. */
  readonly defaults: ValueOf<"run"> | undefined;
  /** Nobody looks at it yet: it has the size of the protocol's default, not that of this terminal. */
  readonly isDetached: boolean;
}

/** The input of each session: one, or as many as `--count` says. Throws `USAGE`, `NOT_FOUND` and `INVALID_INPUT`. */
export async function sessionInputs(
  command: readonly string[],
  flags: Flags,
  { context, defaults, isDetached }: Given,
): Promise<readonly [CreateInput, ...CreateInput[]]> {
  requireTogether(flags);
  const [program = "", ...words] = command;
  const place = startPlaceOf(context);
  const first: Whole<CreateInput> = {
    command: [program, ...words],
    name: flags.name,
    labels: { ...defaults?.labels, ...Object.fromEntries(flags.label.map(labelOf)) },
    workingDirectory: flags.cwd === undefined ? place.workingDirectory : directoryOf(flags.cwd, context),
    environment: place.environment,
    columns: flags.cols ?? (isDetached ? undefined : sideOf(context.stdout.columns)),
    rows: flags.rows ?? (isDetached ? undefined : sideOf(context.stdout.rows)),
    mode: flags.exec ? "exec" : "interactive",
    wire: flags.wire ? await wireOf(flags, context) : undefined,
    sandbox: await sandboxOf(flags, context),
    mine: flags.mine,
    retainBytesMax: flags["retain-bytes"] ?? defaults?.retainBytes,
    worktree:
      flags.worktree === undefined ? undefined : { name: flags.worktree, branch: flags.branch, base: flags.base },
    prompt: flags.prompt === "-" ? await readPrompt(context) : flags.prompt,
    eventSchemas: await readEventSchemas(flags["event-schema"], context.workingDirectory),
    trustText: flags["trust-text"],
    eventTag: eventTagOf(flags),
    summaries: flags.summaries || defaults?.summaries === true,
    onBlocked: flags["on-blocked"] === undefined ? undefined : commandOf(flags["on-blocked"]),
    agent: flags.agent,
    shellIntegration: !flags["no-shell-integration"],
  };
  const { count } = flags;
  if (count === undefined) return [first];
  return [numbered(first, 1), ...Array.from({ length: count - 1 }, (_, index) => numbered(first, index + 2))];
}

const wireFlags = ["policy", "upstream", "approval-timeout", "ask-once", "no-ask-once", "must-gate"] as const;

function requireTogether(flags: Flags): void {
  if (flags.mine && flags.wire)
    throw new LecternError("USAGE", "Cannot combine --mine, which is for a person, with --wire, which is for an agent");
  if (!flags.wire && wireFlags.some((name) => isGiven(flags[name])))
    throw new LecternError(
      "USAGE",
      "Cannot use --policy, --upstream, --approval-timeout, --ask-once, --no-ask-once or --must-gate without --wire",
    );
  if (flags["ask-once"] && flags["no-ask-once"])
    throw new LecternError("USAGE", "Cannot combine --ask-once with --no-ask-once");
  if (flags.worktree === undefined && [flags.base, flags.branch, flags.count].some(isGiven))
    throw new LecternError("USAGE", "Cannot use --base, --branch or --count without --worktree NAME");
  if (flags.branch !== undefined && flags.count !== undefined)
    throw new LecternError("USAGE", "Cannot use --count with --branch: each worktree has a branch of its own");
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

/** One of several sessions with the same prompt, each in a worktree of its own. */
function numbered(input: CreateInput, number: number): CreateInput {
  const { name, worktree } = input;
  return {
    ...input,
    name: name === undefined ? undefined : `${name}-${number}`,
    worktree: worktree && { ...worktree, name: `${worktree.name}-${number}`, group: worktree.name },
  };
}

async function readPrompt(context: CliContext): Promise<string> {
  const { readInput } = await import("./standard-input.ts");
  return (await readInput(context, "a prompt", PROMPT_BYTES_MAX)).replace(/\r?\n$/, "");
}

/** Words with quotes as a shell has them; what only a shell can do is left to one that is named. */
function commandOf(text: string): string[] {
  const words = splitShellWords(text.trim());
  const isPlain = words.length > 1 || !/[\s"'$|&;<>`]/.test(text.trim());
  if (text.trim() !== "" && isPlain) return words;
  throw new LecternError(
    "USAGE",
    `Cannot read the command ${JSON.stringify(text)}: wanted a program and plain or 'single-quoted' words; for a shell: --on-blocked "sh -c '...'"`,
  );
}

function eventTagOf(options: Flags): CreateInput["eventTag"] {
  const { "event-tag": name, "event-bytes": bytesMax, "event-time": msMax } = options;
  if (name === undefined && bytesMax === undefined && msMax === undefined) return undefined;
  if (name !== undefined && !TAG_NAME.test(name)) {
    throw new LecternError(
      "USAGE",
      `Cannot use the tag name "${name}": wanted a letter or "_", then at most 63 of A-Z a-z 0-9 _ -`,
    );
  }
  return { name, bytesMax, msMax };
}

async function wireOf(flags: Flags, context: CliContext): Promise<CreateInput["wire"]> {
  const { readPolicyFile } = await import("./policy-file.ts");
  return {
    policy: flags.policy === undefined ? undefined : (await readPolicyFile(flags.policy, context)).text,
    upstreams: Object.fromEntries(flags.upstream.map(upstreamOf)),
    approvalMs: flags["approval-timeout"],
    askOnce: !flags["no-ask-once"],
    mustGate: flags["must-gate"],
  };
}

const ROUTES = ["anthropic", "openai", "gemini", "code-assist"];

function upstreamOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const route = text.slice(0, at);
  if (at > 0 && ROUTES.includes(route)) return [route, text.slice(at + 1)];
  throw new LecternError("USAGE", `Cannot read an upstream: wanted ROUTE=URL with one of ${ROUTES.join(", ")}`);
}

function labelOf(text: string): readonly [string, string] {
  const found = parseLabel(text);
  if (found === undefined) throw new LecternError("USAGE", `Cannot read label "${text}": wanted KEY=VALUE`);
  return found;
}

/** Relative to the working directory of this command, not of the daemon; on a host, to the home directory there. */
function directoryOf(given: string, context: CliContext): string {
  if (context.host !== undefined) return /^[/~]/.test(given) ? given : `~/${given}`;
  return resolve(context.workingDirectory, given);
}

/** `side` is undefined or 0 if standard output is not a terminal. */
const sideOf = (side: number | undefined): number | undefined =>
  side === undefined || side < 1 ? undefined : Math.min(side, SIDE_MAX);

const FILE = /\/|\.(?:ya?ml|json)$/;

/** Throws `INVALID_INPUT` and `NOT_FOUND`. */
async function sandboxOf(
  { sandbox, "sandbox-optional": optional }: Flags,
  context: Pick<CliContext, "workingDirectory">,
): Promise<CreateInput["sandbox"]> {
  if (sandbox === undefined) return optional ? { optional } : undefined;
  if (SANDBOX_PROFILES.some((name) => name === sandbox)) return { profile: sandbox, optional };
  if (!FILE.test(sandbox)) {
    const nearest = nearestWord(sandbox, SANDBOX_PROFILES);
    const hint = nearest === undefined ? "" : ` did you mean "${nearest}"? Else`;
    throw new LecternError(
      "INVALID_INPUT",
      `Unknown sandbox profile "${sandbox}":${hint} name one of ${SANDBOX_PROFILES.join(", ")}, or a file such as ./sandbox.yaml`,
    );
  }
  const [{ readTextFile }, { checkSandbox }] = await Promise.all([
    import("./policy-file.ts"),
    import("../core/gate/sandbox-file.ts"),
  ]);
  const settings = await readTextFile(sandbox, context);
  const checked = checkSandbox(settings);
  if (checked.ok) return { settings, optional };
  const [problem] = checked.problems;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot use the sandbox: ${sandbox}:${problem?.line}:${problem?.column}: ${problem?.message}`,
  );
}

/** By event name; undefined if none is given. Throws `USAGE` if an option is not NAME=FILE, `INVALID_INPUT` if a file is not valid JSON. */
async function readEventSchemas(
  given: readonly string[],
  directory: string,
): Promise<Record<string, unknown> | undefined> {
  if (given.length === 0) return undefined;
  return Object.fromEntries(await Promise.all(given.map((text) => readEventSchema(text, directory))));
}

async function readEventSchema(text: string, directory: string): Promise<readonly [string, unknown]> {
  const [name, file] = parseLabel(text) ?? [];
  if (name === undefined || file === undefined || !isEventName(name))
    throw new LecternError("USAGE", `Cannot read event schema "${text}": wanted NAME=FILE`);
  try {
    return [name, JSON.parse(await readFile(resolve(directory, file), "utf8"))];
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LecternError("INVALID_INPUT", `Cannot read the schema of event "${name}": ${reason}`, { cause });
  }
}
