/** What is run on another machine to find its daemon, and what it answers. */
import { LecternError } from "../core/errors.ts";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";

/** Printed before the answer, because a login shell may print things of its own. */
const ANSWER_MARK = "lectern-daemon:";
/** Exit code of the script where there is no such program. */
export const NOT_INSTALLED_EXIT_CODE = 127;

/** The daemon of another machine. */
export interface RemoteDaemon {
  readonly version: string;
  readonly protocolVersion: number;
  /** The path of its unix socket there. */
  readonly socket: string;
}

/**
 * A command line for the shell of the user there, whichever it is: starts the daemon if none runs and prints one line about it. As at a
 * login, because Node, npm and agents are often put on the PATH only there, and sessions get the environment of the daemon.
 * `program` is null for `lectern` on that PATH.
 */
export function findDaemonCommand(program: string | null): string {
  const name = program === null ? "lectern" : quote(program);
  const answer = `d=$(${name} info --json) || exit $?; printf '\\n${ANSWER_MARK}%s\\n' "$d"`;
  const script = `if command -v ${name} >/dev/null 2>&1; then ${answer}; else exit ${NOT_INSTALLED_EXIT_CODE}; fi`;
  return `exec sh -c ${quote(`exec "\${SHELL:-/bin/sh}" -lc ${quote(`exec sh -c ${quote(script)}`)}`)}`;
}

/** For POSIX shells and fish, in whose single quotes a backslash is not always itself. csh reads it, too: the scripts have no "!". */
const quote = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** Undefined if the output has no such line, or the daemon listens on no unix socket. */
export function readRemoteDaemon(output: string): RemoteDaemon | undefined {
  const line = output.split("\n").findLast((text) => text.startsWith(ANSWER_MARK));
  if (line === undefined) return undefined;
  try {
    const info = JSON.parse(line.slice(ANSWER_MARK.length)) as Readonly<Record<string, unknown>>;
    const { listen, protocolVersion, version } = info;
    if (!Array.isArray(listen) || typeof protocolVersion !== "number" || typeof version !== "string") return undefined;
    const where = listen.find((each): each is string => typeof each === "string" && each.startsWith("unix:/"));
    return where === undefined ? undefined : { version, protocolVersion, socket: where.slice("unix:".length) };
  } catch {
    return undefined;
  }
}

/** Throws `VERSION_MISMATCH`, which names the machine to update. */
export function checkRemoteVersion(name: string, remote: Pick<RemoteDaemon, "version" | "protocolVersion">): void {
  const { protocolVersion, version } = remote;
  if (protocolVersion === PROTOCOL_VERSION) return;
  const next =
    protocolVersion > PROTOCOL_VERSION
      ? `update Lectern here: npm install -g lectern@${version}`
      : `update it there: npm install -g lectern, then "lectern down && lectern up"; sessions keep running`;
  throw new LecternError(
    "VERSION_MISMATCH",
    `Cannot talk to host "${name}": Lectern ${version} there speaks protocol ${protocolVersion}, wanted ${PROTOCOL_VERSION}; ${next}`,
    { details: { host: name, daemon: protocolVersion, wanted: PROTOCOL_VERSION } },
  );
}
