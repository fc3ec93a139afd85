/** Dialogs that ask before something is done to several sessions. */
import type { ReactElement, ReactNode } from "react";
import type { Session } from "../../client.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { formText } from "../parts/form-text.ts";
import { actOnAll, counted, endAll, labelAll, promptAll, removeAll, type BulkKind } from "./bulk-actions.ts";
import { closeDialog } from "./dialogs.ts";
import { parseLabels } from "./labels.ts";
import { endSelection, selectOnly } from "./selection.ts";

const NAMES_SHOWN_MAX = 12;
/** Before a label that is taken away. */
const REMOVED = "-";

interface BulkDialogProps {
  readonly action: BulkKind;
  readonly sessions: readonly Session[];
}

export function BulkDialog({ action, sessions }: BulkDialogProps): ReactElement {
  const count = counted(sessions.length);
  switch (action) {
    case "end":
      return (
        <BulkForm title={`End ${count}?`} answer="End" isDangerous sessions={sessions} actionOf={() => endAll}>
          <p>Their programs and all processes that these started are ended. The recordings are kept.</p>
        </BulkForm>
      );
    case "remove":
      return (
        <BulkForm title={`Remove ${count}?`} answer="Remove" isDangerous sessions={sessions} actionOf={() => removeAll}>
          <p>Their recordings are deleted. This cannot be undone.</p>
        </BulkForm>
      );
    case "label":
      return (
        <BulkForm
          title={`Label ${count}`}
          answer="Label"
          sessions={sessions}
          actionOf={(form) => labelAll(labelsIn(formText(form, "labels")))}
        >
          <Field
            name="labels"
            label="Labels"
            hint="key=value or key, separated by spaces; -key takes a label away."
            isRequired
          />
        </BulkForm>
      );
    case "prompt":
      return (
        <BulkForm
          title={`Send a prompt to ${count}`}
          answer="Send"
          sessions={sessions}
          actionOf={(form) => promptAll(formText(form, "prompt"))}
        >
          <label className="field">
            <span>Prompt</span>
            <textarea name="prompt" rows={4} required />
            <small className="note">
              Typed once into each, at its prompt. A session that asks a question refuses it.
            </small>
          </label>
        </BulkForm>
      );
  }
}

interface BulkFormProps {
  readonly title: string;
  readonly answer: string;
  readonly isDangerous?: boolean;
  readonly sessions: readonly Session[];
  readonly actionOf: (form: FormData) => Parameters<typeof actOnAll>[1];
  readonly children: ReactNode;
}

function BulkForm({ title, answer, isDangerous = false, sessions, actionOf, children }: BulkFormProps): ReactElement {
  const run = async (form: FormData): Promise<void> => {
    const refused = await actOnAll(sessions, actionOf(form));
    closeDialog();
    // Those are still to be dealt with.
    if (refused.length === 0) endSelection();
    else selectOnly(refused.map(({ id }) => id));
  };
  const names = sessions.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
  const others = sessions.length - names.length;
  return (
    <FormDialog title={title} answer={answer} isDangerous={isDangerous} onSubmit={run} onClose={closeDialog}>
      {children}
      <p className="note">{`${names.join(", ")}${others === 0 ? "" : ` and ${others} more`}`}</p>
    </FormDialog>
  );
}

function labelsIn(text: string): Record<string, string | null> {
  const given = Object.entries(parseLabels(text));
  return Object.fromEntries(
    given.map(([key, value]) => (key.startsWith(REMOVED) ? [key.slice(REMOVED.length), null] : [key, value])),
  );
}
