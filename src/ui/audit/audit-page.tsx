/** The audit log as calls, with a verification of its chain. */
import "./audit.css";
import { useState, type ReactElement } from "react";
import type { OutputOf } from "../../client.ts";
import type { CallRecord } from "../../core/gate/call-record.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon, messageOf } from "../api.ts";
import { CallTable } from "../parts/call-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { FilterField, PageHead } from "../parts/page-head.tsx";
import { Link } from "../parts/link.tsx";
import { auditNews } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";
import { auditCalls, matchesAuditFilter, resultOf } from "./audit-calls.ts";
import { CallDetails } from "./call-details.tsx";

const ROWS_MAX = 1000;

const ask = (signal: AbortSignal) => daemon().call("audit.list", { limit: ROWS_MAX }, { signal });

export function AuditPage(): ReactElement {
  const { value, problem } = useAnswer(ask, useStore(auditNews));
  const [filter, setFilter] = useState("");
  const calls = auditCalls(value?.rows ?? []);
  const shown = calls.filter((call) => matchesAuditFilter(call, filter));
  const [opened, setOpened] = useState<string>();
  const open = calls.find((call) => keyOf(call) === opened);
  return (
    <main className="page" id="main">
      <PageHead
        title="Audit"
        tools={
          <>
            <Link to="/usage" className="button">
              Usage
            </Link>
            <Link to="/policy" className="button">
              Try a policy
            </Link>
            <FilterField label="Filter calls" value={filter} onChange={setFilter} />
          </>
        }
      >
        <Verification />
      </PageHead>
      {problem === undefined ? null : <p className="form-problem">{problem}</p>}
      {value !== undefined && calls.length === 0 ? (
        <Empty title="No call was recorded yet" command="lectern run --wire -- claude">
          <p>Calls of agents that run through the gateway are decided by rules and recorded here:</p>
        </Empty>
      ) : null}
      {calls.length > 0 && shown.length === 0 ? <p className="empty-line">No call matches “{filter}”.</p> : null}
      {shown.length === 0 ? null : (
        <CallTable heads={["When", "Tool", "What", "Decision", "By", "Outcome"]}>
          {shown.map((record) => (
            <CallRow key={keyOf(record)} record={record} onOpen={() => setOpened(keyOf(record))} />
          ))}
        </CallTable>
      )}
      {open === undefined ? null : (
        <CallDetails record={open} rows={value?.rows ?? []} onClose={() => setOpened(undefined)} />
      )}
    </main>
  );
}

/** A call that no rule judged has no evidence. */
function shownText({ call, decision }: CallRecord): string {
  const evidence = decision?.evidence ?? "";
  return evidence === "" ? call : evidence;
}

const keyOf = ({ call, session }: CallRecord): string => `${session} ${call}`;

function CallRow({ record, onOpen }: { readonly record: CallRecord; readonly onOpen: () => void }): ReactElement {
  const { decision, final, timeMs } = record;
  return (
    <tr>
      <td>
        <time dateTime={new Date(timeMs).toISOString()}>{new Date(timeMs).toLocaleString()}</time>
      </td>
      <td>{escapeForDisplay(decision?.tool ?? "")}</td>
      <td>
        <button type="button" className="audit-open" aria-haspopup="dialog" onClick={onOpen}>
          {escapeForDisplay(shownText(record))}
        </button>
      </td>
      <td>
        <span className="effect" data-effect={final?.effect}>
          {final?.effect ?? "undecided"}
        </span>
      </td>
      <td>{escapeForDisplay(final?.by ?? "")}</td>
      <td>{resultOf(record)}</td>
    </tr>
  );
}

type Outcome = OutputOf<"audit.verify"> | { readonly problem: string };

function Verification(): ReactElement {
  const [outcome, setOutcome] = useState<Outcome>();
  const verify = async (): Promise<void> => {
    setOutcome(
      await daemon()
        .call("audit.verify", {})
        .catch((error: unknown) => ({ problem: messageOf(error) })),
    );
  };
  return (
    <>
      <button type="button" className="button" onClick={() => void verify()}>
        <Icon name="check" /> Verify the chain
      </button>
      <p
        className="verification"
        role="status"
        data-fine={outcome === undefined || !("intact" in outcome) || outcome.intact}
      >
        {outcome === undefined ? "" : outcomeText(outcome)}
      </p>
    </>
  );
}

function outcomeText(outcome: Outcome): string {
  if (!("intact" in outcome)) return outcome.problem;
  return outcome.intact ? `All ${outcome.rows} rows are unchanged` : outcome.message;
}
