/** Starts a program in a new session. */
import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { DEFAULT_SANDBOX_PROFILE, SANDBOX_PROFILES } from "../../core/sandbox/profile.ts";
import { TAG_NAME } from "../../core/events/tag-scanner.ts";
import type { InputOf } from "../../protocol/operations.ts";
import { splitShellWords } from "../../core/text/command-line.ts";
import type { Session } from "../../protocol/session.ts";
import type { ValueOf } from "../../core/config/sections.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { hasConfigFiles } from "../config-files.ts";
import { startPlaceOf, type CliContext } from "../context.ts";
import { readEventSchemas } from "../event-schemas.ts";
import { parseLabel } from "../labels.ts";
import { sandboxOf } from "../sandbox-option.ts";
import { setAsideText } from "../set-aside-text.ts";
import { startAll, startsOf } from "../starts.ts";
import { exitCodeOf } from "../../protocol/exit-code.ts";
import { defaultDetachKeys, parseDetachKeys } from "../terminal/detach-keys.ts";

const SIDE_MAX = 1000;

export const run = defineCommand({
  name: "run",
  reachesHosts: true,
  aliases: ["create"],
  summary: "Start a program in a new session and attach to it",
  details: [
    "Exits with the exit code of the program, which inherits the environment and directory of this shell.",
    `Detach with ${defaultDetachKeys} and return with "lectern attach"; the program keeps running.`,
  ],
  optionsFirst: true,
  arguments: [{ name: "command", summary: "Program and arguments, without a shell", count: "many" }],
  options: {
    detach: { type: "flag", short: "d", summary: "Print the name of the session instead of attaching" },
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
      summary: "Default: width of this terminal, or 80",
    },
    rows: {
      type: "number",
      placeholder: "N",
      minimum: 1,
      maximum: SIDE_MAX,
      summary: "Default: height of this terminal, or 24",
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
    "detach-keys": { type: "text", placeholder: "KEYS", summary: `Default: ${defaultDetachKeys}` },
    json: jsonOption,
  },
  examples: [
    "lectern run -- bash",
    "lectern run -d --name web --label project=shop -- npm start",
    "lectern run make -j4",
    "lectern run --agent like:claude -- ./my-wrapper",
    "lectern run --worktree fix-login --prompt 'fix the login test' -- claude",
    "lectern run --sandbox --wire --policy policy.yaml -- claude",
  ],
  async run({ arguments: { command }, options }, context) {
    const defaults = await defaultsOf(context);
    const detachKeys = options["detach-keys"] ?? defaults?.detachKeys ?? defaultDetachKeys;
    parseDetachKeys(detachKeys);
    if (options.mine && options.wire) {
      throw new LecternError(
        "USAGE",
        "Cannot combine --mine, which is for a person, with --wire, which is for an agent",
      );
    }
    const wire = await wireOf(options, context);
    const [program = "", ...words] = command;
    const starts = await startsOf(options, context);
    const input: InputOf<"sessions.create"> = {
      command: [program, ...words],
      name: options.name,
      labels: { ...defaults?.labels, ...Object.fromEntries(options.label.map(labelOf)) },
      agent: options.agent,
      ...startPlaceOf(context),
      ...(options.cwd === undefined ? {} : { workingDirectory: await directoryOf(options.cwd, context) }),
      columns: options.cols ?? sideOf(context.stdout.columns, 80),
      rows: options.rows ?? sideOf(context.stdout.rows, 24),
      mode: options.exec ? "exec" : "interactive",
      retainBytesMax: options["retain-bytes"] ?? defaults?.retainBytes,
      wire,
      mine: options.mine,
      sandbox: await sandboxOf(options, context),
      eventSchemas: await readEventSchemas(options["event-schema"], context.workingDirectory),
      shellIntegration: !options["no-shell-integration"],
      trustText: options["trust-text"],
      eventTag: eventTagOf(options),
      summaries: options.summaries || defaults?.summaries === true,
      onBlocked: options["on-blocked"] === undefined ? undefined : commandOf(options["on-blocked"]),
    };
    const [session, ...others] = await startAll(input, starts, context);
    if (session.gate?.mode === "log-only") {
      context.note(
        context.errorStyle.yellow("The policy is log-only: it decides and writes down, and refuses nothing"),
      );
    }
    if (session.sandbox?.backend === "none") {
      context.note(
        context.errorStyle.red("NO SANDBOX: it runs without walls, because none can be made here; see lectern doctor"),
      );
    }
    if (options.detach || others.length > 0) {
      for (const each of [session, ...others])
        await context.print(options.json ? JSON.stringify(each) : context.addressOf(each.name));
      return 0;
    }
    const sized = options.cols !== undefined || options.rows !== undefined;
    return view(session, { detachKeys, sized, mustGate: options["must-gate"] }, context);
  },
});

