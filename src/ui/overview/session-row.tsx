import { memo, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { dollars, shortCount } from "../../core/text/amounts.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Link } from "../parts/link.tsx";
import { EvidencePanel } from "../sessions/evidence.tsx";
import { GateMark } from "../parts/gate-mark.tsx";
import { SandboxMark } from "../parts/sandbox-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { sessionPath } from "../router.ts";
import type { ListedSession } from "../sessions/attention.ts";
import { rowWords } from "./row-words.ts";
import { SessionMenu } from "../sessions/session-menu.tsx";
import { Sparkline } from "../sessions/sparkline.tsx";

/** A session in the list. Rendered again only when its view changes. */
export const SessionRow = memo(function SessionRow({ view }: { readonly view: ListedSession }): ReactElement {
  const { session, standing, sinceMs, activity } = view;
  return (
    <li className="row" data-standing={standing}>
      <EvidencePanel session={session.id} standing={standing} />
      <div className="row-main">
        <Link to={sessionPath(session.name)} className="row-name">
          {session.name}
        </Link>
        <Labels labels={session.labels} />
        <UsageWords usage={session.usage} />
        <GateMark gate={session.gate} />
        <SandboxMark sandbox={session.sandbox} />
        <p className="row-words truncate">{rowWords(view)}</p>
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
