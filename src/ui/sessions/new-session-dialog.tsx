import { useState, type FormEvent, type ReactElement } from "react";
import type { InputOf } from "../../client.ts";
import { daemon, messageOf } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field, FormProblem } from "../parts/field.tsx";
import { formText } from "../parts/form-text.ts";
import { splitCommandLine } from "../parts/text.ts";
import { navigate, sessionPath } from "../router.ts";
import { useStore } from "../store.ts";
import { closeDialog } from "./dialogs.ts";
import { parseLabels } from "./labels.ts";
import { learnSession, sessionList } from "./session-list.ts";

/** Offered first; what ran here lately comes before them. */
const usual: readonly string[] = ["bash", "claude", "codex", "gemini", "opencode", "python3 -q", "node"];
const OFFERED_MAX = 8;

export function NewSessionDialog(): ReactElement {
  const { views } = useStore(sessionList);
  const [command, setCommand] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const recent = views.map(({ session }) => session.command.join(" ")).filter((line) => line.length < 30);
  const offered = [...new Set([...recent, ...usual])].slice(0, OFFERED_MAX);
  const directories = [...new Set(views.map(({ session }) => session.workingDirectory))].slice(0, 20);
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const session = await daemon().call("sessions.create", inputOf(new FormData(event.currentTarget)));
      closeDialog();
      learnSession(session);
      navigate(sessionPath(session.name));
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="New session" onClose={closeDialog}>
      <form className="form" onSubmit={(event) => void onSubmit(event)}>
        <Field
          name="command"
          label="Command"
          hint="A program and its arguments. There is no shell in between: for pipes, run bash."
          value={command}
          onChange={setCommand}
          placeholder="claude"
          isCode
          isRequired
        />
        <div className="chips" role="group" aria-label="Usual commands">
          {offered.map((line) => (
            <button key={line} type="button" className="chip" onClick={() => setCommand(line)}>
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
        <label className="check">
          <input type="checkbox" name="wire" />
          <span>
            Watch its model
            <small>For agents: its messages are exact, its tool calls are checked and written down.</small>
          </span>
        </label>
        <FormProblem text={problem} />
        <footer className="form-foot">
          <button type="button" className="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy}>
            Start
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function inputOf(form: FormData): InputOf<"sessions.create"> {
  const text = (name: string): string => formText(form, name);
  const [program, ...words] = splitCommandLine(text("command")) ?? [];
  if (program === undefined) throw new Error("Cannot read the command: a quote is left open");
  const labels = parseLabels(text("labels"));
  return {
    command: [program, ...words],
    ...(text("directory") === "" ? {} : { workingDirectory: text("directory") }),
    ...(form.get("wire") === null ? {} : { wire: {} }),
    ...(text("name") === "" ? {} : { name: text("name") }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}