/** Nothing of the configuration is loaded where no file has it. */
async function defaultsOf(context: CliContext): Promise<ValueOf<"run"> | undefined> {
  if (!hasConfigFiles(context.workingDirectory, context)) return undefined;
  return await (await import("../run-defaults.ts")).runDefaults(context);
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

interface TagOptions {
  readonly "event-tag": string | undefined;
  readonly "event-bytes": number | undefined;
  readonly "event-time": number | undefined;
}

function eventTagOf(options: TagOptions): InputOf<"sessions.create">["eventTag"] {
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

interface WireOptions {
  readonly wire: boolean;
  readonly policy: string | undefined;
  readonly upstream: readonly string[];
  readonly "approval-timeout": number | undefined;
  readonly "ask-once": boolean;
  readonly "no-ask-once": boolean;
  readonly "must-gate": boolean;
}

async function wireOf(options: WireOptions, context: CliContext): Promise<InputOf<"sessions.create">["wire"]> {
  const { policy, upstream, wire } = options;
  if (!wire) {
    const isAsked = policy !== undefined || upstream.length > 0 || options["approval-timeout"] !== undefined;
    if (isAsked || options["ask-once"] || options["no-ask-once"] || options["must-gate"])
      throw new LecternError(
        "USAGE",
        "Cannot use --policy, --upstream, --approval-timeout, --ask-once, --no-ask-once or --must-gate without --wire",
      );
    return undefined;
  }
  if (options["ask-once"] && options["no-ask-once"])
    throw new LecternError("USAGE", "Cannot combine --ask-once with --no-ask-once");
  const { readPolicyFile } = await import("../policy-file.ts");
  return {
    policy: policy === undefined ? undefined : (await readPolicyFile(policy, context)).text,
    upstreams: Object.fromEntries(upstream.map(upstreamOf)),
    approvalMs: options["approval-timeout"],
    askOnce: !options["no-ask-once"],
    mustGate: options["must-gate"],
  };
}

const ROUTES = ["anthropic", "openai", "gemini", "code-assist"];

function upstreamOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const route = text.slice(0, at);
  if (at > 0 && ROUTES.includes(route)) return [route, text.slice(at + 1)];
  throw new LecternError("USAGE", `Cannot read an upstream: wanted ROUTE=URL with one of ${ROUTES.join(", ")}`);
}

async function view(
  session: Session,
  options: { readonly detachKeys: string; readonly sized: boolean; readonly mustGate: boolean },
  context: CliContext,
): Promise<number> {
  const { viewSession } = await import("../terminal/attached-session.ts");
  const end = await viewSession(
    await context.client(),
    {
      session: session.id,
      from: 0,
      readOnly: false,
      detachKeys: options.detachKeys,
      takesSize: !options.sized,
      endOfInput: true,
    },
    context,
  );
  if (end.reason === "exit") {
    if (session.sandbox?.setAside === null) await reportSetAside(session, context);
    await checkGate(session, { mustGate: options.mustGate }, context);
    return exitCodeOf(end.exit);
  }
  context.note(`[detached from ${session.name}: lectern attach ${context.addressOf(session.name)}]`);
  return 0;
}

const SET_ASIDE_MS_MAX = 3_000;
const SET_ASIDE_PAUSE_MS = 50;

/** The daemon looks at the repository when the program has ended. */
async function reportSetAside({ id }: Session, context: CliContext): Promise<void> {
  for (let leftMs = SET_ASIDE_MS_MAX; leftMs > 0; leftMs -= SET_ASIDE_PAUSE_MS) {
    const { sandbox } = await context.call("sessions.get", { session: id });
    const directories = sandbox?.setAside ?? [];
    if (directories.length > 0) context.note(context.errorStyle.red(setAsideText(directories)));
    if (sandbox?.setAside !== null) return;
    await delay(SET_ASIDE_PAUSE_MS);
  }
  context.note(
    `lectern: repositories that the program may have put here are still looked for: see "lectern info ${id}" before you use git here`,
  );
}

/** A session that bypassed the gateway, or sent no request, is reported; with `mustGate` it throws `NOT_GATED`. */
async function checkGate(
  { gate: begun, id, name }: Session,
  { mustGate }: { readonly mustGate: boolean },
  context: CliContext,
): Promise<void> {
  if (begun === null) return;
  const { gate } = await context.call("sessions.get", { session: id });
  if (gate?.state !== "not-gated") return;
  const next = `see its settings for an address of its own, and "lectern audit --session ${name}"`;
  const message = `Session "${name}" was not gated: ${gate.evidence}; ${next}`;
  if (mustGate) throw new LecternError("NOT_GATED", message);
  context.note(context.errorStyle.yellow(message));
}

function labelOf(text: string): readonly [string, string] {
  const found = parseLabel(text);
  if (found === undefined) throw new LecternError("USAGE", `Cannot read label "${text}": wanted KEY=VALUE`);
  return found;
}

/** Relative to the working directory of this command, not of the daemon; on a host, to the home directory there. */
async function directoryOf(given: string, context: CliContext): Promise<string> {
  if (context.host !== undefined) return /^[/~]/.test(given) ? given : `~/${given}`;
  const { resolve } = await import("node:path");
  return resolve(context.workingDirectory, given);
}

/** `side` is undefined or 0 if standard output is not a terminal. */
const sideOf = (side: number | undefined, otherwise: number): number =>
  side === undefined || side < 1 ? otherwise : Math.min(side, SIDE_MAX);
