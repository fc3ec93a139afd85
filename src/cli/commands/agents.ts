/** Lists the coding agents that are installed, and what is known of each. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findAgents, type InstalledAgent } from "../../daemon/agents/installed.ts";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";

/** Some agents load for seconds before they print their version. */
const VERSION_MS_MAX = 10_000;

export const agents = defineCommand({
  name: "agents",
  aliases: [],
  summary: "List coding agents, whether installed and usable with --wire",
  arguments: [],
  options: {
    all: { type: "flag", short: "a", summary: "Include agents that are not installed" },
    json: jsonOption,
  },
  examples: ["lectern agents", "lectern agents --all --json"],
  async run({ options: { all, json } }, context) {
    const known = await findAgents(context.environment["PATH"] ?? "");
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
      const [head = "", ...lines] = await formatTable([["AGENT", "VERSION", "WIRE", "NOTES"], ...rows], {
        width: context.stdout.columns,
      });
      await context.print([context.style.bold(head), ...lines].join("\n"));
    }
    return 0;
  },
});

/** Version: null if it is not printed. */
async function withVersion(agent: InstalledAgent, context: CliContext) {
  const version = agent.path === null ? null : await versionOf(agent.path, context);
  const { notes, ...rest } = agent;
  return { ...rest, version, notes };
}

/** The first version number in its output. */
async function versionOf(file: string, { environment, signal }: CliContext): Promise<string | null> {
  try {
    const running = promisify(execFile)(file, ["--version"], { timeout: VERSION_MS_MAX, env: environment, signal });
    running.child.stdin?.end();
    const { stderr, stdout } = await running;
    return /\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
  } catch {
    // Installed, but its version is unknown.
    return null;
  }
}
