/** Lists coding agents, and prints the files of the built-in ones. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import { LecternError } from "../../core/errors.ts";
import { findAgents, type InstalledAgent } from "../../daemon/agents/installed.ts";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { nearest } from "../nearest.ts";

/** Some agents load for seconds before they say their version. */
const VERSION_MS_MAX = 10_000;

export const agents = defineCommand({
  name: "agents",
  aliases: [],
  summary: "List coding agents, or print the file of a built-in one",
  details: [
    "Without an action: which agents are installed, and which can run with --wire.",
    "show NAME prints a built-in agent as a file to start your own from.",
  ],
  arguments: [
    { name: "action", summary: "One of", count: "optional", choices: ["show"] },
    { name: "words", summary: "For show the name of an agent", count: "any" },
  ],
  options: {
    all: { type: "flag", short: "a", summary: "Also those that are not installed" },
    json: jsonOption,
  },
  examples: ["lectern agents", "lectern agents --all --json", "lectern agents show claude > claude.yaml"],
  async run({ arguments: { action, words }, options: { all, json } }, context) {
    if (action === "show") return await show(words, context);
    return await list({ all, json }, context);
  },
});

async function show(words: readonly string[], context: CliContext): Promise<number> {
  const [name, more] = words;
  if (name === undefined || more !== undefined) throw new LecternError("USAGE", "Cannot show an agent: wanted NAME");
  const { builtInTexts } = await import("../../core/agents/built-in-texts.ts");
  const text = Object.hasOwn(builtInTexts, name) ? builtInTexts[name] : undefined;
  if (text === undefined) throw unknownAgent(name, Object.keys(builtInTexts));
  await context.write(text);
  return 0;
}

function unknownAgent(name: string, known: readonly string[]): LecternError {
  const near = nearest(name, known);
  const hint = near === undefined ? `the agents are ${known.join(", ")}` : `did you mean "${near}"`;
  return new LecternError("NOT_FOUND", `Cannot find the agent "${name}": ${hint}`);
}

async function list({ all, json }: { all: boolean; json: boolean }, context: CliContext): Promise<number> {
  const known = await findAgents(builtInAgents, context.environment["PATH"] ?? "");
  const found = await Promise.all(known.map((agent) => withVersion(agent, context)));
  const shown = all ? found : found.filter(({ path }) => path !== null);
  if (json) await context.print(JSON.stringify({ agents: shown }));
  else if (shown.length === 0)
    context.note('No agent that is known here is in the PATH: "lectern agents --all" lists them');
  else {
    const rows = shown.map(({ name, notes, routes, version }) => [
      name,
      version ?? "-",
      routes.length === 0 ? "no" : routes.join(" "),
      notes,
    ]);
    const [head = "", ...lines] = await formatTable([["AGENT", "VERSION", "WIRE", "NOTES"], ...rows], {
      width: context.stdout.columns,
    });
    await context.print([context.style.bold(head), ...lines].join("\n"));
  }
  return 0;
}

/** Version: null where it does not say. */
async function withVersion(agent: InstalledAgent, context: CliContext) {
  const version = agent.path === null ? null : await versionOf(agent.path, context);
  const { notes, ...rest } = agent;
  return { ...rest, version, notes };
}

/** The first thing in its answer that looks like one. */
async function versionOf(file: string, { environment, signal }: CliContext): Promise<string | null> {
  try {
    const running = promisify(execFile)(file, ["--version"], { timeout: VERSION_MS_MAX, env: environment, signal });
    running.child.stdin?.end();
    const { stderr, stdout } = await running;
    return /\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
  } catch {
    // It is there, and does not say which it is.
    return null;
  }
}
