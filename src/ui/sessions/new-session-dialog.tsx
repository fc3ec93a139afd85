import { useCallback, useState, type FormEvent, type ReactElement } from "react";
import type { InputOf, OutputOf } from "../../client.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { quoteShellWords } from "../../core/text/command-line.ts";
import { daemonOn, messageOf, sessionFrom } from "../api.ts";
import { ModalDialog } from "../parts/dialog.tsx";
import { Field, FormProblem } from "../parts/field.tsx";
import { formText } from "../parts/form-text.ts";
import { splitCommandLine } from "../parts/text.ts";
import { navigate, sessionPath } from "../router.ts";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";
import { closeDialog, openDialog } from "./dialogs.ts";
import { parseLabels } from "./labels.ts";
import { learnSession, sessionList } from "./session-list.ts";

type Agent = OutputOf<"daemon.agents">["agents"][number];

/** Suggested after installed agents and recent commands. */
const usual: readonly string[] = ["bash", "python3 -q", "node"];
const OFFERED_MAX = 8;
const RECENT_CHARS_MAX = 30;
const WIRE_KEY = "lectern-wire";

export function NewSessionDialog(): ReactElement {
  const { views, machines } = useStore(sessionList);
  const [machine, setMachine] = useState<string>();
  const askAgents = useCallback(
    (signal: AbortSignal) => daemonOn(machine).call("daemon.agents", {}, { signal }),
    [machine],
  );
  const agents = useAnswer(askAgents).value?.agents ?? [];
  const [command, setCommand] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const installed = agents.filter(({ path }) => path !== null);
  const recent = views.flatMap(({ session }) => chipOf(session.command));
  const offered = [...new Set([...installed.map(({ name }) => name), ...recent, ...usual])].slice(0, OFFERED_MAX);
  const directories = [...new Set(views.map(({ session }) => session.workingDirectory))].slice(0, 20);
  const agent = agents.find(({ name }) => name === programOf(command));
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const input = await inputOf(new FormData(event.currentTarget));
      const session = sessionFrom(machine, await daemonOn(machine).call("sessions.create", input));
      closeDialog();
      learnSession(session);
      navigate(sessionPath(session.name));
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <ModalDialog title="New session" onClose={closeDialog}>
      <form className="form" onSubmit={(event) => void onSubmit(event)}>
        {machines.length === 0 ? null : <MachineField machines={machines} value={machine} onChange={setMachine} />}
        <Field
          name="command"
          label="Command"
          hint="A program and its arguments. There is no shell in between: for pipes, run bash."
          value={command}
          onChange={setCommand}
          placeholder={installed[0]?.name ?? "bash"}
          isCode
          isRequired
        />
        <div className="chips" role="group" aria-label="Usual commands">
          {offered.map((line) => (
            <button
              key={line}
              type="button"
              className="chip"
              aria-pressed={line === command}
              title={installed.find(({ name }) => name === line)?.title}
              onClick={() => setCommand(line)}
            >
              {line}
            </button>
          ))}
        </div>
        <Field name="directory" label="Folder" hint="Empty: the folder of the daemon." list={directories} isCode />
        <div className="form-pair">
          <Field
            name="name"
            label="Name"
            hint="Empty: made from the command."
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
          />
          <Field name="labels" label="Labels" placeholder="project=web urgent" />
        </div>
        <WireFields agent={agent} />
        <FormProblem text={problem} />
        <footer className="form-foot">
          <button type="button" className="button" onClick={() => openDialog.set({ kind: "task" })}>
            New task…
          </button>
          <button type="button" className="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy}>
            Start
          </button>
        </footer>
      </form>
    </ModalDialog>
  );
}

interface MachineFieldProps {
  readonly machines: readonly MachineInfo[];
  /** Undefined for the machine of this page. */
  readonly value: string | undefined;
  readonly onChange: (machine: string | undefined) => void;
}

/** Where the session starts. */
function MachineField({ machines, value, onChange }: MachineFieldProps): ReactElement {
  return (
    <label className="field">
      <span>Machine</span>
      <select value={value ?? ""} onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}>
        <option value="">This one</option>
        {machines.map(({ name, state }) => (
          <option key={name} value={name} disabled={state === "away"}>
            {state === "away" ? `${name} (out of reach)` : name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Whether to use the gateway, and with which policy. */
function WireFields({ agent }: { readonly agent: Agent | undefined }): ReactElement {
  const [isWanted, setWanted] = useState(localStorage.getItem(WIRE_KEY) === "yes");
  const isPossible = agent === undefined || agent.routes.length > 0;
  const choose = (wanted: boolean): void => {
    localStorage.setItem(WIRE_KEY, wanted ? "yes" : "no");
    setWanted(wanted);
  };
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          name="wire"
          checked={isWanted && isPossible}
          disabled={!isPossible}
          onChange={({ target }) => choose(target.checked)}
        />
        <span>
          Watch its model
          <small className="note">
            {agent === undefined
              ? "For agents: messages are exact, and tool calls are checked and recorded."
              : `${agent.title}: ${agent.notes}.`}
          </small>
        </span>
      </label>
      {isWanted && isPossible ? (
        <label className="field">
          <span>Policy</span>
          <input type="file" name="policy" accept=".yaml,.yml,.json" />
          <small className="note">A policy file. Without one, every call is allowed and recorded.</small>
        </label>
      ) : null}
    </>
  );
}

/** A command as it can be typed into the field; none if it is long or has a character that a field of one line changes. */
function chipOf(command: readonly string[]): string[] {
  const line = quoteShellWords(command);
  return line.length < RECENT_CHARS_MAX && !/[\u0000-\u001f\u007f]/.test(line) ? [line] : [];
}

/** The file name of the program in a command line; empty if there is none yet. */
const programOf = (line: string): string => splitCommandLine(line)?.[0]?.split("/").at(-1) ?? "";

async function inputOf(form: FormData): Promise<InputOf<"sessions.create">> {
  const text = (name: string): string => formText(form, name);
  const [program, ...words] = splitCommandLine(text("command")) ?? [];
  if (program === undefined) throw new Error("Cannot read the command: a quote is not closed");
  const labels = parseLabels(text("labels"));
  const policy = form.get("policy");
  // Without a choice, the form contains an empty file.
  const isChosen = policy instanceof File && policy.name !== "";
  return {
    command: [program, ...words],
    ...(text("directory") === "" ? {} : { workingDirectory: text("directory") }),
    ...(form.get("wire") === null ? {} : { wire: isChosen ? { policy: await policy.text() } : {} }),
    ...(text("name") === "" ? {} : { name: text("name") }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}
