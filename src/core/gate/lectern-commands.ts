/**
 * Lectern's own commands in the shell text of an agent: with them an agent could answer its own question, type into other sessions or
 * end the daemon. They are denied unless a rule of the policy allows them by name. The daemon refuses them to a session with a policy
 * anyway (`docs/decisions/callers.md`); the gate refuses them before anything starts, and the model reads why.
 */
import type { ShellWord } from "./shell-words.ts";

/** `starts`: it runs another program or an agent, which is not analysed here. */
export type LecternUse = "reads" | "starts" | "acts";

/** By command and alias. `test/lectern-commands.test.ts` checks that each command is here. */
const uses: ReadonlyMap<string, LecternUse> = new Map(
  Object.entries({
    reads:
      "agents approvals audit blob chat check messages completion config digest doctor emit events export help info logs ls list ps replay screen search " +
      "status usage version wait --help -h --version -V",
    starts: "run create agent",
    acts:
      "acp answer approve attach a cluster down stop exec hosts import input key keys kill label mcp notify open web policy prompt put reindex reload service " +
      "remove rename resize resume rm send " +
      "share signal start task token up",
  } satisfies Record<LecternUse, string>).flatMap(([use, names]) =>
    names.split(" ").map((name): [string, LecternUse] => [name, use as LecternUse]),
  ),
);

/** Each command and alias that is judged by name. */
export const lecternCommandNames: ReadonlySet<string> = new Set(uses.keys());

/** Those that only look on with `--read-only`. */
const mayLookOn = /^(?:attach|a|mcp)$/;

const launcherName = /(?:^|[/\\])lectern(?:\.mjs)?(?:@[^/\\]*)?$/;
/** The launcher's sources and what is built from them. */
const launcherFile = /(?:^|[/\\])(?:lectern\.mjs|lectern|(?:src|dist)\/cli\/main\.[jt]s)$/;
const interpreters = /^(?:node|nodejs|bun|deno|tsx|ts-node)$/;
const runners = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|corepack)$/;
const clients = /^(?:curl|wget2?|nc|ncat|netcat|socat|websocat|https?|xh)$/;
/** The sockets of the daemon and of a host. */
const ownSocket = /(?:daemon|host-[0-9a-f]+)\.sock\b/;

/** What a command does with Lectern; undefined where it is no command of Lectern. `words` begins with the program. */
export function lecternUse(words: readonly ShellWord[]): LecternUse | undefined {
  const [program, ...rest] = words;
  const path = program?.value;
  if (path === undefined) return undefined;
  if (launcherName.test(path)) return useOf(rest);
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (clients.test(name)) return rest.some(({ text, value }) => ownSocket.test(value ?? text)) ? "acts" : undefined;
  if (interpreters.test(name)) {
    const at = rest.findIndex(({ value = "" }) => launcherFile.test(value));
    if (at >= 0) return useOf(rest.slice(at + 1));
  }
  if (!runners.test(name)) return undefined;
  const at = rest.findLastIndex(({ value = "" }) => launcherName.test(value));
  const next = rest[at + 1];
  // `npm install lectern` runs nothing.
  return at < 0 || next === undefined ? undefined : next.value === undefined ? "acts" : uses.get(next.value);
}

/** Closed: an unknown or computed command acts. So does none at all, which is how an alias or `xargs` begins one. */
function useOf([command, ...options]: readonly ShellWord[]): LecternUse {
  const name = command?.value ?? "";
  const use = uses.get(name) ?? "acts";
  const has = (wanted: string): boolean => {
    const end = options.findIndex(({ value }) => value === undefined || value === "--");
    return (end < 0 ? options : options.slice(0, end)).some(({ value }) => value === wanted);
  };
  if (mayLookOn.test(name) && has("--read-only")) return "reads";
  return use === "starts" && has("--mine") ? "acts" : use;
}
