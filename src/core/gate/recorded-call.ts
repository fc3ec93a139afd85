/** What a row of the audit log shows of a call: masked before it is shortened, so that no half of a secret is left. */
import { maskSecrets } from "../text/mask-secrets.ts";
import type { AuditRow, DecidedPart, DecisionRow } from "./audit-chain.ts";
import type { Decision, Verdict } from "./decide.ts";
import { visibleText } from "./visible-text.ts";

/** UTF-16 units of the arguments in a row. */
const ARGUMENTS_CHARS_MAX = 8000;
/** Masks make a text shorter, so more of it is read; at the end of what is read may be the first half of a secret. */
const READ_CHARS_MAX = 12_000;
const HALF_SECRET_CHARS_MAX = 1000;
/** UTF-16 units of the evidence and of each part; longer ones end with "…". */
const EVIDENCE_CHARS_MAX = 200;
const PARTS_MAX = 64;
/** UTF-16 units of all parts of a row. */
const PARTS_CHARS_MAX = 4000;

/** The arguments for a row. A text that was shortened says so in its last line. */
export function recordedArguments(text: string): string {
  const isRead = text.length <= READ_CHARS_MAX;
  const masked = isRead
    ? maskSecrets(text)
    : maskSecrets(text.slice(0, READ_CHARS_MAX)).slice(0, -HALF_SECRET_CHARS_MAX);
  const shown = visibleText(masked, READ_CHARS_MAX);
  if (isRead && shown.length <= ARGUMENTS_CHARS_MAX) return shown.toWellFormed();
  const begin = shown.slice(0, ARGUMENTS_CHARS_MAX).toWellFormed();
  return `${begin}\n[shortened: the arguments have ${text.length} characters]`;
}

/** The parts for a row; none for a call that was judged as a whole. */
export function recordedParts({ verdicts }: Pick<Decision, "verdicts">): Pick<DecisionRow, "parts" | "partsLeftOut"> {
  if (verdicts.length < 2) return {};
  const parts: DecidedPart[] = [];
  let chars = 0;
  for (const verdict of verdicts) {
    const text = recordedEvidence(verdict.evidence);
    chars += text.length;
    if (parts.length === PARTS_MAX || chars > PARTS_CHARS_MAX) break;
    parts.push({ text, effect: verdict.effect, ...deciderOf(verdict) });
  }
  const left = verdicts.length - parts.length;
  return { parts, ...(left > 0 && { partsLeftOut: left }) };
}

/** What decided: a rule with its line, or what applies without one. */
export const deciderOf = ({ rule, source }: Verdict): Pick<DecidedPart, "decidedBy" | "line"> => ({
  decidedBy: rule?.id ?? source,
  line: rule?.line ?? null,
});

export function recordedEvidence(text: string): string {
  const masked = maskSecrets(text);
  return masked.length <= EVIDENCE_CHARS_MAX ? masked : `${masked.slice(0, EVIDENCE_CHARS_MAX - 1).toWellFormed()}…`;
}

/** A row whose texts are masked, whoever made it. Of one that is masked nothing changes. */
export function maskedRow(row: AuditRow): AuditRow {
  if (row.type !== "decision") return row;
  const { arguments: given, evidence, parts } = row;
  return {
    ...row,
    evidence: maskSecrets(evidence),
    ...(given !== undefined && { arguments: maskSecrets(given) }),
    ...(parts !== undefined && { parts: parts.map((part) => ({ ...part, text: maskSecrets(part.text) })) }),
  };
}
