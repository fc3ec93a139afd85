/**
 * Which size a session's terminal has, by the rule of tmux's `window-size latest`: that of the window whose viewer took it or typed last,
 * while this viewer is attached. Without one the session has its own size.
 */
import type { TerminalSize } from "../../protocol/payloads.ts";

/** Compared by identity. */
type Viewer = object;

export class WindowSizes {
  readonly #windows = new Map<Viewer, TerminalSize>();
  /** Those that took the size or typed, the latest last. */
  readonly #takers = new Set<Viewer>();

  /** The size of the window that decides; undefined if the session has its own size. */
  get latest(): TerminalSize | undefined {
    const latest = [...this.#takers].findLast((viewer) => this.#windows.has(viewer));
    return latest === undefined ? undefined : this.#windows.get(latest);
  }

  /** The viewer's window has this size; it counts from the viewer's next key on, or now if it decides already. */
  setWindow(viewer: Viewer, size: TerminalSize): void {
    this.#windows.set(viewer, size);
  }

  /** The viewer has typed, or asks for the size. */
  take(viewer: Viewer): void {
    this.#takers.delete(viewer);
    this.#takers.add(viewer);
  }

  leave(viewer: Viewer): void {
    this.#windows.delete(viewer);
    this.#takers.delete(viewer);
  }

  /** No window counts before its viewer types again. */
  clear(): void {
    this.#takers.clear();
  }
}
