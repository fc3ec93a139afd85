/** What the protocol of an agent shows, as a signal: exact, so nothing else is asked. */
import type { ProtocolFacts } from "../observe/protocol-reader.ts";
import type { SignalPlace } from "./osc-signals.ts";
import type { Signal } from "./signal.ts";
import { STATUS_STATES, type StatusState } from "./status.ts";

const texts: Readonly<Record<ProtocolFacts["state"], string>> = {
  blocked: "the protocol: a question has no answer",
  working: "the protocol: a prompt has no answer",
  waiting: "the protocol: every prompt is answered",
  unknown: "the protocol",
};

/**
 * The signal before it stays as long as it reports the same. One that knows nothing decides nothing, and says why. A program with a screen may
 * ask there what its protocol does not know, such as whether a plan is to be carried out.
 */
export function protocolSignal(
  before: Signal | null,
  { hasScreen, reason, state: says }: Pick<ProtocolFacts, "hasScreen" | "reason" | "state">,
  at: SignalPlace,
): Signal {
  const text = reason === null ? texts[says] : `${texts[says]}: ${reason}`;
  if (before?.says === says && before.text === text) return before;
  const known: readonly StatusState[] = hasScreen && says === "waiting" ? [says, "blocked"] : [says];
  const allows = says === "unknown" ? STATUS_STATES : known;
  return { kind: "protocol", says, allows, isFirm: says !== "unknown", text, rule: null, ...at };
}
