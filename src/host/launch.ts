/** Starts a pty host as a separate process, which outlives its starter. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { openLogDescriptor } from "./log-descriptor.ts";
import { ownEnvironment, ownNodeOptions } from "../pty/own-environment.ts";

/** A host can run without a log. */
function openLogOf(path: string): number {
  try {
    return openLogDescriptor(path);
  } catch {
    return openSync(devNull, "a");
  }
}

/** Resolves with the host's process id when it listens. */
export async function launchHost(options: {
  readonly socketPath: string;
  readonly logFile: string;
  readonly version: string;
}): Promise<number> {
  const entry = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url));
  const log = openLogOf(options.logFile);
  const child = spawn(process.execPath, [...ownNodeOptions, entry, options.socketPath, options.version], {
    // In its own session, out of reach of signals from the daemon's terminal and process group.
    detached: true,
    stdio: ["ignore", "pipe", log],
    cwd: "/",
    env: ownEnvironment(),
  });
  closeSync(log);
  const { stdout } = child;
  if (stdout === null) throw new TypeError("The host was started without a pipe");
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not answer within ${waits.startMs} ms`)), waits.startMs);
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`it ended with code ${code}`)));
      stdout.once("data", () => resolve());
    });
  } catch (cause) {
    child.kill("SIGKILL");
    throw new LecternError("HOST_UNREACHABLE", `Cannot start the pty host: see "${options.logFile}"`, { cause });
  } finally {
    clearTimeout(timer);
    child.removeAllListeners();
    stdout.destroy();
    child.unref();
  }
  return child.pid ?? 0;
}
