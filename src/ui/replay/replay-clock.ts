/** The position of a replay. Pure: the elapsed time is an argument. */

export interface ReplayClockState {
  readonly atMs: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly skipsIdle: boolean;
}

/** Longer pauses are shortened to this if idle time is skipped. */
const IDLE_MS_MAX = 1000;

/**
 * The state after `elapsedMs` of real time. `nextMs` is the time of the next frame after `atMs`; undefined
 * after the last one, when the replay stops at `endMs`.
 */
export function advanceClock(
  state: ReplayClockState,
  elapsedMs: number,
  { nextMs, endMs }: { readonly nextMs: number | undefined; readonly endMs: number },
): ReplayClockState {
  if (!state.isPlaying) return state;
  const target = nextMs ?? endMs;
  const isIdle = state.skipsIdle && target - state.atMs > IDLE_MS_MAX;
  const from = isIdle ? target - IDLE_MS_MAX : state.atMs;
  const atMs = Math.min(endMs, from + elapsedMs * state.speed);
  return { ...state, atMs, isPlaying: atMs < endMs };
}
