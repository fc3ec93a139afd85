/** Dialogs to edit, end and remove a session. */
import type { ReactElement } from "react";
import type { Session } from "../../client.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { joinAddress, splitAddress } from "../../protocol/session-address.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { formText } from "../parts/form-text.ts";
import { byteSize } from "../parts/text.ts";
import { navigate, parseRoute, sessionPath } from "../router.ts";
import { closeDialog } from "./dialogs.ts";
import { formatLabels, labelChanges, parseLabels } from "./labels.ts";
import { changeSession, killSession, removeSession } from "./session-actions.ts";

export function EditDialog({ session }: { readonly session: Session }): ReactElement {
  const { machine, session: before } = splitAddress(session.name);
  const save = async (form: FormData): Promise<void> => {
    const name = formText(form, "name");
    const labels = labelChanges(session.labels, parseLabels(formText(form, "labels")));
    const change = { ...(name === before ? {} : { name }), labels };
    if (!(await changeSession(session, change, name))) return;
    closeDialog();
    followName(session.name, joinAddress({ machine, session: name }));
  };
  return (
    <FormDialog title={`Rename ${session.name}`} answer="Save" onSubmit={save} onClose={closeDialog}>
      <Field name="name" label="Name" defaultValue={before} pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" isRequired />
      <Field
        name="labels"
        label="Labels"
        hint="key=value or key, separated by spaces."
        defaultValue={formatLabels(session.labels)}
      />
    </FormDialog>
  );
}

/** Replaces the old name of the session in the address. */
function followName(before: string, after: string): void {
  const route = parseRoute(location.pathname, new URLSearchParams(location.search));
  if (route.view === "session" && route.session === before) navigate(sessionPath(after, route.tab), { replace: true });
}

export function KillDialog({ session }: { readonly session: Session }): ReactElement {
  const end = (): Promise<void> => killSession(session).then(closeDialog);
  return (
    <FormDialog title={`End ${session.name}?`} answer="End session" isDangerous onSubmit={end} onClose={closeDialog}>
      <p>{`${displayCommand(session.command)} and all processes that it started are ended. The recording is kept.`}</p>
    </FormDialog>
  );
}

export function RemoveDialog({ session }: { readonly session: Session }): ReactElement {
  const remove = async (): Promise<void> => {
    const isRemoved = await removeSession(session);
    closeDialog();
    if (isRemoved) navigate("/");
  };
  return (
    <FormDialog title={`Remove ${session.name}?`} answer="Remove" isDangerous onSubmit={remove} onClose={closeDialog}>
      <p>{`Its recording of ${byteSize(session.end - session.start)} is deleted. This cannot be undone.`}</p>
    </FormDialog>
  );
}
