import type { ForegroundState } from "../observe/observation.ts";
import type { ForegroundVerdict } from "../records.ts";
import type { Signal } from "./signal.ts";
import type { StatusState } from "./status.ts";

const all: readonly StatusState[] = ["working", "waiting", "blocked", "idle"];

const claims: Readonly<Partial<Record<ForegroundVerdict, Pick<Signal, "says" | "allows" | "isFirm">>>> = {
  prompt: { says: "waiting", allows: ["waiting", "blocked"], isFirm: true },
  raw: { says: "waiting", allows: ["waiting", "blocked"], isFirm: true },
  password: { says: "blocked", allows: ["blocked"], isFirm: true },
  busy: { says: "working", allows: ["working", "idle"], isFirm: true },
  stopped: { says: "idle", allows: ["idle"], isFirm: true },
};

/**
 * Null if the kernel reports nothing. Of an agent it is only evidence: a prompt and a dialog look the same to the kernel, and an agent
 * between two requests waits for keys as well.
 */
export function foregroundSignal(
  state: Pick<ForegroundState, "verdict" | "program" | "offset" | "timeUs">,
  isAgent: boolean,
): Signal | null {
  const found = claims[state.verdict];
  if (found === undefined) return null;
  const { offset, timeUs } = state;
  const text = `${state.verdict}: ${state.program ?? "a program"}`;
  const weak = isAgent && found.says !== "blocked";
  return {
    kind: "foreground",
    ...found,
    ...(weak && { allows: all, isFirm: false }),
    text,
    rule: null,
    offset,
    timeUs,
  };
}
