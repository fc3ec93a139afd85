/** A modal dialog of the platform, which traps the focus, closes on Escape and restores the focus. */
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
    // Focus the first field or answer instead of the close button.
    element?.querySelector<HTMLElement>("input, textarea, .form-foot button")?.focus();
    return () => element?.close();
  }, []);
  return (
    // A click outside of the dialog closes it; the platform handles the keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={`dialog panel ${className ?? ""}`}
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
