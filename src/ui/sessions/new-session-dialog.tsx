import { useCallback, useState, type ReactElement } from "react";
import { quoteShellWords } from "../../core/text/command-line.ts";
import { daemonOn, sessionFrom } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { programNameIn } from "../parts/text.ts";
import { navigate, sessionPath } from "../router.ts";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";
import { closeDialog, openDialog } from "./dialogs.ts";
import { learnSession, sessionList } from "./session-list.ts";
import { MachineField, SandboxField, WireFields, optionsOf } from "./start-fields.tsx";

/** Suggested after installed agents and recent commands. */
const usual: readonly string[] = ["bash", "python3 -q", "node"];
const OFFERED_MAX = 8;
const RECENT_CHARS_MAX = 30;

export function NewSessionDialog(): ReactElement {
  const { views, machines } = useStore(sessionList);
  const [machine, setMachine] = useState<string>();
  const askAgents = useCallback(
    (signal: AbortSignal) => daemonOn(machine).call("daemon.agents", {}, { signal }),
    [machine],
  );
  const agents = useAnswer(askAgents).value?.agents ?? [];
  const [command, setCommand] = useState("");
  const installed = agents.filter(({ path }) => path !== null);
  const recent = views.flatMap(({ session }) => chipOf(session.command));
  const offered = [...new Set([...installed.map(({ name }) => name), ...recent, ...usual])].slice(0, OFFERED_MAX);
  const directories = [...new Set(views.map(({ session }) => session.workingDirectory))].slice(0, 20);
  const agent = agents.find(({ name }) => name === programNameIn(command));
  const start = async (form: FormData): Promise<void> => {
    const input = await optionsOf(form);
    const session = sessionFrom(machine, await daemonOn(machine).call("sessions.create", input));
    closeDialog();
    learnSession(session);
    navigate(sessionPath(session.name));
  };
  return (
    <FormDialog
      title="New session"
      answer="Start"
      other={<Button onClick={() => openDialog.set({ kind: "task" })}>New task…</Button>}
      onSubmit={start}
      onClose={closeDialog}
    >
      <MachineField machines={machines} value={machine} onChange={setMachine} />
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
      <SandboxField />
      <WireFields agent={agent} />
    </FormDialog>
  );
}

/** A command as it can be typed into the field; none if it is long or has a character that a field of one line changes. */
function chipOf(command: readonly string[]): string[] {
  const line = quoteShellWords(command);
  return line.length < RECENT_CHARS_MAX && !/[\u0000-\u001f\u007f]/.test(line) ? [line] : [];
}
