import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import { findAgents, type InstalledAgent } from "../../daemon/agents/installed.ts";
import { agentIn, checkAgent, type AgentCheck, type CheckReading } from "../../replay/check-agent.ts";
import { recordsOf } from "../../replay/recording.ts";
import { printTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { openRecording } from "../recording-file.ts";
import type { RowRuleReading } from "../../core/views/rule-readings.ts";
import { oneLine } from "../../core/text/one-line.ts";
import type { Style } from "../style.ts";
import { resolve } from "node:path";
import type { AgentFile } from "../../core/agents/agent-file.ts";
import { readAgentFiles, type AgentFileProblem } from "../../core/agents/agent-reader.ts";
import type { AgentRegistry } from "../../core/agents/registry.ts";
import { registryWith } from "../../core/agents/user-agents.ts";
import { readAgentFolders } from "../../daemon/agents/agent-folders.ts";
import { nameHint } from "../../core/agents/name-hint.ts";
import { readTextFile } from "../policy-file.ts";
import { problemLine } from "../problem-line.ts";

interface LoadedAgents {
  readonly agents: AgentRegistry;
  readonly problems: readonly AgentFileProblem[];
  /** Users' own files that are used, by path. */
  readonly files: ReadonlyMap<string, AgentFile>;
  /** The name of the agent in the tested file; null if there is no such file or it is invalid. */
  readonly tried: string | null;
}

const PROBLEMS_SHOWN_MAX = 5;

interface AgentSources {
  readonly folders: readonly string[];
  /** Replaces a file for the same agent in one of the folders. */
  readonly file?: string | undefined;
}

const textCharsMax = 100;

export const agents = defineCommand({
  name: "agents",
  summary: "List agents, show the file of one, or check rules on a recording",
  details: [
    "list (the default) shows which agents are installed, and which can run with --wire.",
    "show NAME prints the rules of an agent, as your files change them, as a file to start from; see docs/agents.md.",
    "check RECORDING shows what the rules read from a recording or a session, frame by frame.",
    "check without a recording only reads the agent files and names each problem.",
  ],
  arguments: [
    { name: "action", summary: "One of", count: "optional", choices: ["list", "show", "check"] },
    { name: "words", summary: "A name for show, a recording for check", count: "any", completes: "file" },
  ],
  options: {
    all: { type: "flag", short: "a", summary: "With list: include agents that are not installed" },
    agent: {
      type: "text",
      placeholder: "FILE|NAME",
      completes: "file",
      summary: "With check: by this file or agent, default the one that is recognised",
    },
    agents: {
      type: "list",
      placeholder: "DIRECTORY",
      completes: "directory",
      summary: "Also read agent files from here",
    },
    json: jsonOption,
  },
  examples: [
    "lectern agents",
    "lectern agents list --all --json",
    "lectern agents show claude > mine.yaml",
    "lectern agents check demo.cast --agent ./mine.yaml",
  ],
  async run({ arguments: { action, words }, options }, context) {
    switch (action) {
      case "show":
        return await show(onlyOne(words, "show an agent", "one NAME"), options, context);
      case "check":
        return await check(words, options, context);
      default:
        if (words[0] !== undefined) throw new LecternError("USAGE", `Cannot list agents: unexpected "${words[0]}"`);
        return await list(options, context);
    }
  },
});

function onlyOne(words: readonly string[], action: string, name: string): string {
  const [word, more] = words;
  if (word === undefined || more !== undefined) {
    const found = more === undefined ? "" : `, found ${words.length}`;
    throw new LecternError("USAGE", `Cannot ${action}: wanted ${name}${found}`);
  }
  return word;
}

/** The package has the files of the built-in agents as they are. */
const builtInFolder = new URL("../../../src/core/agents/built-in/", import.meta.url);

/** The text of a built-in file that nothing changes; else the complete rules, with what the agent extends. */
async function show(name: string, { agents: folders, json }: ListOptions, context: CliContext): Promise<void> {
  const { agents: known, files, problems } = await loadAgents({ folders }, context);
  noteProblems(problems, context);
  const file = known.named(name)?.file;
  if (file === undefined) throw unknownAgent(name, known.names);
  const [own] = [...files].find(([, each]) => each.name === name) ?? [];
  if (json) await context.print(JSON.stringify(file));
  else if (own === undefined) await context.write(await readFile(new URL(`${name}.yaml`, builtInFolder)));
  else {
    const { stringify } = await import("yaml");
    await context.write(`# The complete rules of the agent that "${own}" describes.\n${stringify(file)}`);
  }
}

async function check(
  words: readonly string[],
  options: { readonly agent: string | undefined; readonly agents: readonly string[]; readonly json: boolean },
  context: CliContext,
): Promise<number> {
  const { agent, json } = options;
  const isFile = agent !== undefined && /[./\\]/.test(agent);
  const loaded = await loadAgents({ folders: options.agents, file: isFile ? agent : undefined }, context);
  const isGood = !loaded.problems.some(({ severity }) => severity === "error");
  if (!json) noteProblems(loaded.problems, context);
  if (words.length === 0 || (isFile && loaded.tried === null)) {
    if (json) await context.print(JSON.stringify({ ok: isGood, problems: loaded.problems }));
    else if (isGood) await context.print(`${loaded.agents.agents.length} agents`);
    return isGood ? 0 : 1;
  }
  const recording = onlyOne(words, "check", "one RECORDING");
  const records = recordsOf(Buffer.concat(await Array.fromAsync(await openRecording(recording, context))));
  const name = isFile ? loaded.tried : (agent ?? agentIn(records, loaded.agents));
  if (name === null)
    throw new LecternError("NOT_FOUND", "Cannot find an agent in the recording: name one with --agent");
  const known = loaded.agents.named(name);
  if (known === undefined) throw unknownAgent(name, loaded.agents.names);
  const result = checkAgent(records, known.file);
  if (json) await context.print(JSON.stringify({ ok: isGood, problems: loaded.problems, ...result }));
  else await context.print(checkLines(result, context.style).join("\n"));
  return isGood ? 0 : 1;
}

interface ListOptions {
  readonly all: boolean;
  readonly agents: readonly string[];
  readonly json: boolean;
}

async function list({ all, agents: folders, json }: ListOptions, context: CliContext): Promise<void> {
  const loaded = await loadAgents({ folders }, context);
  noteProblems(loaded.problems, context);
  const known = await findAgents(loaded.agents, context.environment["PATH"] ?? "");
  const found = await Promise.all(known.map((agent) => withVersion(agent, context)));
  const shown = all ? found : found.filter(({ path }) => path !== null);
  if (json) await context.print(JSON.stringify({ agents: shown }));
  else if (shown.length === 0) context.note('No known agent is on the PATH: list all with "lectern agents --all"');
  else {
    const rows = shown.map(({ name, notes, routes, version }) => [
      name,
      version ?? "-",
      routes.length === 0 ? "no" : routes.join(" "),
      notes,
    ]);
    await printTable([["AGENT", "VERSION", "WIRE", "NOTES"], ...rows], context, { width: context.stdout.columns });
  }
}

/** `version` is null if it is unknown. */
async function withVersion(agent: InstalledAgent, context: CliContext) {
  const version = agent.path === null ? null : await versionOf(agent.path, context);
  const { notes, ...rest } = agent;
  return { ...rest, version, notes };
}

/** The first version number in its output. */
async function versionOf(file: string, { environment, signal }: CliContext): Promise<string | null> {
  try {
    const running = promisify(execFile)(file, ["--version"], { timeout: waits.arrivalMs, env: environment, signal });
    running.child.stdin?.end();
    const { stderr, stdout } = await running;
    return /\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
  } catch {
    // Installed, but its version is unknown.
    return null;
  }
}

/** The changes of each frame: a row of the conversation is shown once, and again when it is read differently. */
function checkLines({ agent, frames, readings, unused }: AgentCheck, style: Style): string[] {
  const startUs = readings[0]?.timeUs ?? 0;
  const seen = new Set<string>();
  const lines = readings.flatMap((reading) => [
    `${seconds(reading.timeUs - startUs)}  ${style.bold((reading.status?.state ?? "-").padEnd(8))}  ${placesOf(reading).join("  ")}`,
    ...reading.rows.flatMap((row) => {
      const line = rowLine(row);
      if (line === null || seen.has(line)) return [];
      seen.add(line);
      return [style.dim(`${" ".repeat(12)}${String(row.row).padStart(3)} `) + line];
    }),
  ]);
  const missing = unused.length === 0 ? [] : [`Rules without a match: ${unused.join(", ")}`];
  return [...lines, `${agent}: ${frames} frames, ${readings.length} readings`, ...missing];
}

const short = (text: string): string => oneLine(text).slice(0, textCharsMax);
const seconds = (us: number): string => `${(us / 1e6).toFixed(3)} s`.padStart(11);

/** First what decided about the state. */
function placesOf({ box, dialog, screen, status, title, window }: CheckReading): string[] {
  return [
    status === null || status.by === null ? "" : `by ${status.by}`,
    screen === null ? "" : `screen.${screen.rule}: ${short(screen.text)}`,
    title === null ? "" : `title.${title.rule}: ${short(title.text)}`,
    box === null ? "no box" : `box ${box.top}-${box.bottom}`,
    dialog === null ? "" : `dialog: ${short(dialog.question)} [${dialog.options.map(short).join(" | ")}]`,
    window === null ? "no conversation" : `rows ${window.from}-${window.to}${window.isBusy ? " busy" : ""}`,
  ].filter((text) => text !== "");
}

/** Null for a blank row. */
function rowLine({ role, rule, isStart, text }: RowRuleReading): string | null {
  if (role === null && text === "") return null;
  return `${isStart ? "+" : " "} ${(role ?? "...").padEnd(12)} ${(rule ?? "").padEnd(16)} ${short(text)}`;
}

/** Of each file the first problems. */
function noteProblems(problems: readonly AgentFileProblem[], context: CliContext): void {
  for (const [file, own] of Map.groupBy(problems, (problem) => problem.file)) {
    for (const problem of own.slice(0, PROBLEMS_SHOWN_MAX))
      context.note(problemLine(file, problem, context.errorStyle));
    if (own.length > PROBLEMS_SHOWN_MAX) context.note(`${file}: and ${own.length - PROBLEMS_SHOWN_MAX} more`);
  }
}

/** Throws `NOT_FOUND` for a file that does not exist. */
async function loadAgents({ folders, file }: AgentSources, context: CliContext): Promise<LoadedAgents> {
  const places = folders.map((folder) => resolve(context.workingDirectory, folder));
  const texts = await readAgentFolders([context.paths.agentsDirectory, ...places]);
  const own = file === undefined ? null : { path: file, text: await readTextFile(file, context) };
  const tried = own === null ? null : (readAgentFiles([own]).files.get(own.path)?.name ?? null);
  const others = readAgentFiles(texts);
  const replaced = [...others.files].find(([, { name }]) => name === tried)?.[0];
  const wanted = texts.filter(({ path }) => path !== replaced);
  const { files, problems } = readAgentFiles(own === null ? wanted : [...wanted, own]);
  return { agents: registryWith([...files.values()]), problems, files, tried };
}

/** `NOT_FOUND` with the nearest known name. */
const unknownAgent = (name: string, known: readonly string[]): LecternError =>
  new LecternError("NOT_FOUND", `Cannot find the agent "${name}": ${nameHint(name, known)}`);
