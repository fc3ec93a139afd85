import { dollars, shortCount } from "../core/text/amounts.ts";
import { displayCommand } from "../core/text/command-line.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import { limitText } from "../core/status/limit-text.ts";
import { joinAddress } from "../protocol/session-address.ts";
import type { Session } from "../protocol/session.ts";
import { formatTable } from "./columns.ts";
import type { CliContext } from "./context.ts";
import { formatAgo, formatSize } from "./quantities.ts";
import { gateCounts, paintState, stateText } from "./session-text.ts";

/** A session, or a host that is away, which has a row of its own. */
export type ListedRow =
  | { readonly host: string | undefined; readonly session: Session }
  | { readonly host: string; readonly away: string };

/** Rows that are known when the table is printed; later ones follow without a head. */
export async function printSessions(
  rows: readonly ListedRow[],
  { hasHead }: { readonly hasHead: boolean },
  context: CliContext,
): Promise<void> {
  const sessions = rows.flatMap((row) => ("session" in row ? [row.session] : []));
  // Only if there is something to show: most lists need the room for the command.
  const used = sessions.some(({ usage }) => usage !== null) ? [usageText] : [];
  const gated = sessions.some(({ gate }) => gate !== null) ? [gateText] : [];
  const walled = sessions.some(({ sandbox }) => sandbox !== null) ? [sandboxText] : [];
  const more = [...walled.map(() => "SANDBOX"), ...gated.map(() => "GATE"), ...used.map(() => "USED")];
  const head = ["NAME", "STATE", "STATUS", "STARTED", "JOURNAL", "VIEWERS", ...more, "COMMAND"];
  const nowMs = Date.now();
  const columns = [...walled, ...gated, ...used];
  const cells = rows.map((row) =>
    "session" in row
      ? rowOf(
          row,
          columns.map((textOf) => textOf(row.session, nowMs)),
          nowMs,
        )
      : [`${row.host}/`, "away", "-", "-", "-", "-", ...columns.map(() => "-"), escapeForDisplay(row.away)],
  );
  const lines = await formatTable(hasHead ? [head, ...cells] : cells, { width: context.stdout.columns });
  const titles = hasHead ? [context.style.bold(lines.shift() ?? "")] : [];
  const text = lines.map((line, index) => paintLine(line, rows[index], context));
  await context.write([...titles, ...text, ""].join("\n"));
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

function rowOf(
  { host, session }: Extract<ListedRow, { readonly session: Session }>,
  used: readonly string[],
  nowMs: number,
): string[] {
  return [
    joinAddress({ machine: host, session: session.name }),
    stateText(session),
    statusText(session, nowMs),
    formatAgo(Date.parse(session.createdAt), nowMs),
    formatSize(session.end),
    String(session.viewers),
    ...used,
    displayCommand(session.command),
  ].map((cell) => escapeForDisplay(cell));
}

function statusText({ endedAt, status }: Session, nowMs: number): string {
  if (status === null || endedAt !== null) return "-";
  return status.limit === undefined ? status.state : `${status.state}, ${limitText(status.limit, nowMs)}`;
}

/** Colours are added after the layout, because they have no width. */
function paintLine(line: string, row: ListedRow | undefined, { style }: CliContext): string {
  if (row === undefined) return line;
  if ("away" in row) return style.red(line);
  const { host, session } = row;
  const after = escapeForDisplay(joinAddress({ machine: host, session: session.name })).length;
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
