/** The time constants of the status, in milliseconds; `test/status-report.test.ts` holds the recordings that set them. */
export const statusTimes = {
  /** An agent that works is not silent for this long: the longest gap in 1,140 stretches was 1.5 s. */
  quietMs: 2000,
  /** A program that shows nothing for this long is not starting any more, serves instead of computing, or has no answer to its line. */
  silentMs: 30_000,
  /** An agent that did not react for this long may not have taken the prompt; one that works for this long has surely sent a request. */
  agentAnswerMs: 8000,
  /** An agent that works for this long has very likely sent a request. */
  agentRequestMs: 4000,
  /** While a screen is being painted its last signal holds for this long. */
  unreadableMs: 1000,
  /** The kernel's report from before a command started decides nothing for this long: the host reports a change within some 50 ms. */
  reportMs: 250,
  /** Between two signals of a program its last state holds for this long. */
  unclearMs: 500,
} as const;
