import { LecternError } from "../../core/errors.ts";
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import { callRecords, auditWords, ruleText, shownArguments, type CallRecord } from "../../core/gate/call-record.ts";
import { waits } from "../../core/waits.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { Session } from "../../protocol/session.ts";
import { gateCounts } from "../session-text.ts";
import { printTable } from "../columns.ts";
import { askAgain } from "../ask-again.ts";
import { defineCommand, sessionOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import type { ShownRow } from "../../protocol/audit.ts";
import type { Style } from "../style.ts";

const LIMIT_DEFAULT = 200;
const PAGE_ROWS = 1000;

export const audit = defineCommand({
  name: "audit",
  summary: "Show or verify the log of tool calls: question, rule, start, end",
  details: [
    "ls (default) prints rows; show prints one call in full: its arguments, each judged part with its rule, and what",
    "the agent did with the decision; open lists calls that are undecided, approved or unfinished;",
    "verify reports the first row that was changed, removed or inserted, and exits with 1. It also compares the log",
    "with the rows that sessions have recorded in their journals.",
    'Store the head that verify prints elsewhere and verify against it: "lectern audit verify --head 12:5f1c...".',
  ],
  arguments: [
    { name: "action", summary: "One of", count: "optional", choices: ["ls", "show", "open", "verify"] },
    { name: "call", summary: "With show: the id of a call, which its rows have after the session", count: "optional" },
  ],
  options: {
    follow: { type: "flag", short: "f", summary: "Keep printing new rows" },
    session: sessionOption,
    tail: {
      type: "number",
      short: "n",
      placeholder: "N",
      minimum: 1,
      maximum: PAGE_ROWS,
      summary: "Number of last rows; default: 200",
    },
    all: { type: "flag", short: "a", summary: "Start at the first row" },
    head: { type: "text", placeholder: "N:HASH", summary: "With verify: a head that the log must contain" },
    json: { type: "flag", summary: "Print JSON, one per line" },
  },
  examples: [
    "lectern audit",
    "lectern audit -f --session claude",
    "lectern audit show toolu_01",
    "lectern audit open",
    "lectern audit verify",
  ],
  async run({ arguments: { action = "ls", call }, options }, context) {
    if (options.head !== undefined && action !== "verify")
      throw new LecternError("USAGE", 'Cannot use --head here: it is an option of "lectern audit verify"');
    if ((action === "show") !== (call !== undefined))
      throw new LecternError("USAGE", 'Name one call, and only with show: "lectern audit show CALL"');
    if (call !== undefined) return showCall(call, options, context);
    if (action === "verify") return verify(options.head, options.json, context);
    if (action === "open") return listOpen(options.json, context);
    const { all, follow, json, session, tail = LIMIT_DEFAULT } = options;
    if (session !== undefined && !json) await noteGate(session, context);
    await listRows({ session, follow, json, context }, all ? { from: 0, limit: PAGE_ROWS } : { limit: tail });
  },
});

/** The rows of a session outlive it; the list refuses one that never had any. */
function gateOfRemoved(error: unknown): Pick<Session, "gate" | "name"> {
  if (error instanceof LecternError && error.code === "SESSION_NOT_FOUND") return { gate: null, name: "" };
  throw error;
}

/** On standard error, because each line of standard output is a row. */
async function noteGate(session: string, context: CliContext): Promise<void> {
  const { gate, name } = await context.call("sessions.get", { session }).catch(gateOfRemoved);
  if (gate === null) return;
  const state =
    gate.state === "on" ? "gate on" : context.errorStyle.red(`NOT GATED: ${escapeForDisplay(gate.evidence ?? "")}`);
  context.note(`${name}: ${state}; ${gateCounts(gate, Date.now())}`);
}

interface Reading {
  readonly session: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
  readonly context: CliContext;
}

async function listRows(reading: Reading, start: { readonly from?: number; readonly limit: number }): Promise<void> {
  const { context, follow, json, session } = reading;
  if (follow) context.endWithReader();
  let page = await context.call("audit.list", { session, ...start });
  for (;;) {
    for (const row of page.rows) await context.print(json ? JSON.stringify(row) : auditRowLine(row, context.style));
    if (page.next >= page.end && !follow) return;
    const waitMs = page.next >= page.end ? waits.longPollMs : 0;
    const input = { session, from: page.next, limit: PAGE_ROWS, waitMs };
    page = await askAgain(context, (next) => next.call("audit.list", input, { signal: context.signal }));
  }
}

/** Ids are those of the provider, and two sessions may have the same. */
async function showCall(
  call: string,
  { json, session }: { readonly json: boolean; readonly session: string | undefined },
  context: CliContext,
): Promise<void> {
  const { rows } = await context.call("audit.list", { call, session, from: 0, limit: PAGE_ROWS });
  if (rows.length === 0)
    throw new LecternError("NOT_FOUND", `Cannot find the call "${call}" in the audit log: "lectern audit" lists calls`);
  for (const record of callRecords(rows.map(({ row }) => row as unknown as AuditRow))) {
    const own = rows.filter(({ row }) => row.session === record.session);
    await context.print(json ? JSON.stringify({ ...record, rows: own }) : callText(record, own, context.style));
  }
}

async function listOpen(json: boolean, context: CliContext): Promise<void> {
  const { calls } = await context.call("audit.open", { limit: PAGE_ROWS });
  if (json) return await context.print(JSON.stringify({ calls }));
  const rows = calls.map((row) => [
    row.stage,
    row.session,
    row.call,
    row.tool ?? "",
    new Date(row.timeMs).toISOString(),
  ]);
  await printTable([["STAGE", "SESSION", "CALL", "TOOL", "SINCE"], ...rows], context);
}

async function verify(head: string | undefined, json: boolean, context: CliContext): Promise<number> {
  const result = await context.call("audit.verify", { head: head === undefined ? undefined : parseHead(head) });
  if (json) await context.print(JSON.stringify(result));
  else if (result.intact) {
    const { keptHeads, rows } = result;
    const heads = keptHeads === 1 ? "1 head" : `${keptHeads} heads`;
    const agree = keptHeads === 0 ? "" : `\nIt agrees with ${heads} in the journals of sessions`;
    await context.print(
      rows === 0
        ? "The audit log is empty, and no session recorded a row"
        : `The audit log is intact: ${rows} rows, head ${result.head.sequence}:${result.head.hash}${agree}`,
    );
  } else {
    context.note(`${context.errorStyle.red("lectern:")} ${result.message}`);
    context.note(
      `Keep a copy of "${context.paths.auditDirectory}" as evidence: the daemon adds new rows to the same files`,
    );
  }
  return result.intact ? 0 : 1;
}

/** `12 2026-11-22T02:30:00.000Z s1 call_1 bash allow by ls (line 3): ls -a`. */
export function auditRowLine({ sequence, row }: ShownRow, style: Style): string {
  const time = new Date(row.timeMs).toISOString();
  const event = auditWords(row as unknown as AuditRow);
  const text = escapeForDisplay(`${row.session} ${row.call} ${event}`);
  const isRefusal = row["effect"] === "deny" && row["enforced"] !== false;
  return `${sequence} ${style.dim(time)} ${isRefusal ? style.red(text) : text}`;
}

/** A call in full: what ran, each part with its rule, the rows in order, and who had the last word. */
function callText({ call, decision, final, session }: CallRecord, rows: readonly ShownRow[], style: Style): string {
  const shown = (text: string): string => escapeForDisplay(text);
  const given = decision?.arguments === undefined ? [] : shownArguments(decision.arguments);
  const parts = decision?.parts ?? [];
  const left = decision?.partsLeftOut ?? 0;
  const effect = final === null ? "undecided" : `${final.effect} by ${final.by}`;
  return [
    style.bold(shown(`${decision?.tool ?? "call"} ${call} in session ${session}: ${effect}`)),
    ...given.map(({ name, value }) => `${style.dim(`${shown(name)}:`)} ${value.split("\n").map(shown).join("\n  ")}`),
    ...parts.map((part) => `${part.effect.padEnd("allow".length)} ${shown(`${part.text} (${ruleText(part)})`)}`),
    ...(left === 0 ? [] : [`and ${left} more parts`]),
    ...rows.map((row) => auditRowLine(row, style)),
  ].join("\n");
}

/** Parses `12:5f1c...`. Throws `USAGE`. */
export function parseHead(text: string): ChainHead {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match === null) {
    throw new LecternError(
      "USAGE",
      `Cannot read the head "${text}": wanted NUMBER:HASH, as "lectern audit verify" prints it`,
    );
  }
  return { sequence: Number(match[1]), hash: match[2] ?? "" };
}
