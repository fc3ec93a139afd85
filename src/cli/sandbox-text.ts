import type { SandboxFinding, SessionSandbox } from "../protocol/session.ts";
import { visibleText } from "../core/gate/visible-text.ts";

const PATH_CHARS_MAX = 4096;
const SHOWN_MAX = 20;

/** The program chose the name. */
const shown = (path: string): string => visibleText(JSON.stringify(path), PATH_CHARS_MAX);

/** What a sandbox has set aside and found at the end of its session, and what to do with it; no lines if there is nothing. */
export function foundLines({ findings, setAside }: Pick<SessionSandbox, "findings" | "setAside">): readonly string[] {
  const paths = setAside ?? [];
  const aside =
    paths.length === 0
      ? []
      : [
          `SET ASIDE: the program put there what could run something at your next command: ${listed(paths.map(shown))}. Its name (that of the ".git" or "HEAD" of a repository) ends in "-from-sandbox" now: read it, and rename it to use it`,
        ];
  const found =
    findings.length === 0
      ? []
      : [
          `READ FIRST: the program made or changed ${listed(findings.map(findingText))}. Read it before you use git, a build or an editor there`,
        ];
  return [...aside, ...found];
}

function listed(texts: readonly string[]): string {
  const more = texts.length > SHOWN_MAX ? `, and ${texts.length - SHOWN_MAX} more ("lectern info --json")` : "";
  return `${texts.slice(0, SHOWN_MAX).join(", ")}${more}`;
}

function findingText({ detail, path, what }: SandboxFinding): string {
  switch (what) {
    case "repository":
      return `the repository ${shown(path)}`;
    case "link":
      return `the link ${shown(path)} to ${shown(detail)}`;
    case "settings":
      return `${shown(path)}, which ${detail} executes there`;
    case "build":
      return `${shown(path)}, which "${detail}" executes`;
    case "rest":
      return `what is below ${shown(path)} and was not searched (${detail})`;
  }
}
