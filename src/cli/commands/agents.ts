/** Lists the coding agents that are installed, and what is known of each. */
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type AgentProfile, agentProfiles } from "../../daemon/agents/profiles.ts";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";

/** Some agents load for seconds before they say their version. */
const VERSION_MS_MAX = 10_000;

export const agents = defineCommand({
  name: "agents",
  aliases: [],
  summary: "List coding agents: which are installed, and which can run with --wire",
  arguments: [],
  options: {
    all: { type: "flag", short: "a", summary: "Also those that are not installed" },
    json: jsonOption,
  },
  examples: ["lectern agents", "lectern agents --all --json"],
  async run({ options: { all, json } }, context) {
    const found = await Promise.all(agentProfiles.map((profile) => lookFor(profile, context)));
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
  },
});

interface FoundAgent extends Pick<AgentProfile, "name" | "title" | "routes" | "notes" | "package"> {
  /** Null where it is not installed. */
  readonly path: string | null;
  /** Null where it does not say. */
  readonly version: string | null;
}

async function lookFor(profile: AgentProfile, context: CliContext): Promise<FoundAgent> {
  const { name, notes, package: packageName, routes, title } = profile;
  const path = await pathOf(profile.programs, context.environment["PATH"] ?? "");
  const version = path === null ? null : await versionOf(path, context);
  return { name, title, package: packageName, routes, path, version, notes };
}

async function pathOf(programs: readonly string[], path: string): Promise<string | null> {
  for (const directory of path.split(delimiter).filter((each) => each !== "")) {
    for (const program of programs) {
      const file = join(directory, program);
      const isProgram = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isProgram) return file;
    }
  }
  return null;
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
