/** What an operating system command in the output means; the only reader of those that views use. */
import { readShellMark } from "../shell-marks/shell-mark.ts";
import type { OscSequence } from "../text/osc-reader.ts";
import type { Cause } from "./observation.ts";
import { parseProgramStatus } from "./program-report.ts";

/** `markNonce` is that of the session's shell marks; null if it has none. Null for a sequence that says nothing about the session. */
export function oscCause(sequence: OscSequence, markNonce: string | null): Cause | null {
  const { command, data } = sequence;
  switch (command) {
    case 0:
    case 2:
      return { type: "title", text: data };
    case 9:
      return progressCause(data);
    case 7501:
      return { type: "program-status", change: parseProgramStatus(data) };
    case 21337:
      return { type: "tab-status", status: /(?:^|;)status=([^;]*)/.exec(data)?.[1]?.toLowerCase() ?? "" };
    default: {
      const mark = readShellMark(sequence, markNonce);
      return mark === undefined ? null : { type: "shell-mark", mark };
    }
  }
}

/** 9;4: 1 and 3 are progress, 0 is none. 2 and 4 are an error and a pause, which say nothing of what the program does. */
function progressCause(data: string): Cause | null {
  const state = /^4;([013])(?:;|$)/.exec(data)?.[1];
  return state === undefined ? null : { type: "progress", isActive: state !== "0", text: `9;${data}` };
}
