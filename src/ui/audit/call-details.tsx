/** One call of the audit log in full: its arguments, each judged part with its rule, and its rows. */
import type { ReactElement } from "react";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { auditWords, ruleText, shownArguments, type CallRecord } from "../../core/gate/call-record.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { CallTable } from "../parts/call-table.tsx";
import { Code } from "../parts/code.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { resultOf, type AuditLogRow } from "./audit-calls.ts";

interface CallDetailsProps {
  readonly record: CallRecord;
  /** Of any calls. */
  readonly rows: readonly AuditLogRow[];
  readonly onClose: () => void;
}

export function CallDetails({ record, rows, onClose }: CallDetailsProps): ReactElement {
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
