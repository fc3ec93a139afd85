/** What an agent says of its own state in the file that it keeps for its process, such as Claude Code's `sessions/PID.json`. */
import { asName, fieldsOf } from "../wire/shape.ts";
import type { SignalPlace } from "./osc-signals.ts";
import type { Signal } from "./signal.ts";

/** The source of these facts; their payload is `{ status, waitingFor }` in the agent's words. */
export const STATUS_SOURCE = "agent-status";

const claims: Readonly<Record<string, Pick<Signal, "says" | "allows" | "isFirm">>> = {
  busy: { says: "working", allows: ["working", "blocked"], isFirm: true },
  // A dialog is in the file some time after it is on the screen.
  idle: { says: "waiting", allows: ["waiting", "blocked"], isFirm: true },
  waiting: { says: "blocked", allows: ["blocked"], isFirm: true },
};
/** What it waits for may be a list that the user has opened. */
const anyDialog: Pick<Signal, "says" | "allows" | "isFirm"> = {
  says: "blocked",
  allows: ["blocked", "waiting"],
  isFirm: false,
};

/** Null for words that are not known. */
export function fileSignal(payload: unknown, at: SignalPlace): Signal | null {
  const { status, waitingFor } = fieldsOf(payload);
  const [state, what] = [asName(status), asName(waitingFor)];
  const known = state === undefined ? undefined : claims[state];
  if (known === undefined) return null;
  const isDialog = state === "waiting" && what !== undefined && !what.includes("permission");
  const text = [`status=${state}`, what && `waitingFor=${what}`].filter(Boolean).join(" ");
  return { kind: "agent-file", ...(isDialog ? anyDialog : known), text, rule: null, ...at };
}
