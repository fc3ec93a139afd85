/** Where a replay is: a pure clock that is told how much time went by. */

export interface ReplayClockState {
  readonly atMs: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly skipsIdle: boolean;
}

/** A pause longer than this is cut to it where idle time is skipped. */
const IDLE_MS_MAX = 1000;

/**
 * The state after `elapsedMs` of a viewer's time. `nextMs` is when the next thing happens in the recording after `atMs`, undefined
 * where nothing does: there it stops at `endMs`.
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
