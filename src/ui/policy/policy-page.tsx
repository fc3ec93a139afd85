/** A dry run: what a policy would have decided about the tool calls of a recorded session, updated while it is edited. */
import "./policy.css";
import { useRef, useState, type ChangeEvent, type ReactElement, type RefObject, useId } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon, messageOf } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { CallTable } from "../parts/call-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Link } from "../parts/link.tsx";
import { notify } from "../parts/notice.ts";
import { navigate, sessionPath } from "../router.ts";
import type { ListedSession } from "../sessions/attention.ts";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { useDryRun, type DryRun, type DryRunState, type ReplayedCall } from "./use-dry-run.ts";

const TEXT_KEY = "lectern-policy";

const example = `version: 1
default: ask
rules:
  - { id: look, effect: allow, command: ["ls **", "cat **"] }
  - { id: no-rm, effect: deny, command: rm ** }
`;

export function PolicyPage({ query }: { readonly query: URLSearchParams }): ReactElement {
  const { views } = useStore(sessionList);
  const chosen = views.find(({ session }) => session.name === query.get("session"))?.session;
  const [text, setText] = useState(() => sessionStorage.getItem(TEXT_KEY) ?? example);
  const field = useRef<HTMLTextAreaElement>(null);
  const state = useDryRun(chosen?.id, text);
  const change = (next: string): void => {
    sessionStorage.setItem(TEXT_KEY, next);
    setText(next);
  };
  return (
    <main className="page" id="main">
      <div className="page-head">
        <h1>Try a policy</h1>
        <p className="counts">Nothing is executed.</p>
        <div className="page-tools policy-tools">
          <SessionChoice views={views} chosen={chosen?.name} />
          <OpenFile onText={change} />
          <Button
            disabled={chosen === undefined}
            onClick={() => void ownPolicy(chosen?.id).then((own) => own !== undefined && change(own))}
          >
            Policy of the session
          </Button>
        </div>
      </div>
      <div className="policy">
        <PolicyEditor text={text} problems={state.run?.problems ?? []} onChange={change} field={field} />
        <section aria-label="What it would have decided" data-stale={state.isStale}>
          <Outcome state={state} session={chosen?.name} field={field} />
        </section>
      </div>
    </main>
  );
}

interface SessionChoiceProps {
  readonly views: readonly ListedSession[];
  readonly chosen: string | undefined;
}

/** Agents first, because only their calls go through the gateway. */
function SessionChoice({ views, chosen }: SessionChoiceProps): ReactElement {
  const sessions = views
    .map(({ session }) => session)
    .toSorted((first, second) => Number(second.agent !== null) - Number(first.agent !== null));
  return (
    <label className="policy-session">
      <span className="visually-hidden">Recorded session</span>
      <select
        value={chosen ?? ""}
        onChange={({ target }) =>
          navigate(target.value === "" ? "/policy" : `/policy?session=${encodeURIComponent(target.value)}`, {
            replace: true,
          })
        }
      >
        <option value="">Choose a session</option>
        {sessions.map(({ id, name, agent }) => (
          <option key={id} value={name}>
            {agent === null ? name : `${name} (${agent})`}
          </option>
        ))}
      </select>
    </label>
  );
}

function OpenFile({ onText }: { readonly onText: (text: string) => void }): ReactElement {
  const open = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const [file] = target.files ?? [];
    target.value = "";
    file?.text().then(onText, (error: unknown) => notify(messageOf(error), "problem"));
  };
  return (
    <label className="button policy-file">
      Open a file
      <input type="file" className="visually-hidden" accept=".yaml,.yml,.json" onChange={open} />
    </label>
  );
}

/** The policy of the session; undefined after a notice if there is none. */
async function ownPolicy(session = ""): Promise<string | undefined> {
  try {
    const { policy } = await daemon().call("policy.get", { session });
    if (policy === null) notify("The session has no policy: it does not run through the gateway", "problem");
    return policy ?? undefined;
  } catch (error) {
    notify(messageOf(error), "problem");
    return undefined;
  }
}

