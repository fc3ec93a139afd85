import { advanceClock, untilDueMs, type ReplayClockState } from "../../core/replay-clock.ts";
import { unitMs } from "../../core/waits.ts";
import { delay } from "../../client/reconnect.ts";
import { LecternError } from "../../core/errors.ts";
import { outputsOf, type RecordedOutput } from "../../replay/recording.ts";
import { defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { openRecording } from "../recording-file.ts";
import { RawTerminal } from "../terminal/raw-terminal.ts";

const SPEED_MAX = 1000;

export const replay = defineCommand({
  name: "replay",
  reachesHosts: true,
  summary: "Play a recording in this terminal",
  details: ["Space pauses and resumes; q or Ctrl-C ends."],
  arguments: [{ name: "recording", summary: "A session, or FILE.cast or FILE.cast.gz", completes: "recording" }],
  options: {
    speed: { type: "text", short: "s", placeholder: "FACTOR", summary: "Such as 2 or 0.5; default: 1" },
    "idle-max": { type: "duration", short: "i", placeholder: "TIME", summary: "Shorten longer pauses to this" },
  },
  examples: ["lectern replay build --speed 4 --idle-max 1s", "lectern replay demo.cast"],
  async run({ arguments: { recording }, options }, context) {
    const speed = parseSpeed(options.speed ?? "1");
    const clock = { atMs: 0, isPlaying: true, speed, idleMsMax: options["idle-max"] ?? unitMs.d };
    const chunks = await openRecording(recording, context);
    using terminal = new RawTerminal(context, "replay");
    const ended = new AbortController();
    context.signal.addEventListener("abort", () => ended.abort(), { once: true });
    const player = {
      clock,
      readMs: performance.now(),
      nextMs: 0,
      terminal,
      ended,
      context,
      wake: new AbortController(),
    };
    if (terminal.isRaw) listenToKeys(player);
    for await (const output of outputsOf(chunks)) {
      await untilDue(player, output);
      if (ended.signal.aborted) break;
      await context.write(terminal.admit(output.bytes));
    }
    context.stdin.pause();
    return context.signal.aborted ? 130 : 0;
  },
});

interface Player {
  clock: ReplayClockState;
  /** When the clock was last read, on `performance.now()`. */
  readMs: number;
  /** The time of the next output in the recording. */
  nextMs: number;
  readonly terminal: RawTerminal;
  readonly ended: AbortController;
  readonly context: CliContext;
  /** Aborted when a key pauses or resumes. */
  wake: AbortController;
}

function parseSpeed(text: string): number {
  const speed = /^\d{1,4}(?:\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  if (speed > 0 && speed <= SPEED_MAX) return speed;
  throw new LecternError("USAGE", `Cannot play at speed "${text}": wanted a number above 0, at most ${SPEED_MAX}`);
}

/** Waits until an output is due, across any number of pauses. */
async function untilDue(player: Player, { timeMs }: RecordedOutput): Promise<void> {
  player.nextMs = timeMs;
  for (;;) {
    readClock(player);
    const { atMs, isPlaying } = player.clock;
    if (player.ended.signal.aborted || (isPlaying && atMs >= timeMs)) return;
    player.wake = new AbortController();
    const signal = AbortSignal.any([player.wake.signal, player.ended.signal]);
    await delay(isPlaying ? untilDueMs(player.clock, timeMs) : unitMs.d, signal);
  }
}

function readClock(player: Player): void {
  const nowMs = performance.now();
  player.clock = advanceClock(player.clock, nowMs - player.readMs, { nextMs: player.nextMs, endMs: Infinity });
  player.readMs = nowMs;
}

function listenToKeys(player: Player): void {
  player.context.stdin.on("data", (chunk: Buffer) => {
    const keys = chunk.toString("latin1");
    if (/^[qQ\u0003\u0004\u001c]/.test(keys)) player.ended.abort();
    else if (keys === " ") {
      readClock(player);
      player.clock = { ...player.clock, isPlaying: !player.clock.isPlaying };
      player.wake.abort();
    }
  });
}
