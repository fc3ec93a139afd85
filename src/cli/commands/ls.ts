/** Lists sessions: like `docker ps`, only live ones by default. */
import { existsSync } from "node:fs";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { dollars, shortCount } from "../../core/text/amounts.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { formatAgo, formatSize } from "../quantities.ts";
import { gateCounts, paintState, stateText } from "../session-text.ts";
import type { Session } from "../../protocol/session.ts";

const isLive = ({ state }: Session): boolean => state === "starting" || state === "running";

export const ls = defineCommand({
  name: "ls",
  aliases: ["list", "ps"],
  summary: "List sessions",
  arguments: [],
  options: {
    all: { type: "flag", short: "a", summary: "Include ended sessions" },
    state: {
      type: "text",
      placeholder: "STATE",
      choices: ["starting", "running", "exited", "lost"],
      summary: "Only sessions in this state",
    },
    label: { type: "text", short: "l", placeholder: "KEY[=VALUE]", summary: "Only sessions with this label" },
    quiet: { type: "flag", short: "q", summary: "Print names only" },
    "no-start": { type: "flag", hidden: true, summary: "List nothing if no daemon is running" },
    json: jsonOption,
  },
  examples: ["lectern ls", "lectern ls -a --label project=web", "lectern ls --json"],
  async run({ options }, context) {
    const sessions = await listSessions(options, context);
    if (options.json) await context.print(JSON.stringify({ sessions }));
    else if (options.quiet) for (const { name } of sessions) await context.print(name);
    else await printTable(sessions, options.all, context);
    return 0;
  },
});

interface Filter {
  readonly all: boolean;
  readonly state: string | undefined;
  readonly label: string | undefined;
  readonly "no-start": boolean;
}

/** Before the first session there is no database, so no daemon is started only to list nothing. */
async function listSessions(filter: Filter, context: CliContext): Promise<readonly Session[]> {
  const { databaseFile, sessionsDirectory } = context.paths;
  // A lost database is rebuilt from the session directories.
  const mayStart = !filter["no-start"] && (existsSync(databaseFile) || existsSync(sessionsDirectory));
  const client = mayStart ? await context.client() : await context.runningClient();
  if (client === undefined) return [];
  const state = filter.state as Session["state"] | undefined;
  const { sessions } = await client.call("sessions.list", { state, label: filter.label }, { signal: context.signal });
  return filter.all || state !== undefined ? sessions : sessions.filter(isLive);
}

async function printTable(sessions: readonly Session[], all: boolean, context: CliContext): Promise<void> {
  if (sessions.length === 0) {
    // On standard error, because scripts may count the lines of standard output.
    const more = all ? "" : ', "lectern ls -a" lists ended ones';
    if (context.stdout.isTTY) context.note(`No sessions: start one with "lectern run -- bash"${more}`);
    return;
  }
  // Only if there is something to show: most lists need the room for the command.
  const used = sessions.some(({ usage }) => usage !== null) ? [usageText] : [];
  const gated = sessions.some(({ gate }) => gate !== null) ? [gateText] : [];
  const walled = sessions.some(({ sandbox }) => sandbox !== null) ? [sandboxText] : [];
  const more = [...walled.map(() => "SANDBOX"), ...gated.map(() => "GATE"), ...used.map(() => "USED")];
  const head = ["NAME", "STATE", "STATUS", "STARTED", "JOURNAL", "VIEWERS", ...more, "COMMAND"];
  const rows = sessions.map((session) =>
    rowOf(
      session,
      [...walled, ...gated, ...used].map((textOf) => textOf(session, Date.now())),
      Date.now(),
    ),
  );
  const [titles = "", ...lines] = await formatTable([head, ...rows], { width: context.stdout.columns });
  const text = lines.map((line, index) => paintLine(line, sessions[index], context));
  await context.write([context.style.bold(titles), ...text, ""].join("\n"));
}

const NOT_GATED = "NOT GATED";
const LOG_ONLY = "log only";

function gateText({ gate }: Session, nowMs: number): string {
  if (gate === null) return "-";
  const loud = gate.state === "on" ? (gate.mode === "log-only" ? `${LOG_ONLY}, ` : "") : `${NOT_GATED}, `;
  return loud + gateCounts(gate, nowMs);
}

const NO_SANDBOX = "NO SANDBOX";

function sandboxText({ sandbox }: Session): string {
  if (sandbox === null) return "-";
  return sandbox.backend === "none" ? NO_SANDBOX : sandbox.profile;
}

function usageText({ usage }: Session): string {
  if (usage === null) return "-";
  const tokens = `${shortCount(usage.input + usage.output)} tokens`;
  return usage.costUsd === null ? tokens : `${tokens} ${dollars(usage.costUsd)}`;
}

function rowOf(session: Session, used: readonly string[], nowMs: number): string[] {
  return [
    escapeForDisplay(session.name),
    stateText(session),
    session.status === null || !isLive(session) ? "-" : session.status.state,
    formatAgo(Date.parse(session.createdAt), nowMs),
    formatSize(session.end),
    String(session.viewers),
    ...used,
    displayCommand(session.command),
  ];
}

/** Colours are added after the layout, because they have no width. */
function paintLine(line: string, session: Session | undefined, { style }: CliContext): string {
  if (session === undefined) return line;
  const after = escapeForDisplay(session.name).length;
  const plain = stateText(session);
  const at = line.indexOf(plain, after);
  if (at < 0) return line;
  const rest = line.slice(at + plain.length);
  const wanted = [
    ...(session.gate?.state === "not-gated" ? [NOT_GATED] : []),
    ...(session.sandbox?.backend === "none" ? [NO_SANDBOX] : []),
  ];
  const loud = wanted.reduce((text, word) => text.replace(word, style.red(word)), rest);
  return line.slice(0, at) + paintState(session, style) + loud;
}
