/** `lectern` alone on a terminal: the sessions, those that need a person first, or what to do first. */
import { existsSync } from "node:fs";
import { needOf } from "../core/status/need.ts";
import type { Session } from "../protocol/session.ts";
import { formatColumns } from "./columns.ts";
import type { CliContext } from "./context.ts";

const firstSteps: readonly (readonly [string, string])[] = [
  ["lectern run -- bash", "a shell in a session; ctrl-\\ leaves it running"],
  ["lectern run -d -- claude", "a coding agent in the background"],
  ["lectern up", "the web page"],
  ["lectern doctor", "checks the installation"],
  ["lectern --help", "all commands"],
];

const isLive = ({ state }: Session): boolean => state === "starting" || state === "running";

/** Without a session ever started, no daemon is started either. */
export async function printOverview(context: CliContext): Promise<void> {
  const { databaseFile, sessionsDirectory } = context.paths;
  const isNew = !existsSync(databaseFile) && !existsSync(sessionsDirectory);
  const sessions = isNew ? [] : (await context.call("sessions.list", {})).sessions;
  const live = byNeed(sessions.filter(isLive));
  if (live.length === 0) {
    const ended = sessions.length === 0 ? "" : `; "lectern ls -a" lists ${sessions.length} ended`;
    const lines = formatColumns(firstSteps).map((line) => `  ${line}`);
    await context.print([`No session is running${ended}. To begin:`, "", ...lines].join("\n"));
    return;
  }
  const { printSessions } = await import("./session-table.ts");
  await printSessions(
    live.map((session) => ({ host: undefined, session })),
    { hasHead: true },
    context,
  );
  const needing = live.filter((session) => rankOf(session) === 0);
  await context.print(`\n${nextStep(live, needing, context)}; "lectern --help" lists all commands`);
}

const rankOf = ({ status }: Session): number => {
  const need = status === null ? "nothing" : needOf(status);
  return need === "answer" ? 0 : need === "prompt" ? 1 : 2;
};

/** Questions first, then agents that wait for a prompt; those that wait longest first. */
export const byNeed = (sessions: readonly Session[]): Session[] =>
  sessions.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || (one.status?.sinceUs ?? 0) - (other.status?.sinceUs ?? 0),
  );

function nextStep(live: readonly Session[], needing: readonly Session[], { style }: CliContext): string {
  if (needing.length === 0) return `"lectern attach ${live.length === 1 ? (live[0]?.name ?? "") : "NAME"}" shows one`;
  const count = needing.length === 1 ? "1 session asks" : `${needing.length} sessions ask`;
  return `${style.red(count)} a question: "lectern approvals" shows it`;
}
