/** How long programs take to draw, in milliseconds. */
export const screenTimes = {
  /** What changes within this time is still being painted, and what was shown for less was an accident of drawing. */
  paintMs: 400,
  /** What comes this soon after a key is its echo, or the dialog that it answered, drawn once more. */
  echoMs: 150,
} as const;
