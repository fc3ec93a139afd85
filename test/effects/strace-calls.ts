/** Reads the lines of `strace -f -y`: one record for each call, in the order in which the calls returned. */

/** A call of the kernel, as strace prints it. */
export interface TracedCall {
  readonly pid: number;
  readonly name: string;
  readonly arguments: readonly string[];
  /** A number, or -1. */
  readonly value: number;
  /** The path of a returned file descriptor, without links. */
  readonly resultPath: string | undefined;
  /** `ENOENT`; undefined for a success. */
  readonly error: string | undefined;
  readonly line: string;
}

interface ProcessExit {
  readonly pid: number;
  readonly status: number | undefined;
}

export interface Trace {
  readonly calls: readonly TracedCall[];
  readonly exits: readonly ProcessExit[];
}

const linePattern = /^(\d+) +(.*)$/;
const resumedPattern = /^<\.\.\. \w+ resumed>\s?(.*)$/;
const unfinished = " <unfinished ...>";
// Greedy, because a text in the arguments may contain the same characters.
const callPattern = /^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(?:<(.*?)>(?:\(deleted\))?)?(?: (E[A-Z0-9]+))?(?: .*)?$/;
const exitPattern = /^\+\+\+ (?:exited with (\d+)|killed by \w+)/;

/** Throws for a line that it cannot read: what is left out could be an effect. */
export function readTrace(text: string): Trace {
  const calls: TracedCall[] = [];
  const exits: ProcessExit[] = [];
  const begun = new Map<number, string>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, digits = "", rest = ""] = linePattern.exec(line) ?? [];
    const pid = Number(digits);
    const exit = exitPattern.exec(rest);
    if (exit !== null) {
      exits.push({ pid, status: exit[1] === undefined ? undefined : Number(exit[1]) });
    } else if (rest.endsWith(unfinished)) {
      begun.set(pid, rest.slice(0, -unfinished.length));
    } else if (!rest.startsWith("---")) {
      const resumed = resumedPattern.exec(rest);
      const whole = resumed === null ? rest : `${begun.get(pid) ?? ""}${resumed[1] ?? ""}`;
      calls.push(callOf(pid, whole, line));
    }
  }
  return { calls, exits };
}

function callOf(pid: number, text: string, line: string): TracedCall {
  const [, name, given = "", value = "", resultPath, error] = callPattern.exec(text) ?? [];
  if (name === undefined) throw new Error(`strace printed a line that this reader does not know: ${line}`);
  return {
    pid,
    name,
    arguments: splitArguments(given),
    value: value === "?" ? -1 : Number(value),
    resultPath: resultPath === undefined ? undefined : unescaped(resultPath),
    error: value === "?" ? "?" : error,
    line: `${pid} ${text}`,
  };
}

/** At the commas between arguments. */
function splitArguments(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (isQuoted) {
      if (char === "\\") at += 1;
      else if (char === '"') isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    else if (char === "," && depth === 0) {
      found.push(text.slice(start, at));
      start = at + 2;
    }
  }
  found.push(text.slice(start));
  return found;
}

const shortEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };

const unescaped = (text: string): string =>
  Buffer.from(
    text.replaceAll(/\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))/g, (_, octal, hex, char) => {
      if (octal !== undefined) return String.fromCharCode(parseInt(String(octal), 8));
      if (hex !== undefined) return String.fromCharCode(parseInt(String(hex), 16));
      return shortEscapes[String(char)] ?? String(char);
    }),
    "latin1",
  ).toString("utf8");

/** The text of an argument in quotes; undefined for `NULL` and others. */
export function quotedText(argument: string | undefined): string | undefined {
  const inner = /^"((?:[^"\\]|\\.)*)"/.exec(argument ?? "")?.[1];
  return inner === undefined ? undefined : unescaped(inner);
}

/** The path of a file descriptor: `AT_FDCWD</users/me>`, `3</users/me/x>`. */
export function descriptorPath(argument: string | undefined): string | undefined {
  const inner = /^(?:AT_FDCWD|\d+)<(.*)>(?:\(deleted\))?$/.exec(argument ?? "")?.[1];
  return inner === undefined ? undefined : unescaped(inner);
}
