/** The standing of a session as a mark and a word, because colour must not be the only sign. */
import type { ReactElement } from "react";
import type { Standing } from "./attention.ts";

const words: Readonly<Record<Standing, string>> = {
  blocked: "Blocked",
  waiting: "Waiting",
  prompt: "At prompt",
  starting: "Starting",
  working: "Working",
  active: "Printing",
  quiet: "Quiet",
  idle: "Idle",
  away: "Out of reach",
  failed: "Failed",
  ended: "Ended",
  lost: "Lost",
  recording: "Recording",
  exited: "Done",
};

interface StandingMarkProps {
  readonly standing: Standing;
  readonly isShort?: boolean;
}

export function StandingMark({ standing, isShort }: StandingMarkProps): ReactElement {
  return (
    <span className="standing" data-standing={standing}>
      <span className="standing-dot" aria-hidden="true" />
      <span className={isShort === true ? "visually-hidden" : undefined}>{words[standing]}</span>
    </span>
  );
}
