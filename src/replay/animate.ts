/** Plays a recording into an image that moves by itself. */
import { LecternError } from "../core/errors.ts";
import { DRAWN_ROWS_MAX, SvgAnimation } from "../core/screen/animate-svg.ts";
import { Screen } from "../core/screen/screen.ts";
import { decodeMark, decodeResize } from "../protocol/payloads.ts";
import { timedRecordsOf } from "./recording.ts";

/** More screens a second are not seen. */
const SCREEN_MS_MIN = 50;

/**
 * An SVG of the screens of an asciicast, which begins where the program first prints. A screen in the middle of a synchronized update is not shown.
 * Throws `MALFORMED`, `TOO_LARGE`.
 */
export async function animateRecording(
  recording: AsyncIterable<Uint8Array>,
  { idleMsMax }: { /** Longer pauses are shortened to this. */ readonly idleMsMax: number },
): Promise<string> {
  const screen = new Screen({ columns: 80, rows: 24, scrollbackLinesMax: 0 });
  const animation = new SvgAnimation();
  /** On the clock of the animation, and the time in the recording at which the screen last changed. */
  let atMs = 0;
  let changedMs: number | undefined;
  let drawnMs = -Infinity;
  const draw = (): void => {
    animation.add(screen, atMs);
    drawnMs = atMs;
    if (animation.drawnRows > DRAWN_ROWS_MAX)
      throw new LecternError(
        "TOO_LARGE",
        `Cannot draw the recording as one image: it shows more than ${DRAWN_ROWS_MAX} different rows; ` +
          "export an asciicast, and play or cut that",
      );
  };
  try {
    for await (const { type, payload, timeMs } of timedRecordsOf(recording)) {
      const mark = type === "mark" ? decodeMark(payload) : null;
      if (mark?.type === "session-start") screen.resize(mark.columns, mark.rows);
      if (type !== "output" && type !== "resize") continue;
      const passedMs = changedMs === undefined ? 0 : Math.min(timeMs - changedMs, idleMsMax);
      // What the screen showed until now, if it showed it for long enough.
      const isComplete = changedMs !== undefined && !screen.modes.synchronizedOutput;
      if (isComplete && atMs + passedMs - drawnMs >= SCREEN_MS_MIN) draw();
      atMs += passedMs;
      changedMs = timeMs;
      if (type === "output") screen.feed(payload);
      else {
        const { columns, rows } = decodeResize(payload);
        screen.resize(columns, rows);
      }
    }
    draw();
    return animation.draw();
  } finally {
    screen.dispose();
  }
}
