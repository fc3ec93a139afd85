/** Finds bubblewrap and tries it: whether it works depends on the kernel, on its settings and on the container around. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bubblewrapWords } from "../../core/sandbox/bubblewrap.ts";
import { filterFile } from "./filter-file.ts";
import { platform, procPath } from "../../pty/platform.ts";

/** Names another bubblewrap than the one of the system. */
const BUBBLEWRAP_VARIABLE = "LECTERN_BUBBLEWRAP";
const systemFolders = ["/usr/bin", "/usr/local/bin", "/bin"] as const;
/** A sandbox that does not start within this time is not used. */
const PROBE_MS_MAX = 20_000;

/** A backend that works, or why there is none and what to do. */
export type SandboxBackend =
  | { readonly isAvailable: true; readonly bubblewrap: string; readonly filterFile: string }
  | { readonly isAvailable: false; readonly reason: string; readonly next: string };

/** Starts `true` in a sandbox, which takes about 10 ms. `directory`: where the file of the filter goes. */
export async function probeSandbox(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SandboxBackend> {
  if (platform.withoutSandbox !== undefined)
    return { isAvailable: false, reason: platform.withoutSandbox, next: "Use Linux, or a container" };
  const filter = filterFile(directory);
  if (filter === undefined) {
    const reason = `the system calls of ${process.arch} are not known`;
    return { isAvailable: false, reason, next: "Use a machine with an x64 or arm64 processor" };
  }
  const bubblewrap = findBubblewrap(environment);
  if (bubblewrap === undefined) {
    const named = environment[BUBBLEWRAP_VARIABLE];
    const reason = named
      ? `${BUBBLEWRAP_VARIABLE} names "${named}", which cannot be executed`
      : "bubblewrap is not installed";
    return { isAvailable: false, reason, next: installLine };
  }
  const problem = await tryStart(bubblewrap, filter);
  if (problem === undefined) return { isAvailable: true, bubblewrap, filterFile: filter };
  return { isAvailable: false, reason: `bubblewrap does not work: ${problem}`, next: remedyFor(problem) };
}

const installLine =
  "Install it: apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), apk add bubblewrap (Alpine)";

function findBubblewrap(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = environment[BUBBLEWRAP_VARIABLE];
  const folders = [
    ...systemFolders,
    ...(environment["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/")),
  ];
  const candidates = named ? [named] : folders.map((folder) => join(folder, "bwrap"));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const emptyPlan = {
  profile: "probe",
  workingDirectory: "/",
  mounts: [],
  standIns: [],
  environment: {},
  unset: [],
  network: "none",
  wayOut: null,
} as const;

/** What it says if it does not start; undefined if it does. */
async function tryStart(bubblewrap: string, filter: string): Promise<string | undefined> {
  const [shell, ...words] = bubblewrapWords(emptyPlan, {
    bubblewrap,
    filterFile: filter,
    eventSocket: undefined,
    privateDirectory: "/nonexistent",
  });
  return await new Promise((resolve) => {
    execFile(
      shell,
      [...words, "true"],
      { timeout: PROBE_MS_MAX, env: { PATH: "/usr/bin:/bin" } },
      (error, _, stderr) => {
        if (error === null) return resolve(undefined);
        const line = stderr.trim().split("\n").at(-1) ?? "";
        resolve(line === "" ? error.message : line);
      },
    );
  });
}

/** What to do about the last line that bubblewrap prints. */
export function remedyFor(problem: string, read: (name: string) => string | undefined = kernelSetting): string {
  if (/default-signal|unrecognized option|\/usr\/bin\/env/.test(problem)) return "Install GNU coreutils 8.31 or later";
  if (/Unknown option|No permissions to create/.test(problem) && !/namespace/.test(problem))
    return "Install bubblewrap 0.6 or later";
  if (read("kernel/apparmor_restrict_unprivileged_userns") === "1")
    return "AppArmor forbids user namespaces (Ubuntu 24.04 and later): sudo apt install apparmor-profiles && sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict";
  if (read("kernel/unprivileged_userns_clone") === "0") return "sudo sysctl kernel.unprivileged_userns_clone=1";
  if (read("user/max_user_namespaces") === "0") return "sudo sysctl user.max_user_namespaces=15000";
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv"))
    return "In a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined, or let the container be the sandbox";
  return 'See "Where it works" in docs/sandbox.md';
}

/** A setting of the kernel; undefined where there is none. `name`: such as `kernel/ostype`. */
export function kernelSetting(name: string): string | undefined {
  try {
    return readFileSync(procPath(`sys/${name}`), "utf8").trim();
  } catch {
    return undefined;
  }
}
