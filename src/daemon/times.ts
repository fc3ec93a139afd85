/** How long a daemon waits where nobody configures it. A test of what happens at such a time has a daemon with a shorter one. */
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { HostTimes } from "../host/host-client.ts";

export interface DaemonTimes extends HostTimes {
  /** The view of a session that was quiet for this time is put away until it is needed. */
  readonly idleViewMs: number;
  /** A prompt that does not appear on the screen by then fails. */
  readonly promptEchoMs: number;
  /** A prompt that an agent took, without a sign that it works on it by then, fails. */
  readonly promptWorkMs: number;
  /** Notices of one session to one channel are at least this far apart. */
  readonly noticeGapMs: number;
  /** Devices get a question that is still open after this time, unless a rule decides otherwise: nobody needs a notice of one that is answered at once. */
  readonly deviceAfterMs: number;
  /** A part of a session that has not ended by then, such as its worktree, is reported, and the next part is ended. */
  readonly partEndMs: number;
}

export const defaultTimes: DaemonTimes = {
  idleViewMs: waits.idleMs,
  hostHelloMs: waits.answerMs,
  hostAnswerMs: waits.arrivalMs,
  promptEchoMs: waits.arrivalMs,
  promptWorkMs: waits.startMs,
  noticeGapMs: waits.arrivalMs,
  deviceAfterMs: waits.answerMs,
  partEndMs: waits.arrivalMs,
};

/** What the variable `LECTERN_TIMES` has, such as `hostAnswerMs=1000,deviceAfterMs=100`. Throws `INVALID_INPUT`. */
export function readTimes(text = ""): DaemonTimes {
  const given = text.split(",").filter((part) => part !== "");
  const names = Object.keys(defaultTimes);
  const changed = given.map((part) => {
    const [name = "", value = ""] = part.split("=");
    if (names.includes(name) && /^[1-9]\d{0,8}$/.test(value)) return [name, Number(value)] as const;
    const wanted = `one of ${names.join(", ")} with a whole number of milliseconds`;
    throw new LecternError("INVALID_INPUT", `Cannot use "${part}" in LECTERN_TIMES: wanted ${wanted}`);
  });
  return { ...defaultTimes, ...Object.fromEntries(changed) };
}
