/** Dialogs to edit, end and remove a session. */
import { useState, type FormEvent, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { joinAddress, splitAddress } from "../../protocol/session-address.ts";
import { ModalDialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { formText } from "../parts/form-text.ts";
import { byteSize } from "../parts/text.ts";
import { navigate, parseRoute, sessionPath } from "../router.ts";
import { closeDialog } from "./dialogs.ts";
import { formatLabels, labelChanges, parseLabels } from "./labels.ts";
import { changeSession, killSession, removeSession } from "./session-actions.ts";

export function EditDialog({ session }: { readonly session: Session }): ReactElement {
  const { machine, session: before } = splitAddress(session.name);
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = formText(form, "name");
    const labels = labelChanges(session.labels, parseLabels(formText(form, "labels")));
    const change = { ...(name === before ? {} : { name }), labels };
    if (!(await changeSession(session, change, name))) return;
    closeDialog();
    followName(session.name, joinAddress({ machine, session: name }));
  };
  return (
    <ModalDialog title={`Rename ${session.name}`} onClose={closeDialog}>
      <form className="form" onSubmit={(event) => void onSubmit(event)}>
        <Field name="name" label="Name" defaultValue={before} pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" isRequired />
        <Field
          name="labels"
          label="Labels"
          hint="key=value or key, separated by spaces."
          defaultValue={formatLabels(session.labels)}
        />
        <footer className="form-foot">
          <button type="button" className="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button primary">
            Save
          </button>
        </footer>
      </form>
    </ModalDialog>
  );
}

/** Replaces the old name of the session in the address. */
function followName(before: string, after: string): void {
  const route = parseRoute(location.pathname, new URLSearchParams(location.search));
  if (route.view === "session" && route.session === before) navigate(sessionPath(after, route.tab), { replace: true });
}

export function KillDialog({ session }: { readonly session: Session }): ReactElement {
  return (
    <Question
      title={`End ${session.name}?`}
      text={`${displayCommand(session.command)} and all processes that it started are ended. The recording is kept.`}
      answer="End session"
      onAnswer={() => killSession(session)}
    />
  );
}

export function RemoveDialog({ session }: { readonly session: Session }): ReactElement {
  return (
    <Question
      title={`Remove ${session.name}?`}
      text={`Its recording of ${byteSize(session.end - session.start)} is deleted. This cannot be undone.`}
      answer="Remove"
      onAnswer={() => removeSession(session)}
      onDone={() => navigate("/")}
    />
  );
}

interface QuestionProps {
  readonly title: string;
  readonly text: string;
  readonly answer: string;
  readonly onAnswer: () => Promise<boolean>;
  readonly onDone?: () => void;
}

function Question({ title, text, answer, onAnswer, onDone }: QuestionProps): ReactElement {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    const done = await onAnswer();
    closeDialog();
    if (done) onDone?.();
  };
  return (
    <ModalDialog title={title} onClose={closeDialog}>
      <p>{text}</p>
      <footer className="form-foot">
        <button type="button" className="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="button" className="button danger" disabled={isBusy} onClick={() => void run()}>
          {answer}
        </button>
      </footer>
    </ModalDialog>
  );
}
