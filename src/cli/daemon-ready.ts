/** What a daemon reports to the process that started it, as one line of JSON. */
export interface DaemonReady {
  readonly pid: number;
  readonly listen: readonly string[];
  readonly resumed: number;
}

/** A daemon that cannot start reports why immediately; on a busy machine a start takes long. */
export const START_MS_MAX = 60_000;
