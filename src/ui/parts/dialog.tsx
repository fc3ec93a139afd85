/** A modal dialog of the platform: it traps the focus, closes with Escape and gives the focus back. */
import { useEffect, useId, useRef, type ReactElement, type ReactNode } from "react";
import { IconButton } from "./icon-button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

export function ModalDialog({ title, onClose, className, children }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    // Where something is typed or answered, not on the button that closes.
    element?.querySelector<HTMLElement>("input, textarea, .form-foot button")?.focus();
    return () => element?.close();
  }, []);
  return (
    // A click beside the dialog closes it, as Escape does; the keys are the platform's.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={`dialog ${className ?? ""}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton label="Close" icon="close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
