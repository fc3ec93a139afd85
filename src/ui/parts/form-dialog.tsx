import { useState, type FormEvent, type ReactElement, type ReactNode } from "react";
import { messageOf } from "../api.ts";
import { Button } from "./button.tsx";
import { ModalDialog } from "./dialog.tsx";
import { FormProblem } from "./field.tsx";

interface FormDialogProps {
  readonly title: string;
  /** On the button that submits; `busyAnswer` while that goes on. */
  readonly answer: string;
  readonly busyAnswer?: string;
  readonly isDangerous?: boolean;
  /** Closes the dialog when it is done. The message of an error is shown, and the form can be submitted again. */
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly onClose: () => void;
  /** Another way on, before "Cancel". */
  readonly other?: ReactNode;
  readonly children: ReactNode;
}

/** A dialog that does one thing with what is filled in, or asks before it does it. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { title, answer, busyAnswer = answer, isDangerous = false, onSubmit, onClose, other, children } = props;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    await onSubmit(new FormData(event.currentTarget)).catch((error: unknown) => setProblem(messageOf(error)));
    setBusy(false);
  };
  return (
    <ModalDialog title={title} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        {children}
        <FormProblem text={problem} />
        <footer className="form-foot">
          {other}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={isDangerous ? "danger" : "primary"} disabled={isBusy}>
            {isBusy ? busyAnswer : answer}
          </Button>
        </footer>
      </form>
    </ModalDialog>
  );
}
