import { memo, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { dollars, shortCount } from "../../core/text/amounts.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { AnswerOptions } from "../approvals/answer-options.tsx";
import { Link } from "../parts/link.tsx";
import { Name } from "../parts/name.tsx";
import { EvidencePanel } from "../sessions/evidence.tsx";
import { GateMark } from "../parts/gate-mark.tsx";
import { SandboxMark } from "../parts/sandbox-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { sessionPath } from "../router.ts";
import type { ListedSession } from "../sessions/attention.ts";
import { referenceOf } from "../sessions/continued.ts";
import { rowWords } from "./row-words.ts";
import { selection, toggled } from "../sessions/selection.ts";
import { SessionMenu } from "../sessions/session-menu.tsx";
import { Sparkline } from "../sessions/sparkline.tsx";

interface SessionRowProps {
  readonly view: ListedSession;
  /** Undefined while nothing can be selected. */
  readonly isSelected: boolean | undefined;
  /** Ids of all rows, in their order. */
  readonly shown: { readonly current: readonly string[] };
}

/** A longer question is read in the conversation before it is answered. */
const MATTER_CHARS_MAX = 600;

/** A session in the list. Rendered again only when its view changes. */
export const SessionRow = memo(function SessionRow({ view, isSelected, shown }: SessionRowProps): ReactElement {
  const { session, standing, sinceMs, activity } = view;
  return (
    <li className="row" data-standing={standing} data-session={session.id} data-selecting={isSelected !== undefined}>
      {isSelected === undefined ? null : (
        <input
          type="checkbox"
          className="row-select"
          aria-label={`Select ${session.name}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => {
            const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
            selection.set(toggled(selection.get(), session.id, isRange ? shown.current : []));
          }}
        />
      )}
      <EvidencePanel session={session.id} standing={standing} />
      <div className="row-main">
        <Link to={sessionPath(referenceOf(session))} className="row-name" label={session.name}>
          <Name text={session.name} />
        </Link>
        <Labels labels={session.labels} />
        <UsageWords usage={session.usage} />
        <GateMark gate={session.gate} />
        <SandboxMark sandbox={session.sandbox} />
        <p className="row-words truncate">{rowWords(view)}</p>
        {isSelected === undefined ? <RowAnswers view={view} /> : null}
      </div>
      <code className="row-command truncate" title={escapeForDisplay(session.workingDirectory)}>
        {displayCommand(session.command)}
      </code>
      <Sparkline samples={activity} />
      <span className="row-time">{sinceMs === undefined ? null : <Ago sinceMs={sinceMs} />}</span>
      <SessionMenu session={session} />
    </li>
  );
});

/** The options of the question, if all of it stands in the row; otherwise the way to it. */
function RowAnswers({ view }: { readonly view: ListedSession }): ReactElement | null {
  const { approval, session, standing } = view;
  if (approval === undefined || standing !== "blocked" || session.unreachable !== null) return null;
  const isWhole = approval.isComplete && (view.question?.length ?? 0) <= MATTER_CHARS_MAX;
  if (isWhole && approval.options.length > 0) {
    return <AnswerOptions key={approval.id} approval={approval} session={session.id} className="row-answers" />;
  }
  return (
    <div className="row-answers">
      <Link to={sessionPath(session.name, "chat")} className="button">
        Read and answer
      </Link>
    </div>
  );
}

/** Tokens and cost of a session that runs through the gateway. */
function UsageWords({ usage }: Pick<Session, "usage">): ReactElement | null {
  if (usage === null) return null;
  const { requests, input, output, cachedInput } = usage;
  const title = `${requests} requests: ${input} tokens in (${cachedInput} from a cache), ${output} out`;
  return (
    <span className="row-usage note" title={title}>
      <span className="visually-hidden">Used </span>
      {shortCount(input + output)} tokens
      {usage.costUsd === null ? null : <b>{dollars(usage.costUsd)}</b>}
    </span>
  );
}

function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> }): ReactElement | null {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <span className="labels">
      {entries.map(([key, value]) => (
        <span key={key} className="label">
          {key}
          {value === "" ? null : <b>{escapeForDisplay(value)}</b>}
        </span>
      ))}
    </span>
  );
}
