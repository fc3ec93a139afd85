/** Which agent a command starts, by its words alone: wrappers, package runners, interpreters and `sh -c` are looked through. */
import type { Agent } from "./agent.ts";

const shells = new Set("sh bash zsh fish dash ksh mksh ash tcsh csh nu pwsh elvish xonsh".split(" "));
const wrappers = new Set("sudo doas env nohup time exec command builtin nice setsid stdbuf caffeinate".split(" "));
const interpreters = new Set("node bun deno tsx python python3 python3.11 python3.12 python3.13".split(" "));
/** Each with the words that follow it in front of the package. */
const runners = new Map<string, readonly string[]>([
  ["npx", []],
  ["bunx", []],
  ["uvx", []],
  ["pnpx", []],
  ["npm", ["exec", "x"]],
  ["pnpm", ["dlx", "exec"]],
  ["yarn", ["dlx", "exec"]],
  ["bun", ["x"]],
  ["pipx", ["run"]],
  ["uv", ["run", "tool"]],
  ["mise", ["exec", "x"]],
  ["volta", ["run"]],
]);

const depthMax = 4;
const lineCharsMax = 4096;

/** True for the name of a shell, with or without the dash of a login shell, a folder or an ending. */
export const isShellProgram = (program: string): boolean => shells.has(programName(program.replace(/^-/, "")));

interface Search {
  readonly agents: readonly Agent[];
  /** Also count a command that answers one prompt and ends. */
  readonly withBatch: boolean;
  /** How many wrappers, runners and shells stand in front. */
  readonly depth?: number;
}

/** The name of the agent that the command starts; null if it starts none. */
export const agentInArguments = (command: readonly string[], search: Search): string | null =>
  agentIn(command, { depth: 0, ...search });

/** The same for a line typed at a shell. If it holds several commands, the last one that starts an agent counts. */
export const agentInCommandLine = (line: string, search: Search): string | null =>
  agentInLine(line, { depth: 0, ...search });

/** The name of a program without folder and ending. */
export function programName(path: string): string {
  const last = path.split(/[/\\]/).at(-1) ?? "";
  return last.replace(/\.(?:js|mjs|cjs|ts|exe|cmd|ps1|sh|py)$/i, "").toLowerCase();
}

/** The name of the program that a line typed at a shell runs, behind variables and wrappers; of several commands, of the last. */
export function programInCommandLine(line: string): string {
  const words = commandsOf(line.slice(0, lineCharsMax)).at(-1) ?? [];
  const own = words.find((word) => !/^(?:-|[A-Za-z_]\w*=)/.test(word) && !isLauncher(programName(word)));
  return programName(own ?? words[0] ?? "");
}

const isLauncher = (name: string): boolean =>
  wrappers.has(name) || runners.has(name) || interpreters.has(name) || shells.has(name);

function agentInLine(line: string, search: Required<Search>): string | null {
  const found = commandsOf(line.slice(0, lineCharsMax)).map((words) => agentIn(words, search));
  return found.findLast((agent) => agent !== null) ?? null;
}

function agentIn(command: readonly string[], search: Required<Search>): string | null {
  if (search.depth > depthMax) return null;
  const below = { ...search, depth: search.depth + 1 };
  const words = command.slice(command.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)));
  const [first, ...rest] = words;
  if (first === undefined) return null;
  const name = programName(first);
  const direct =
    search.agents.find(({ commands }) => commands.includes(name) || commands.includes(`${name} ${rest[0] ?? ""}`)) ??
    byPackage(search.agents, first);
  if (direct !== undefined) return !search.withBatch && isBatch(direct, rest) ? null : direct.name;
  if (shells.has(name)) {
    const script = rest[rest.findIndex((word) => /^-[a-z]*c$/.test(word)) + 1];
    const hasScript = rest.some((word) => /^-[a-z]*c$/.test(word));
    return hasScript && script !== undefined ? agentInLine(script, below) : null;
  }
  const between = runners.get(name);
  if (between !== undefined && (between.length === 0 || between.includes(rest[0] ?? "")))
    return agentIn(withoutOptions(rest.slice(between.length === 0 ? 0 : 1)), below);
  if (wrappers.has(name)) return agentIn(withoutOptions(rest), below);
  if (interpreters.has(name)) return agentIn(withoutOptions(rest), below);
  return null;
}

function byPackage(agents: readonly Agent[], word: string): Agent | undefined {
  const path = word.replaceAll("\\", "/");
  return agents.find(({ packages }) =>
    packages.some((name) => path === name || path.startsWith(`${name}@`) || path.includes(`/node_modules/${name}/`)),
  );
}

function isBatch(agent: Agent, words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const options = end === -1 ? words : words.slice(0, end);
  return options.some(
    (word, index) => agent.batchArguments.includes(word.replace(/=.*$/s, "")) && (word.startsWith("-") || index === 0),
  );
}

/** `-y`, `--package x`, `-m`: what stands in front of the program that is run. */
function withoutOptions(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !word.startsWith("-"));
  return start === -1 ? [] : words.slice(start);
}

/** The commands of a line, as words. Quotes are taken off; what a shell would expand stays as it is. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | null = null;
  const close = (): void => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  for (const [piece] of line.matchAll(/'[^']*'?|"(?:\\[^]|[^"\\])*"?|\\[^]|&&|\|\|?|[;&\n()]|\s|[^\s'"\\;&|()]+/g)) {
    if (/^\s$/.test(piece) && piece !== "\n") close();
    else if (/^(?:&&|\|\|?|[;&\n()])$/.test(piece)) {
      close();
      commands.push([]);
    } else word = (word ?? "") + unquoted(piece);
  }
  close();
  return commands.filter(({ length }) => length > 0);
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.replaceAll("'", "");
  if (piece.startsWith('"')) return piece.replaceAll(/^"|"$/g, "").replaceAll(/\\(["\\$`])/g, "$1");
  return piece.startsWith("\\") ? piece.slice(1) : piece;
}

/** The REPL of Node: a script in Node has the same name, and often the same prompt. */
export function isPlainNode([program = "", ...words]: readonly string[]): boolean {
  const takesOther = /^--(?:eval|print|check|test|run|watch|help|version|completion|prof-process|build|v8-options)/;
  const isPlain = words.every((word) => word === "-i" || (/^--[a-z]/.test(word) && !takesOther.test(word)));
  return programName(program) === "node" && isPlain;
}
