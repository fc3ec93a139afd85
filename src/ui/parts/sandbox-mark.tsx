import type { ReactElement } from "react";
import type { Session } from "../../client.ts";

/** The walls around a session; nothing for one that was started without a sandbox. */
export function SandboxMark({ sandbox }: Pick<Session, "sandbox">): ReactElement | null {
  if (sandbox === null) return null;
  const { backend, missing, profile, promises } = sandbox;
  const isOpen = backend === "none";
  const title = isOpen
    ? `It was started with --sandbox-optional, and there is no sandbox here: nothing holds ${missing.join(", ")}`
    : `By ${backend}: ${promises.join(", ")}`;
  return (
    <span className="gate note" data-gate={isOpen ? "not-gated" : "on"} title={title}>
      {isOpen ? "No sandbox" : `Sandbox: ${profile}`}
    </span>
  );
}
