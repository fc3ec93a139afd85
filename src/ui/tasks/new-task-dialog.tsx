/** A task: one agent or several, each in a git worktree of its own, with a first prompt. */
import "./tasks.css";
import { useCallback, useState, type ReactElement } from "react";
import type { InputOf, OutputOf, Session } from "../../client.ts";
import { daemonOn, messageOf, sessionFrom } from "../api.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { formText } from "../parts/form-text.ts";
import { notify } from "../parts/notice.ts";
import { programNameIn } from "../parts/text.ts";
import { navigate, sessionPath } from "../router.ts";
import { closeDialog } from "../sessions/dialogs.ts";
import { learnSession, sessionList } from "../sessions/session-list.ts";
import { MachineField, SandboxField, WireFields, optionsOf } from "../sessions/start-fields.tsx";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";

const AGENTS_MAX = 4;
const OFFERED_MAX = 8;

export function NewTaskDialog(): ReactElement {
  const { views, machines } = useStore(sessionList);
  const [machine, setMachine] = useState<string>();
  const [command, setCommand] = useState("");
  const askAgents = useCallback(
    (signal: AbortSignal) => daemonOn(machine).call("daemon.agents", {}, { signal }),
    [machine],
  );
  const agents = useAnswer(askAgents).value?.agents ?? [];
  const directories = [
    ...new Set(views.map(({ session }) => session.worktree?.repository ?? session.workingDirectory)),
  ].slice(0, 20);
  const start = async (form: FormData): Promise<void> => {
    const started: Session[] = [];
    try {
      for (const input of await inputsOf(form)) {
        const session = sessionFrom(machine, await daemonOn(machine).call("sessions.create", input));
        started.push(session);
        learnSession(session);
      }
    } catch (cause) {
      const before = started.length === 0 ? "" : ` (${started.map(({ name }) => name).join(", ")} started before that)`;
      throw new Error(`${messageOf(cause)}${before}`, { cause });
    }
    finish(started);
  };
  return (
    <FormDialog title="New task" answer="Start" busyAnswer="Starting…" onSubmit={start} onClose={closeDialog}>
      <label className="field">
        <span>Prompt</span>
        <textarea name="prompt" rows={4} required placeholder="What the agent should do" />
        <small className="note">Typed once, when the agent is ready. What it asks before that is for you.</small>
      </label>
      <MachineField machines={machines} value={machine} onChange={setMachine} />
      <AgentField agents={agents} command={command} onChange={setCommand} />
      <Field
        name="directory"
        label="Repository"
        hint="A folder in a git repository. Empty: the folder of the daemon."
        list={directories}
        isCode
      />
      <BranchFields />
      <WireFields agent={agents.find(({ name }) => name === programNameIn(command))} />
    </FormDialog>
  );
}

interface AgentFieldProps {
  readonly agents: OutputOf<"daemon.agents">["agents"];
  readonly command: string;
  readonly onChange: (command: string) => void;
}

/** The command, with the agents that are installed. */
function AgentField({ agents, command, onChange }: AgentFieldProps): ReactElement {
  const installed = agents.filter(({ path }) => path !== null);
  return (
    <>
      <Field
        name="command"
        label="Agent"
        value={command}
        onChange={onChange}
        placeholder={installed[0]?.name ?? "claude"}
        isCode
        isRequired
      />
      {installed.length === 0 ? null : (
        <div className="chips" role="group" aria-label="Installed agents">
          {installed.slice(0, OFFERED_MAX).map(({ name, title }) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={name === command}
              title={title}
              onClick={() => onChange(name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** The branch, where it starts, and how many there are. */
function BranchFields(): ReactElement {
  return (
    <>
      <div className="form-pair">
        <Field
          name="name"
          label="Branch"
          hint="Also the name of the worktree and of the session."
          pattern="[A-Za-z0-9][A-Za-z0-9._\/\-]{0,60}"
          isRequired
          isCode
        />
        <Field
          name="base"
          label="Starts from"
          hint="Empty: the commit that is checked out."
          placeholder="main"
          isCode
        />
      </div>
      <div className="form-pair">
        <label className="field task-count">
          <span>Agents side by side</span>
          <select name="count" defaultValue="1">
            {Array.from({ length: AGENTS_MAX }, (_, index) => (
              <option key={index + 1} value={index + 1}>
                {index === 0 ? "1" : `${index + 1}, each with a branch of its own`}
              </option>
            ))}
          </select>
        </label>
        <SandboxField />
      </div>
      <label className="check">
        <input type="checkbox" name="existing" />
        <span>
          Continue the branch if it exists
          <small className="note">Else an existing one is refused. For one agent.</small>
        </span>
      </label>
    </>
  );
}

async function inputsOf(form: FormData): Promise<InputOf<"sessions.create">[]> {
  const { name = "", ...options } = await optionsOf(form);
  const count = Number(formText(form, "count"));
  const base = formText(form, "base") || undefined;
  const branch = form.get("existing") === null ? undefined : name;
  return Array.from({ length: count }, (_, index) => ({
    ...options,
    worktree: count === 1 ? { name, branch, base } : { name: `${name}-${index + 1}`, group: name, base },
  }));
}

function finish(started: readonly Session[]): void {
  const [first, ...others] = started;
  closeDialog();
  if (first === undefined) return;
  const leftOut = first.worktree?.leftOut ?? 0;
  if (leftOut > 0)
    notify(
      `${leftOut === 1 ? "1 file" : `${leftOut} files`} with changes that are not committed stay in your checkout`,
    );
  if (others.length === 0) navigate(sessionPath(first.name));
  else
    navigate(
      sessionPath(first.name, "changes", `with=${others.map(({ name }) => encodeURIComponent(name)).join(",")}`),
    );
}
