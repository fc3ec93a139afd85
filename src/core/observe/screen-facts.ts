/** What is read from one frame, each fact once and only if somebody asks for it. */
import { cursorLine, type CursorLine } from "../agents/cursor-line.ts";
import { findInputBox, type InputBox } from "../agents/input-box.ts";
import { isPartlyDrawn, readDialog, type Dialog, type DialogContext } from "../dialogs/dialog.ts";
import type { Frame } from "../screen/frame.ts";

export class ScreenFacts {
  readonly frame: Frame;
  /** What was known beside the screen at that time. */
  readonly context: DialogContext;
  #dialog: Dialog | null | undefined;

  constructor(frame: Frame, context: DialogContext) {
    this.frame = frame;
    this.context = context;
  }

  get cursorLine(): CursorLine {
    return cursorLine(this.frame);
  }

  /** The input box of the agent in the foreground; null without an agent, and if it shows none. */
  get box(): InputBox | null {
    const { profile } = this.context;
    return profile === undefined ? null : findInputBox(this.frame.lines, profile.boxes);
  }

  /** The dialog that stands on the screen. */
  get dialog(): Dialog | null {
    if (this.#dialog === undefined) this.#dialog = readDialog(this.frame, this.context);
    return this.#dialog;
  }

  get isPartlyDrawn(): boolean {
    return isPartlyDrawn(this.frame, this.context);
  }
}
