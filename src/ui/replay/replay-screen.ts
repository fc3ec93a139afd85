/**
 * Shows a recording at any time. Forwards, it draws the frames in between; backwards, it starts from the nearest keyframe,
 * so a jump costs at most the frames between two keyframes.
 */
import { SerializeAddon } from "@xterm/addon-serialize";
import { Terminal, type ITheme } from "@xterm/xterm";
import { setWidths } from "../../core/emulator/xterm/widths.ts";
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import { terminalOptions } from "../terminal/theme.ts";
import type { Recording } from "./recording.ts";

/** All of a recording is shown, however small. */
export const REPLAY_FONT_SIZE_MIN = 4;
const SCROLLBACK_LINES = 1000;
const KEYFRAME_BYTES = 1024 * 1024;
const KEYFRAMES_MAX = 200;
/** Output drawn before checking whether another time was requested. */
const STEP_BYTES = 512 * 1024;

interface Keyframe {
  /** The number of frames before it. */
  readonly index: number;
  readonly columns: number;
  readonly rows: number;
  readonly ansi: string;
}

export class ReplayScreen {
  readonly terminal: Terminal;
  readonly #recording: Recording;
  readonly #serialize = new SerializeAddon();
  readonly #keyframes: Keyframe[] = [];
  #filter = new ViewerFilter({ mode: "replay" });
  /** The number of frames that are drawn. */
  #index = 0;
  #bytesSinceKeyframe = 0;
  #wanted = 0;
  #isDrawing = false;

  constructor(recording: Recording, theme: ITheme) {
    this.#recording = recording;
    this.terminal = new Terminal({
      ...terminalOptions(theme),
      disableStdin: true,
      cursorInactiveStyle: "block",
      scrollback: SCROLLBACK_LINES,
    });
    this.terminal.loadAddon(this.#serialize);
    setWidths(this.terminal);
  }

  /** Resolves when the screen at the last requested time is drawn. */
  async show(timeMs: number): Promise<void> {
    this.#wanted = this.#recording.indexAt(timeMs);
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    try {
      while (this.#index !== this.#wanted) {
        if (this.#wanted < this.#index) await this.#goBack();
        await this.#drawSome();
      }
    } finally {
      this.#isDrawing = false;
    }
  }

  /** The number of frames that are drawn. */
  get index(): number {
    return this.#index;
  }

  dispose(): void {
    this.terminal.dispose();
  }

  async #goBack(): Promise<void> {
    const keyframe = this.#keyframes.findLast(({ index }) => index <= this.#wanted);
    this.terminal.reset();
    this.#filter = new ViewerFilter({ mode: "replay" });
    this.#index = keyframe?.index ?? 0;
    this.#bytesSinceKeyframe = 0;
    if (keyframe === undefined) return;
    this.terminal.resize(keyframe.columns, keyframe.rows);
    await this.#write(keyframe.ansi);
  }

  async #drawSome(): Promise<void> {
    let bytes = 0;
    while (this.#index < this.#wanted && bytes < STEP_BYTES) {
      const frame = this.#recording.frames[this.#index];
      this.#index += 1;
      if (frame === undefined) break;
      if (frame.type === "output") {
        bytes += frame.bytes.length;
        this.terminal.write(this.#filter.feed(frame.bytes));
      } else {
        await this.#write("");
        this.terminal.resize(Math.max(2, frame.columns), frame.rows);
      }
    }
    await this.#write("");
    this.#bytesSinceKeyframe += bytes;
    if (this.#bytesSinceKeyframe >= KEYFRAME_BYTES) this.#keepKeyframe();
  }

  #keepKeyframe(): void {
    this.#bytesSinceKeyframe = 0;
    const last = this.#keyframes.at(-1);
    if (this.#keyframes.length >= KEYFRAMES_MAX || (last !== undefined && last.index >= this.#index)) return;
    const { cols: columns, rows } = this.terminal;
    this.#keyframes.push({ index: this.#index, columns, rows, ansi: this.#serialize.serialize() });
  }

  #write(data: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.terminal.write(data, resolve);
    return promise;
  }
}
