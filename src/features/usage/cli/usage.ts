/** Shows what sessions with the gateway used: tokens and cost. */
import { USAGE_BY, type UsageBy } from "../core/usage-report.ts";
import { escapeForDisplay } from "../../../core/text/escape.ts";
import { LecternError } from "../../../core/errors.ts";
import { costWords, tokenWords } from "../core/usage-words.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { printTable } from "../../../cli/columns.ts";
import { defineCommand, jsonOption } from "../../../cli/command.ts";
import { parseDuration } from "../../../core/text/quantities.ts";

type Answer = OutputOf<"usage.list">;
type Row = Answer["rows"][number];

export const usage = defineCommand({
  name: "usage",
  summary: "Show tokens and cost by session, agent, label, model or day",
  details: [
    "Counts answers of models in sessions that run with --wire, also of sessions that have ended, until they",
    'are removed. "+ ?" after a cost: the price of some answers is not known, so they are not in it.',
    "Days begin at midnight of this machine.",
  ],
  arguments: [],
  options: {
    by: { type: "text", placeholder: "WHAT", summary: "session, agent, model, label:KEY or day; default: day" },
    since: { type: "text", placeholder: "TIME", summary: "Only from a date on, or a duration such as 12h or 7d" },
    csv: { type: "flag", summary: "Print comma-separated values" },
    json: jsonOption,
  },
  examples: ["lectern usage", "lectern usage --by session --since 7d", "lectern usage --by label:team --csv"],
  async run({ options }, context) {
    if (options.csv && options.json) throw new LecternError("USAGE", "Cannot use --csv with --json: choose one");
    const what = byOf(options.by ?? "day");
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const since = options.since === undefined ? undefined : sinceOf(options.since, Date.now());
    const answer = await context.call("usage.list", { ...what, since, timeZone });
    if (answer.isCut) context.note("Older hours are left out, because there are too many: use a later --since");
    if (options.json) await context.print(JSON.stringify(answer));
    else if (options.csv) await context.print(csvOf(answer, what.by).join("\n"));
    else if (answer.rows.length === 0)
      await context.print('No answer of a model was seen: start an agent with "lectern run --wire -- AGENT"');
    else await printTable(tableOf(answer, what.by), context, { width: context.stdout.columns });
  },
});

function byOf(text: string): { readonly by: UsageBy; readonly label?: string } {
  const label = /^label:(.+)$/.exec(text)?.[1];
  if (label !== undefined) return { by: "label", label };
  const by = USAGE_BY.find((known) => known === text && known !== "label");
  if (by !== undefined) return { by };
  throw new LecternError("USAGE", `Cannot add up by "${text}": wanted session, agent, model, label:KEY or day`);
}

function sinceOf(text: string, nowMs: number): string {
  const duration = parseDuration(text);
  const ms = duration === undefined ? Date.parse(text) : nowMs - duration;
  if (Number.isFinite(ms)) return new Date(ms).toISOString();
  throw new LecternError(
    "USAGE",
    `Cannot read --since "${text}": wanted a date such as 2026-11-01, or a duration such as 7d`,
  );
}

const nameOf = ({ name }: Pick<Row, "name">): string => (name === null ? "-" : escapeForDisplay(name));

function tableOf({ rows, total }: Answer, by: UsageBy): string[][] {
  const cells = (name: string, row: Omit<Row, "key" | "name">): string[] => [
    name,
    String(row.requests),
    tokenWords(row.input),
    tokenWords(row.cachedInput),
    tokenWords(row.output),
    costWords(row),
  ];
  const head = [by.toUpperCase(), "ANSWERS", "INPUT", "CACHED", "OUTPUT", "COST"];
  const all = rows.map((row) => cells(nameOf(row), row));
  return [head, ...all, ...(rows.length > 1 ? [cells("total", total)] : [])];
}

function csvOf({ rows }: Answer, by: UsageBy): string[] {
  const head = `${by},name,answers,input_tokens,cached_input_tokens,output_tokens,reasoning_tokens,cost_usd,answers_without_price`;
  const lines = rows.map(({ cachedInput, costUsd, input, key, name, output, reasoning, requests, unpriced }) =>
    [quoted(key), quoted(name), requests, input, cachedInput, output, reasoning, costUsd, unpriced].join(","),
  );
  return [head, ...lines];
}

/** A spreadsheet runs no formula that is in a name. */
function quoted(text: string | null): string {
  const safe = escapeForDisplay(text ?? "").replace(/^[=+\-@]/, "'$&");
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
