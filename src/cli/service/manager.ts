/** The user's service manager: systemd on Linux, launchd on macOS. */
import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { launchdList, serviceUnit, type ServiceFacts } from "./unit.ts";

const RUN_MS_MAX = 30_000;

/** What the manager knows about the service; null if there is no manager, or it does not say. */
export interface ServiceState {
  readonly enabled: boolean | null;
  readonly active: boolean | null;
  /** It has ended with an error and is not started again. */
  readonly failed: boolean | null;
  readonly pid: number | null;
  /** Runs also while the user is not logged in. */
  readonly linger: boolean | null;
}

export interface ServiceManager {
  readonly name: "systemd" | "launchd";
  readonly file: string;
  readonly text: (facts: ServiceFacts) => string;
  /** False if it does not answer in this shell. */
  readonly isRunning: () => Promise<boolean>;
  /** Throws `NOT_AVAILABLE` with what the manager reports. */
  readonly install: (options: { readonly start: boolean }) => Promise<void>;
  readonly remove: () => Promise<void>;
  /** After the file has been removed. */
  readonly forget: () => Promise<void>;
  readonly state: () => Promise<ServiceState>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `NOT_AVAILABLE` on other systems. */
export function serviceManager(environment: Environment, platform: string = process.platform): ServiceManager {
  const home = environment["HOME"] ?? userInfo().homedir;
  if (platform === "linux")
    return systemd(join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "systemd/user"), environment);
  if (platform === "darwin") return launchd(join(home, "Library/LaunchAgents"), environment);
  throw new LecternError(
    "NOT_AVAILABLE",
    `Cannot install a service on ${platform}: start "lectern up --detach" at your login`,
  );
}

const UNIT = "lectern.service";

function systemd(directory: string, environment: Environment): ServiceManager {
  const systemctl = async (...words: readonly string[]): Promise<string> =>
    await output("systemctl", ["--user", ...words], environment);
  return {
    name: "systemd",
    file: join(directory, UNIT),
    text: serviceUnit,
    isRunning: async () => {
      try {
        await systemctl("show-environment");
        return true;
      } catch {
        return false;
      }
    },
    install: async ({ start }) => {
      await systemctl("daemon-reload");
      await systemctl("enable", UNIT);
      // One that has failed too often would not be started.
      await systemctl("reset-failed", UNIT).catch(() => "");
      if (start) await systemctl("restart", UNIT);
    },
    remove: async () => void (await systemctl("disable", "--now", UNIT)),
    forget: async () => void (await systemctl("daemon-reload")),
    state: async () => {
      const shown = await systemctl("show", UNIT, "--property=UnitFileState,ActiveState,MainPID").catch(
        () => undefined,
      );
      const values = new Map(shown?.split("\n").map((line) => line.split("=", 2) as [string, string]));
      const linger = await output(
        "loginctl",
        ["show-user", userInfo().username, "--property=Linger", "--value"],
        environment,
      ).catch(() => "");
      const pid = Number(values.get("MainPID") ?? 0);
      return {
        enabled: shown === undefined ? null : values.get("UnitFileState") === "enabled",
        active: shown === undefined ? null : values.get("ActiveState") === "active",
        failed: shown === undefined ? null : values.get("ActiveState") === "failed",
        pid: pid === 0 ? null : pid,
        linger: linger.trim() === "" ? null : linger.trim() === "yes",
      };
    },
  };
}

function launchd(directory: string, environment: Environment): ServiceManager {
  const file = join(directory, "lectern.plist");
  const domain = `gui/${process.getuid?.() ?? 501}`;
  const launchctl = async (...words: readonly string[]): Promise<string> =>
    await output("launchctl", words, environment);
  return {
    name: "launchd",
    file,
    text: launchdList,
    isRunning: async () => true,
    install: async ({ start }) => {
      await launchctl("bootout", `${domain}/lectern`).catch(() => "");
      if (start) await launchctl("bootstrap", domain, file);
    },
    remove: async () => void (await launchctl("bootout", `${domain}/lectern`)),
    forget: async () => undefined,
    state: async () => {
      const shown = await launchctl("print", `${domain}/lectern`).catch(() => undefined);
      const pid = Number(/\bpid = (\d+)/.exec(shown ?? "")?.[1] ?? 0);
      return {
        enabled: shown !== undefined,
        active: pid !== 0,
        failed: null,
        pid: pid === 0 ? null : pid,
        linger: null,
      };
    },
  };
}

/** Standard output. Throws `NOT_AVAILABLE` with the last line of standard error. */
async function output(program: string, words: readonly string[], environment: Environment): Promise<string> {
  const { promise, reject, resolve } = Promise.withResolvers<string>();
  execFile(program, words, { env: environment, timeout: RUN_MS_MAX }, (cause, stdout, stderr) => {
    if (cause === null) return resolve(stdout);
    const why = stderr.trim().split("\n").at(-1) || cause.message;
    reject(new LecternError("NOT_AVAILABLE", `Cannot run "${program} ${words.join(" ")}": ${why}`, { cause }));
  });
  return await promise;
}
