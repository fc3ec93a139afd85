/** What a daemon reports to the process that started it, as one line of JSON. */
export interface DaemonReady {
  readonly pid: number;
  readonly listen: readonly string[];
  readonly resumed: number;
}
