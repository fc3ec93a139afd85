/** The processes of this system by `ps`, for systems without `/proc`. */
import { spawnSync } from "node:child_process";

export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Of its terminal; 0 or -1 without one. */
  readonly foregroundGroup: number;
  /** Such as `ttys003` or `pts/3`; `?` or `??` without one. */
  readonly terminal: string;
}

/** The options that the `ps` of BSD and that of Linux share. */
const words = ["-A", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "tpgid=", "-o", "tty="];
/** A `ps` that takes longer reports nothing: it blocks this process. */
const PS_MS_MAX = 5000;
const PS_BYTES_MAX = 4 * 1024 * 1024;

let scan: readonly ListedProcess[] | undefined;

/**
 * Takes some 10 ms, and is shared by the calls of one turn of the event loop. It tests itself: empty if `ps` fails, or does not report this process
 * with its parent.
 */
export function processTable(): readonly ListedProcess[] {
  if (scan !== undefined) return scan;
  const { stdout } = spawnSync("ps", words, { encoding: "utf8", timeout: PS_MS_MAX, maxBuffer: PS_BYTES_MAX });
  const table = parseProcessTable(stdout);
  const own = table.find(({ pid }) => pid === process.pid);
  scan = own?.parent === process.ppid ? table : [];
  setImmediate(() => (scan = undefined));
  return scan;
}

/** `text`: null if `ps` could not be started. */
export function parseProcessTable(text: string | null): ListedProcess[] {
  return (text ?? "").split("\n").flatMap((line) => {
    const [pid, parent, group, foregroundGroup, terminal, ...more] = line.trim().split(/\s+/);
    if (terminal === undefined || more.length > 0) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        foregroundGroup: Number(foregroundGroup),
        terminal,
      },
    ];
  });
}

/** The foreground process group of the terminal that this program leads; undefined if that is not known. */
export function foregroundGroupOf(leader: number, table = processTable()): number | undefined {
  const group = table.find(({ pid }) => pid === leader)?.foregroundGroup ?? 0;
  return groupsOnTerminalOf(leader, table).includes(group) ? group : undefined;
}

/**
 * The process groups on the terminal that this program leads; at least its own. A program that has not yet left the terminal of this process has no
 * other.
 */
export function groupsOnTerminalOf(leader: number, table = processTable()): readonly number[] {
  const found = table.find(({ pid }) => pid === leader);
  const own = table.find(({ pid }) => pid === process.pid);
  const hasItsOwn = found?.group === leader && !/^\?+$|^-$/.test(found.terminal) && found.terminal !== own?.terminal;
  const others = hasItsOwn ? table.filter(({ terminal }) => terminal === found.terminal) : [];
  return [...new Set([leader, ...others.map(({ group }) => group)])];
}
