/** Real coding agents from npm, each installed once into a cache outside the project, so that a run does not pay for it again. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const INSTALL_MS_MAX = 600_000;
const VIEW_MS_MAX = 60_000;
/** A registry that cannot be reached is one after two tries, not after minutes. */
const npmWords = ["--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"];

/** The versions whose behaviour the tests were written for. */
const agentPackages = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.332" },
  codex: { package: "@openai/codex", version: "0.171.0" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0" },
  opencode: { package: "opencode-ai", version: "1.18.33" },
  qwen: { package: "@qwen-code/qwen-code", version: "0.24.4" },
  pi: { package: "@earendil-works/pi-coding-agent", version: "1.6.0" },
  copilot: { package: "@github/copilot", version: "1.0.102" },
  continue: { package: "@continuedev/cli", version: "1.5.47", command: "cn" },
} as const satisfies Readonly<
  Record<string, { readonly package: string; readonly version: string; readonly command?: string }>
>;

export type AgentName = keyof typeof agentPackages;

/** Those that `npm run test:long` runs. */
export const gatedAgents = ["claude", "codex", "gemini"] as const satisfies readonly AgentName[];

export interface InstalledAgent {
  readonly name: AgentName;
  readonly version: string;
  /** Absolute path of the program. */
  readonly program: string;
}

/**
 * Installs an agent, or finds it installed. The first install takes minutes. Rejects where the registry does not have it. With `isNewest`
 * it is the version that the registry has now, else that for which the tests were written.
 */
export async function installedAgent(
  name: AgentName,
  {
    installMsMax = INSTALL_MS_MAX,
    isNewest = false,
  }: { readonly installMsMax?: number; readonly isNewest?: boolean } = {},
): Promise<InstalledAgent> {
  const { package: packageName, version: known, command = name } = { command: undefined, ...agentPackages[name] };
  const version = isNewest ? await newestVersion(packageName) : known;
  const wanted = [`${packageName}@${version}`];
  const program = await installedProgram({ command, directory: `${name}-${version}`, installMsMax, packages: wanted });
  return { name, version, program };
}

/** Installs packages together into a directory of the cache, or finds them there: the path of a command of theirs. */
export async function installedProgram({
  command,
  directory: name,
  installMsMax = INSTALL_MS_MAX,
  packages,
}: {
  readonly command: string;
  readonly directory: string;
  readonly installMsMax?: number;
  readonly packages: readonly string[];
}): Promise<string> {
  const cache = join(tmpdir(), "lectern-agents");
  mkdirSync(cache, { recursive: true });
  const directory = join(cache, name);
  const program = join(directory, "node_modules", ".bin", command);
  if (!existsSync(program)) await install(packages, { cache, directory, installMsMax });
  return program;
}

async function newestVersion(name: string): Promise<string> {
  const { stdout } = await run("npm", ["view", name, "version", ...npmWords], { timeout: VIEW_MS_MAX });
  const version = stdout.trim();
  if (!/^[\w.-]{1,40}$/.test(version)) throw new Error(`npm names no version of ${name}: ${JSON.stringify(version)}`);
  return version;
}

/** Aside and then renamed: another run that installs the same at the same time does no harm, and half an install is none. */
async function install(
  wanted: readonly string[],
  { cache, directory, installMsMax }: { cache: string; directory: string; installMsMax: number },
): Promise<void> {
  const aside = mkdtempSync(join(cache, "new-"));
  try {
    writeFileSync(join(aside, "package.json"), '{"private":true}\n');
    await run("npm", ["install", "--prefix", aside, ...npmWords, ...wanted], { timeout: installMsMax });
    if (!existsSync(directory)) renameSync(aside, directory);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
