import type { ReactElement } from "react";
import type { Session } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";

const SHOWN_MAX = 20;

/** The walls around a session, and what its program has left to be read; nothing for one that was started without a sandbox. */
export function SandboxMark({ sandbox }: Pick<Session, "sandbox">): ReactElement | null {
  if (sandbox === null) return null;
  const { backend, findings, missing, profile, promises, setAside } = sandbox;
  const isOpen = backend === "none";
  const title = isOpen
    ? `It was started with --sandbox-optional, and there is no sandbox here: nothing holds ${missing.join(", ")}`
    : `By ${backend}: ${promises.join(", ")}`;
  return (
    <>
      <span className="gate note" data-gate={isOpen ? "not-gated" : "on"} title={title}>
        {isOpen ? "No sandbox" : `Sandbox: ${profile}`}
      </span>
      <Paths
        word="Set aside"
        title="Its name ends in “-from-sandbox” now: it could run something at your next command. Read it, and rename it to use it"
        paths={setAside ?? []}
      />
      <Paths
        word="Read first"
        title="The program made or changed it, and something executes it in its directory"
        paths={findings.map(({ path }) => path)}
      />
    </>
  );
}

function Paths({
  paths,
  title,
  word,
}: {
  readonly word: string;
  readonly title: string;
  readonly paths: readonly string[];
}): ReactElement | null {
  if (paths.length === 0) return null;
  const shown = paths.slice(0, SHOWN_MAX).map(escapeForDisplay).join("\n");
  return (
    <span className="gate note" data-gate="not-gated" title={`${title}:\n${shown}`}>
      {`${word}: ${paths.length}`}
    </span>
  );
}
