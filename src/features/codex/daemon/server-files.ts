/** Where the server of Codex is: in the private directory of its session. */
import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { platform } from "../../../pty/platform.ts";
import type { ProgramLaunch } from "../../../daemon/parts/session-part.ts";
import { serverLauncher, type ServerFiles } from "../core/server-launch.ts";

const directoryOf = (session: string): string => join(session, "codex");

/** Undefined in a session that was not started for a server. */
export function serverFilesOf(session: string): ServerFiles | undefined {
  const directory = directoryOf(session);
  return existsSync(directory) ? filesIn(directory) : undefined;
}

const filesIn = (directory: string): ServerFiles => ({
  socket: join(directory, "socket"),
  plain: join(directory, "plain"),
});

/** Lets `codex` start on a server. A path that is too long for a socket leaves it as it is. */
export function prepareServer(session: string, launch: Pick<ProgramLaunch, "command" | "launchers">): void {
  const directory = directoryOf(session);
  const files = filesIn(directory);
  if (basename(launch.command[0]) !== "codex" || Buffer.byteLength(files.socket) > platform.socketPathBytesMax) return;
  mkdirSync(directory, { mode: 0o700 });
  launch.launchers.push((command) => serverLauncher(command, files));
}
