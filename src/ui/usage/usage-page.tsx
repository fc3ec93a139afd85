/** Tokens and cost of all sessions with the gateway: by day as a chart, and by session, agent, model or day as a table. */
import { useCallback, type ReactElement } from "react";
import type { OutputOf } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { UsageSum } from "../../core/usage/usage-hours.ts";
import { costWords, tokenWords } from "../../features/usage/core/usage-words.ts";
import { daemon } from "../api.ts";
import { Empty } from "../parts/empty.tsx";
import { Link } from "../parts/link.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { navigate, sessionPath } from "../router.ts";
import { useAnswer } from "../use-answer.ts";
import "./usage.css";
import type { UsageRow } from "../../features/usage/core/usage-report.ts";

type Answer = OutputOf<"usage.list">;

const kinds = { session: "Session", agent: "Agent", model: "Model", day: "Day" } as const;
type Kind = keyof typeof kinds;
const isKind = (text: string | null): text is Kind => text !== null && Object.hasOwn(kinds, text);

/** Days back; 0 for all. */
const spans: readonly (readonly [days: number, words: string])[] = [
  [1, "24 hours"],
  [7, "7 days"],
  [30, "30 days"],
  [0, "All"],
];
const DAY_MS = 86_400_000;

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

function useUsage(by: Kind, days: number): ReturnType<typeof useAnswer<Answer>> {
  const ask = useCallback(
    (signal: AbortSignal) => {
      const since = days === 0 ? undefined : new Date(Date.now() - days * DAY_MS).toISOString();
      return daemon().call("usage.list", { by, since, timeZone }, { signal });
    },
    [by, days],
  );
  return useAnswer(ask);
}

export function UsagePage({ query }: { readonly query: URLSearchParams }): ReactElement {
  const wanted = query.get("by");
  const by = isKind(wanted) ? wanted : "session";
  const given = Number(query.get("days") ?? 7);
  const days = spans.find(([known]) => known === given)?.[0] ?? 7;
  const { value, problem } = useUsage(by, days);
  const byDay = useUsage("day", days).value;
  const choose = (next: { readonly by?: string; readonly days?: string }): void =>
    navigate(`/usage?${new URLSearchParams({ by, days: String(days), ...next })}`, { replace: true });
  return (
    <main className="page" id="main">
      <PageHead
        title="Usage"
        tools={
          <>
            <label className="usage-choice">
              By
              <select value={by} onChange={({ target }) => choose({ by: target.value })}>
                {Object.entries(kinds).map(([kind, title]) => (
                  <option key={kind} value={kind}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
            <label className="usage-choice">
              Last
              <select value={days} onChange={({ target }) => choose({ days: target.value })}>
                {spans.map(([span, words]) => (
                  <option key={span} value={span}>
                    {words}
                  </option>
                ))}
              </select>
            </label>
          </>
        }
      />
      {problem === undefined ? null : <p className="form-problem">{problem}</p>}
      {value === undefined ? null : value.rows.length === 0 ? (
        <Empty title="No usage in this time" command="lectern run --wire -- claude">
          <p>Tokens and cost are counted for agents that run through the gateway:</p>
        </Empty>
      ) : (
        <>
          <Total sum={value.total} />
          {byDay === undefined || byDay.rows.length < 2 ? null : <UsageChart rows={byDay.rows} />}
          <UsageTable rows={value.rows} by={by} />
          {value.isCut ? <p>Older hours are left out, because there are too many: choose a shorter time.</p> : null}
        </>
      )}
    </main>
  );
}

function Total({ sum }: { readonly sum: UsageSum }): ReactElement {
  const facts: readonly (readonly [string, string])[] = [
    ["Cost", costWords(sum)],
    ["Answers", String(sum.requests)],
    ["Input tokens", tokenWords(sum.input)],
    ["of them cached", tokenWords(sum.cachedInput)],
    ["Output tokens", tokenWords(sum.output)],
  ];
  return (
    <>
      <dl className="usage-total">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {sum.unpriced === 0 ? null : (
        <p className="usage-note">
          {`The price of ${sum.unpriced} ${sum.unpriced === 1 ? "answer" : "answers"} is not known, so it is not in the cost.`}
        </p>
      )}
    </>
  );
}

function UsageTable({ rows, by }: { readonly rows: Answer["rows"]; readonly by: Kind }): ReactElement {
  return (
    // A scrollable region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-box" tabIndex={0} role="region" aria-label="Usage">
      <table className="usage-table">
        <thead>
          <tr>
            {[kinds[by], "Cost", "Answers", "Input", "Cached", "Output"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, ...sum }) => (
            <tr key={key ?? ""}>
              <th scope="row">
                {by === "session" && key !== null ? (
                  <Link to={sessionPath(key)}>{escapeForDisplay(name ?? key)}</Link>
                ) : (
                  escapeForDisplay(name ?? "not known")
                )}
              </th>
              <td>{costWords(sum)}</td>
              <td>{sum.requests}</td>
              <td>{tokenWords(sum.input)}</td>
              <td>{tokenWords(sum.cachedInput)}</td>
              <td>{tokenWords(sum.output)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const HEIGHT = 100;
/** A bar and its gap, in the units of the drawing. */
const STEP = 10;
const BAR = 7;
/** Beyond it a bar is thinner than a pixel of a phone. */
const DAYS_MAX = 92;

/** Bars, one for each day: cost if there is any, else tokens. The table has the same figures, by day. */
function UsageChart({ rows }: { readonly rows: readonly UsageRow[] }): ReactElement {
  const shown = rows.slice(-DAYS_MAX);
  const isCost = shown.some(({ costUsd }) => costUsd > 0);
  const sizeOf = (row: UsageRow): number => (isCost ? row.costUsd : row.input + row.output);
  const wordsOf = (row: UsageRow): string => (isCost ? costWords(row) : `${tokenWords(sizeOf(row))} tokens`);
  const most = shown.reduce((largest, row) => (sizeOf(row) > sizeOf(largest) ? row : largest));
  const [first] = shown;
  const last = shown.at(-1);
  // Without a gap after the last one.
  const width = shown.length * STEP - (STEP - BAR);
  return (
    <figure className="usage-chart">
      <figcaption>{`${isCost ? "Cost" : "Tokens"} by day, at most ${wordsOf(most)} on ${most.key ?? ""}`}</figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {shown.map((row, index) => {
          const height = sizeOf(most) === 0 ? 0 : Math.max(1, (sizeOf(row) / sizeOf(most)) * HEIGHT);
          return (
            <rect key={row.key} x={index * STEP} y={HEIGHT - height} width={BAR} height={height}>
              <title>{`${row.key ?? ""}: ${wordsOf(row)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="usage-axis" aria-hidden="true">
        <span>{first?.key}</span>
        <span>{last?.key}</span>
      </div>
    </figure>
  );
}
