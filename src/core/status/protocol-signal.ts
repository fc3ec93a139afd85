/** What the protocol of an agent shows, as a signal: exact, so nothing else is asked. */
import type { ProtocolFacts } from "../observe/protocol-reader.ts";
import type { SignalPlace } from "./osc-signals.ts";
import type { Signal } from "./signal.ts";

const texts: Readonly<Record<ProtocolFacts["state"], string>> = {
  blocked: "the protocol: a question has no answer",
  working: "the protocol: a prompt has no answer",
  waiting: "the protocol: every prompt is answered",
};

/** The signal before it stays as long as it reports the same. */
export function protocolSignal(before: Signal | null, says: ProtocolFacts["state"], at: SignalPlace): Signal {
  if (before?.says === says) return before;
  return { kind: "protocol", says, allows: [says], isFirm: true, text: texts[says], rule: null, ...at };
}
