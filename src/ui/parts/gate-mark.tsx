import type { ReactElement } from "react";
import type { Session } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";

/** Whether the model requests of an agent pass the gateway; nothing for a session without one. */
export function GateMark({ gate }: Pick<Session, "gate">): ReactElement | null {
  if (gate === null) return null;
  const { calls, evidence, lastRequestAt, mode, policyHash, requests, state } = gate;
  const isLogOnly = mode === "log-only";
  const policy =
    policyHash === null
      ? "every call is allowed"
      : `policy ${policyHash.slice(0, 12)}${isLogOnly ? ", log-only: nothing is refused" : ""}`;
  const last = lastRequestAt === null ? "" : `, the last one at ${lastRequestAt}`;
  const facts = `${policy}; ${requests} requests${last}; ${calls} tool calls`;
  const title = evidence === null ? facts : `${escapeForDisplay(evidence)} (${facts})`;
  return (
    <span className="gate note" data-gate={state} title={title}>
      {state === "on" ? `Gate: ${requests} requests${isLogOnly ? ", log only" : ""}` : "Not gated"}
    </span>
  );
}
