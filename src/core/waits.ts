/** How long the parts of Lectern wait for each other, in milliseconds: one value for each kind of wait. Those of readiness are in `readiness/times.ts`. */
export const waits = {
  /** Between two attempts at what another process of this machine is about to do. */
  pollMs: 50,
  /** Between two checks of what nothing reports, such as space on a full disk, a removed socket or a reader that has gone. */
  checkMs: 250,
  /** Between two attempts at what has failed, or is held by another process; doubled attempts begin at `pollMs`. */
  retryMs: 1000,
  /** The same in a page that nobody sees. */
  hiddenRetryMs: 5000,
  /** The longest wait between two attempts to connect again. */
  reconnectMs: 30_000,
  /** A caller does not wait longer for one part of an answer, and goes on without it. */
  partMs: 2000,
  /** A process of this machine that reports nothing for this long is stopped, or has no processor. */
  answerMs: 5000,
  /** A connection, a line of a protocol, an echo or a successor that has not come by then does not come. */
  arrivalMs: 10_000,
  /** A process that starts, or a request from this machine, on a machine that has far too much to do. */
  startMs: 60_000,
  /** A daemon that ends on such a machine. */
  stopMs: 20_000,
  /** A shell that has given up no line this long after Ctrl-C gets another one; one with a processor needs a few milliseconds. */
  interruptMs: 500,
  /** Between asking programs to end and killing them. */
  graceMs: 2000,
  /** The same if the caller has asked to kill them. */
  forcedGraceMs: 500,
  /** One long poll: most tool hosts and proxies give up after 60 s. */
  longPollMs: 30_000,
  /** Between two rounds of maintenance, such as saving views. */
  roundMs: 30_000,
  /** A view or host process that was not used for this long is put away. */
  idleMs: 60_000,
  /** Between two reports of growing journals, viewers and writers; an activity chart has a sample for each. */
  activityMs: 1000,
} as const;

/** Units of time in milliseconds, by the letter that people write. */
export const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
