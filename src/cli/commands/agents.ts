/** Lists coding agents, prints the files of the built-in ones, and checks rules against recordings. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import { findAgents, type InstalledAgent } from "../../daemon/agents/installed.ts";
import { agentIn, checkAgent } from "../../replay/check-agent.ts";
import { recordsOf } from "../../replay/recording.ts";
import { checkLines } from "../agent-check-text.ts";
import { loadAgents, noteProblems, unknownAgent } from "../agent-files.ts";
import { printTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { openRecording } from "../recording-file.ts";

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

interface CheckOptions {
  readonly agent: string | undefined;
  readonly agents: readonly string[];
  readonly json: boolean;
}

async function check(words: readonly string[], options: CheckOptions, context: CliContext): Promise<number> {
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