interface OutcomeProps {
  readonly state: DryRunState;
  readonly session: string | undefined;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

function Outcome({ state: { run, problem }, session, field }: OutcomeProps): ReactElement | null {
  if (problem !== undefined) return <p className="form-problem">{problem}</p>;
  if (run === undefined) return null;
  if (!run.ok) return <p className="empty-line">The policy has errors: see its problems.</p>;
  if (session === undefined) return <p className="empty-line">The policy is valid. Choose a session to try it on.</p>;
  if (run.calls.length === 0) {
    return (
      <Empty title="No tool calls in the journal" command="lectern run --wire -- claude">
        <p>Only calls of agents that run through the gateway are recorded:</p>
      </Empty>
    );
  }
  return (
    <>
      <p className="policy-sum" role="status">
        {sumText(run)}
      </p>
      <CallTable heads={["Decision", "Call", "By", "Then"]}>
        {run.calls.map((call) => (
          <CallRow key={`${call.offset} ${call.id}`} call={call} session={session} field={field} />
        ))}
      </CallTable>
    </>
  );
}

interface CallRowProps {
  readonly call: ReplayedCall;
  readonly session: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

function CallRow({ call, session, field }: CallRowProps): ReactElement {
  const { decision, tool, offset, recorded, changed } = call;
  const { rule } = decision;
  return (
    <tr data-changed={changed}>
      <td>
        <span className="effect" data-effect={decision.effect}>
          {decision.effect}
        </span>
      </td>
      <td>
        <Link to={sessionPath(session, "replay", `at=${offset}`)} className="policy-call">
          {escapeForDisplay(tool)}: <code>{escapeForDisplay(decision.evidence)}</code>
        </Link>
      </td>
      <td>
        {rule === null ? (
          decision.source
        ) : (
          <button type="button" className="policy-rule" onClick={() => goToLine(field.current, rule.line)}>
            {escapeForDisplay(rule.id)}, line {rule.line}
          </button>
        )}
      </td>
      <td>{recorded === null ? "" : changed ? <strong>{recorded}</strong> : recorded}</td>
    </tr>
  );
}

function sumText({ calls, counts, changed, leftOut }: DryRun): string {
  const { allow, ask, deny } = counts;
  const sum = `${calls.length} ${calls.length === 1 ? "call" : "calls"}: ${allow} allow, ${ask} ask, ${deny} deny. ${changed} decided differently at the time.`;
  return leftOut === 0 ? sum : `${sum} ${leftOut} were skipped: too many, or with arguments too long to be recorded.`;
}

// A text editor with line numbers. Lines with problems are marked, and each problem links to its line.

type Problem = DryRun["problems"][number];

interface PolicyEditorProps {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** The minimum height of the editor. */
const LINES_MIN = 14;

function PolicyEditor({ text, problems, onChange, field }: PolicyEditorProps): ReactElement {
  const problemsId = useId();
  const lines = text.split("\n").length;
  const worst = new Map(problems.map(({ line, severity }) => [line, severity]));
  for (const { line, severity } of problems) if (severity === "error") worst.set(line, severity);
  return (
    <div className="policy-editor">
      <div className="policy-text">
        <ol aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <li key={index} data-problem={worst.get(index + 1)}>
              {index + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={field}
          aria-label="Policy"
          aria-describedby={problemsId}
          aria-invalid={problems.some(({ severity }) => severity === "error")}
          autoCapitalize="none"
          autoComplete="off"
          rows={Math.max(LINES_MIN, lines)}
          spellCheck={false}
          value={text}
          wrap="off"
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      <div id={problemsId} role="status" aria-label="Problems">
        <ul className="policy-problems">
          {problems.map(({ line, column, severity, message }) => (
            <li key={`${line} ${column} ${message}`} data-severity={severity}>
              <button type="button" onClick={() => goToLine(field.current, line)}>
                Line {line}
              </button>
              <span>{escapeForDisplay(message)}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Selects a line. */
function goToLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  const before = field.value.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, each) => sum + each.length + 1, 0);
  const end = field.value.indexOf("\n", start);
  field.focus();
  field.setSelectionRange(start, end === -1 ? field.value.length : end);
}
