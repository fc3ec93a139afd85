/** The position of a replay. Pure: the elapsed time is an argument. */

export interface ReplayClockState {
  readonly atMs: number;
  readonly isPlaying: boolean;
  /** 2 is twice as fast. */
  readonly speed: number;
  /** Longer pauses of the recording are shortened to this. */
  readonly idleMsMax: number;
}

/** `idleMsMax` of a page that skips idle time. */
export const SKIPPED_IDLE_MS_MAX = 1000;

/** What is next in the recording. */
interface ReplayTimes {
  /** Undefined after the last one. */
  readonly nextMs: number | undefined;
  /** Where the replay stops. */
  readonly endMs: number;
}

/** The state after `elapsedMs` of real time. */
export function advanceClock(state: ReplayClockState, elapsedMs: number, times: ReplayTimes): ReplayClockState {
  if (!state.isPlaying) return state;
  const atMs = Math.min(times.endMs, positionAfterIdle(state, times.nextMs ?? times.endMs) + elapsedMs * state.speed);
  return { ...state, atMs, isPlaying: atMs < times.endMs };
}

/** Milliseconds of real time until what is at `targetMs` of the recording is due; 0 if it is late. */
export const untilDueMs = (state: ReplayClockState, targetMs: number): number =>
  Math.max(0, targetMs - positionAfterIdle(state, targetMs)) / state.speed;

const positionAfterIdle = ({ atMs, idleMsMax }: ReplayClockState, targetMs: number): number =>
  Math.max(atMs, targetMs - idleMsMax);
