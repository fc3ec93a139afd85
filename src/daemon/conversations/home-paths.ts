/** Paths of agent files: `~/`, `{VARIABLE:otherwise}` and `*`, with the variables of an agent. */
import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** More files than these are not searched. */
const FOUND_MAX = 10_000;

/** The variables of an agent, by name. */
export type AgentVariables = Readonly<Record<string, string | undefined>>;

/** Absolute; undefined if the home directory is not known. */
export function expanded(path: string, variables: AgentVariables): string | undefined {
  const withValues = (text: string): string =>
    text.replaceAll(
      /\{([A-Z][A-Z0-9_]*):([^{}]*)\}/g,
      (_, name: string, otherwise: string) => variables[name] || otherwise,
    );
  // What stands for the value of one may be another: {A:{B:~/c}}.
  const whole = withValues(withValues(path));
  const home = variables["HOME"];
  if (!whole.startsWith("~/")) return isAbsolute(whole) ? whole : undefined;
  return home === undefined || !isAbsolute(home) ? undefined : join(home, whole.slice(2));
}

/** The files that fit; `*` stands for any part of one name. At most 10,000. */
export function filesFitting(path: string): string[] {
  const [first = "", ...rest] = path.split("/");
  let found = [first];
  for (const part of rest) {
    found = part.includes("*")
      ? found.flatMap((directory) => entriesFitting(directory, part))
      : found.map((at) => `${at}/${part}`);
    if (found.length > FOUND_MAX) found = found.slice(0, FOUND_MAX);
  }
  return found.filter((file) => existsSync(file));
}

function entriesFitting(directory: string, part: string): string[] {
  const pattern = new RegExp(
    `^${part
      .split("*")
      .map((text) => RegExp.escape(text))
      .join("[^/]*")}$`,
  );
  try {
    return readdirSync(directory === "" ? "/" : directory)
      .filter((name) => pattern.test(name))
      .map((name) => `${directory}/${name}`);
  } catch {
    return [];
  }
}
