/** Receipts of prompts as an earlier Lectern stored them. */
import type { Receipt } from "../../core/acting/receipt.ts";
import type { ActTarget } from "../../core/acting/target.ts";

/** Before targets had a `kind`: `pid` only of a process that was seen reading, the times of the leader of the group. */
type EarlierTarget = Pick<ActTarget, "agent" | "run" | "program" | "group" | "startTicks"> &
  Partial<Pick<ActTarget, "kind" | "pid" | "image" | "hasRead">>;

/** Throws `SyntaxError` if it is not JSON. */
export function readReceipt(text: string): Receipt {
  const receipt = JSON.parse(text) as Receipt;
  return receipt.targets === undefined ? receipt : { ...receipt, targets: receipt.targets.map(targetOf) };
}

function targetOf(given: EarlierTarget): ActTarget {
  const { kind, pid = given.group, image = null, hasRead = given.pid !== undefined } = given;
  if (kind !== undefined) return { ...given, kind, pid, image, hasRead };
  const isOfLeader = pid === given.group;
  return {
    ...given,
    kind: given.agent === null ? "unknown" : `agent ${given.agent}`,
    pid,
    startTicks: isOfLeader ? given.startTicks : null,
    image: isOfLeader ? image : null,
    hasRead,
  };
}
