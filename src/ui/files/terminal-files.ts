/** Files that are pasted or dropped on a terminal: their paths are pasted as a person would paste them, and Enter is not pressed. */
import type { Session } from "../../client.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { filesOf, uploadFiles } from "./upload.ts";

/** Returns what ends it. Text is pasted by the terminal. */
export function watchFiles(element: HTMLElement, session: Session, paste: (text: string) => void): () => void {
  const take = (event: Event, data: DataTransfer | null): void => {
    const files = filesOf(data);
    if (files.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    void uploadFiles(session, files, (path) => paste(`${displayCommand([path])} `));
  };
  const onPaste = (event: ClipboardEvent): void => take(event, event.clipboardData);
  const onDrop = (event: DragEvent): void => take(event, event.dataTransfer);
  const onDragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  };
  element.addEventListener("paste", onPaste, { capture: true });
  element.addEventListener("drop", onDrop, { capture: true });
  element.addEventListener("dragover", onDragOver);
  return () => {
    element.removeEventListener("paste", onPaste, { capture: true });
    element.removeEventListener("drop", onDrop, { capture: true });
    element.removeEventListener("dragover", onDragOver);
  };
}
