/** Copies the journals of a failed test to a directory that stays, and prints the last screens and the end of each daemon's log. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inspect } from "node:util";
import { SessionView } from "../../src/core/views/session-view.ts";
import type { LecternPaths } from "../../src/daemon/paths.ts";
import { findJournals, type StoredJournal } from "../../src/daemon/sessions/stored-journals.ts";
import { isMissing } from "../../src/journal/segments.ts";
import { JournalReader } from "../../src/journal/reader.ts";
import { playRecord } from "../../src/live/view-steps.ts";
import { decodeMark } from "../../src/protocol/payloads.ts";
import type { Home } from "./evidence.ts";

/** One for each test process; the oldest are removed. */
const KEPT_DIRECTORIES_MAX = 20;
const SESSIONS_MAX = 5;
const SCREEN_ROWS_MAX = 40;
const LOG_LINES_MAX = 20;
const LOG_LINE_CHARS_MAX = 1000;
/** Of a longer journal only the end is drawn. */
const DRAWN_BYTES_MAX = 1024 * 1024;
const LOG = "daemon.log";
const SESSION = "session ";

let processDirectory: string | undefined;
let homesKept = 0;

/** The homes in the order of their start; the newest is shown first. */
export async function report(test: string, homes: readonly Home[]): Promise<void> {
  const lines: string[] = [];
  for (const home of homes.toReversed()) {
    const sessionsMax = SESSIONS_MAX - lines.filter((line) => line.startsWith(SESSION)).length;
    const shown = await homeLines(home, sessionsMax).catch((error: unknown) => [`Cannot be shown: ${inspect(error)}`]);
    lines.push(...shown);
  }
  if (lines.length > 0) console.log([`What the failed test "${test}" saw`, ...indented(lines)].join("\n"));
}

async function homeLines(home: Home, sessionsMax: number): Promise<string[]> {
  const journals = findJournals(home.paths.sessionsDirectory, []).toSorted(
    (one, other) => changedMs(other.directory) - changedMs(one.directory),
  );
  const log = logOf(home);
  if (journals.length === 0 && log.length === 0) return [];
  const place = keep(journals, log);
  const shown = journals.slice(0, sessionsMax);
  const sessions = await Promise.all(shown.map(({ id, name }) => sessionLines(name, join(place, id))));
  const more = journals.length - shown.length;
  const processes = processLines(home.paths, journals);
  const end =
    log.length === 0 ? ["(empty)"] : log.slice(-LOG_LINES_MAX).map((line) => line.slice(0, LOG_LINE_CHARS_MAX));
  return [
    ...sessions.flat(),
    ...(more === 0 ? [] : [`${more} more in ${place}`]),
    ...processes,
    `end of the daemon's log ${join(place, LOG)}:`,
    ...indented(end),
  ];
}

/** What the daemon and its hosts do at this moment, by the kernel: a process that hangs is stopped, busy, or waits. */
function processLines({ daemonFile }: LecternPaths, journals: readonly StoredJournal[]): string[] {
  const files = [daemonFile, ...journals.map(({ directory }) => join(directory, "host.json"))];
  const pids = files.filter(existsSync).map((file) => /"pid": ?(\d+)/.exec(readFileSync(file, "utf8"))?.[1]);
  return [...new Set(pids)].flatMap((pid) => (pid === undefined ? [] : [`process ${pid}: ${threadsOf(pid)}`]));
}

/** Name, state and used processor time of each thread, in clock ticks of 10 ms. */
function threadsOf(pid: string): string {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8"))
      .map((stat) => {
        const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return `${stat.slice(stat.indexOf("("), stat.lastIndexOf(")") + 1)} ${state} ${Number(rest[10]) + Number(rest[11])}`;
      })
      .join(", ");
  } catch (error) {
    return `gone (${String(error)})`;
  }
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function logOf({ errors = [], paths, problems = [] }: Home): string[] {
  const file = existsSync(paths.logFile) ? readFileSync(paths.logFile, "utf8") : "";
  const text = [file, ...problems, ...errors.map((error) => inspect(error))].join("\n");
  return text.split("\n").filter((line) => line !== "");
}

/** Copies journals, each in a directory that is named by the id of its session, and a log; returns their directory. */
function keep(journals: readonly StoredJournal[], log: readonly string[]): string {
  processDirectory ??= freshDirectory();
  homesKept += 1;
  const place = join(processDirectory, String(homesKept));
  mkdirSync(place);
  writeFileSync(join(place, LOG), log.join("\n"));
  for (const { directory, id } of journals) {
    mkdirSync(join(place, id));
    for (const file of readdirSync(directory, { withFileTypes: true }))
      if (file.isFile()) copyIfThere(join(directory, file.name), join(place, id, file.name));
  }
  return place;
}

/** A running daemon may rename or remove a file at any time. */
function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function freshDirectory(): string {
  const all = join(tmpdir(), "lectern-failed");
  // Everybody's, as its parent is.
  if (mkdirSync(all, { recursive: true }) !== undefined) chmodSync(all, 0o1777);
  const directory = join(all, `${basename(process.argv[1] ?? "tests")}-${process.pid}`);
  // An earlier process may have had the same id.
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  const own = readdirSync(all)
    .map((name) => join(all, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.())
    .toSorted((one, other) => changedMs(one) - changedMs(other));
  for (const old of own.slice(0, -KEPT_DIRECTORIES_MAX)) rmSync(old, { recursive: true, force: true });
  return directory;
}

async function sessionLines(name: string, directory: string): Promise<string[]> {
  const { command, rows } = await lastScreen(directory).catch((error: unknown) => ({
    command: "",
    rows: [`The journal cannot be read: ${inspect(error)}`],
  }));
  return [`${SESSION}"${name}": ${command}`, `journal: ${directory}`, "last screen:", ...rows.map((row) => `| ${row}`)];
}

async function lastScreen(directory: string): Promise<{ readonly command: string; readonly rows: readonly string[] }> {
  await using reader = await JournalReader.open(directory);
  const view = new SessionView({ columns: 80, rows: 24, isFolded: false });
  const drawnFrom = await reader.tailOffset(DRAWN_BYTES_MAX);
  let command = "";
  // The size is at the beginning.
  for (let from = reader.start; from < reader.end;) {
    const { records, next } = await reader.read(from);
    for (const record of records) {
      playRecord({ view, agent: null }, record);
      const mark = record.type === "mark" ? decodeMark(record.payload) : undefined;
      if (mark?.type === "session-start") command = mark.command.join(" ");
    }
    from = records.length === 0 ? reader.end : Math.max(next, drawnFrom);
  }
  const rows = view.screen.text().split("\n").slice(-SCREEN_ROWS_MAX);
  view.dispose();
  return { command, rows };
}
