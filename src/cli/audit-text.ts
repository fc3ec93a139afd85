/** Formats rows of the audit log. */
import { LecternError } from "../core/errors.ts";
import type { AuditRow, ChainHead } from "../core/gate/audit-chain.ts";
import { auditWords, ruleText, shownArguments, type CallRecord } from "../core/gate/call-record.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import type { ShownRow } from "../protocol/audit.ts";
import type { Style } from "./style.ts";

/** `12 2026-11-22T02:30:00.000Z s1 call_1 bash allow by ls (line 3): ls -a`. */
export function auditRowLine({ sequence, row }: ShownRow, style: Style): string {
  const time = new Date(row.timeMs).toISOString();
  const event = auditWords(row as unknown as AuditRow);
  const text = escapeForDisplay(`${row.session} ${row.call} ${event}`);
  const isRefusal = row["effect"] === "deny" && row["enforced"] !== false;
  return `${sequence} ${style.dim(time)} ${isRefusal ? style.red(text) : text}`;
}

/** A call in full: what ran, each part with its rule, the rows in order, and who had the last word. */
export function callText(
  { call, decision, final, session }: CallRecord,
  rows: readonly ShownRow[],
  style: Style,
): string {
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
