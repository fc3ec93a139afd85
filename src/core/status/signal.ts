/** One piece of evidence for a state, and how several signals are weighed. */
import { SIGNAL_KINDS, type Evidence, type SignalKind, type StatusState } from "./status.ts";

export interface Signal extends Omit<Evidence, "signal" | "isDecisive"> {
  readonly kind: SignalKind;
  /** The states that it does not rule out; a weaker signal chooses among them. */
  readonly allows: readonly StatusState[];
  /** It may decide alone if more than one state is left. */
  readonly isFirm: boolean;
}

export interface StatusDecision {
  readonly state: StatusState;
  /** The signal that decided; null if none did. */
  readonly by: Signal | null;
  /** In order of trust. */
  readonly evidence: readonly Evidence[];
}

const textCharsMax = 200;

/**
 * Most trusted first: a signal whose state is still possible narrows what is possible; one whose state is not is kept as a conflict. A
 * state that is left and reported decides if it is the only one left, or if the signal is firm. Otherwise the state is `unknown`.
 */
export function weigh(signals: readonly Signal[], order: readonly SignalKind[] = SIGNAL_KINDS): StatusDecision {
  const ordered =
    signals.length < 2 ? signals : signals.toSorted((one, two) => order.indexOf(one.kind) - order.indexOf(two.kind));
  let possible: readonly StatusState[] | null = null;
  const consistent: Signal[] = [];
  for (const signal of ordered) {
    if (possible !== null && !possible.includes(signal.says)) continue;
    consistent.push(signal);
    possible = signal.allows.filter((state) => possible?.includes(state) !== false);
  }
  const left: readonly StatusState[] = possible ?? [];
  const by = consistent.find(({ says, isFirm }) => left.includes(says) && (left.length === 1 || isFirm)) ?? null;
  return { state: by?.says ?? "unknown", by, evidence: ordered.map((signal) => evidenceOf(signal, by)) };
}

function evidenceOf({ kind, says, text, rule, offset, timeUs }: Signal, by: Signal | null): Evidence {
  const isDecisive = by !== null && says === by.says;
  return { signal: kind, says, text: text.slice(0, textCharsMax), rule, offset, timeUs, isDecisive };
}
