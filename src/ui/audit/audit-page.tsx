/** The audit log as calls, with a verification of its chain. */
import "./audit.css";
import { useState, type ReactElement } from "react";
import type { OutputOf } from "../../client.ts";
import { type CallRecord, auditWords, ruleText, shownArguments } from "../../core/gate/call-record.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon, messageOf } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { CallTable } from "../parts/call-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { FilterField, PageHead } from "../parts/page-head.tsx";
import { Link } from "../parts/link.tsx";
import { auditNews } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";
import { auditCalls, matchesAuditFilter, resultOf, type AuditLogRow } from "./audit-calls.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { Code } from "../parts/code.tsx";
import { ModalDialog } from "../parts/dialog.tsx";

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
      <Button onClick={() => void verify()}>
        <Icon name="check" /> Verify the chain
      </Button>
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

interface CallDetailsProps {
  readonly record: CallRecord;
  /** Of any calls. */
  readonly rows: readonly AuditLogRow[];
  readonly onClose: () => void;
}

/** One call of the audit log in full: its arguments, each judged part with its rule, and its rows. */
function CallDetails({ record, rows, onClose }: CallDetailsProps): ReactElement {
  const { call, decision, final, session } = record;
  const given = decision?.arguments === undefined ? [] : shownArguments(decision.arguments);
  return (
    <ModalDialog
      title={escapeForDisplay(`${decision?.tool ?? "Call"} ${call}`)}
      className="audit-call"
      onClose={onClose}
    >
      <p>
        <span className="effect" data-effect={final?.effect}>
          {final?.effect ?? "undecided"}
        </span>{" "}
        {escapeForDisplay(final === null ? "" : `by ${final.by}`)} {resultOf(record)}
      </p>
      {given.map(({ name, value }) => (
        <section key={name} aria-label={escapeForDisplay(name)}>
          <h3>{escapeForDisplay(name)}</h3>
          <Code text={value} />
        </section>
      ))}
      <Parts decision={decision} />
      <ol aria-label="Rows">
        {rows
          .filter(({ row }) => row.call === call && row.session === session)
          .map(({ row, sequence }) => (
            <li key={sequence}>
              {sequence}{" "}
              <time dateTime={new Date(row.timeMs).toISOString()}>{new Date(row.timeMs).toLocaleTimeString()}</time>{" "}
              {escapeForDisplay(auditWords(row as unknown as AuditRow))}
            </li>
          ))}
      </ol>
    </ModalDialog>
  );
}

function Parts({ decision }: Pick<CallRecord, "decision">): ReactElement | null {
  const { parts = [], partsLeftOut = 0 } = decision ?? {};
  if (parts.length === 0) return null;
  return (
    <>
      <CallTable heads={["Part", "Decision", "By"]}>
        {parts.map(({ effect, text, ...rule }, index) => (
          // The same part may occur twice.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={index}>
            <td>
              <code>{escapeForDisplay(text)}</code>
            </td>
            <td>
              <span className="effect" data-effect={effect}>
                {effect}
              </span>
            </td>
            <td>{escapeForDisplay(ruleText(rule))}</td>
          </tr>
        ))}
      </CallTable>
      {partsLeftOut === 0 ? null : <p>and {partsLeftOut} more parts</p>}
    </>
  );
}
