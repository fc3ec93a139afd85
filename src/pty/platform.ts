/**
 * What this system can do, in one record: every use of `/proc` and of `node:ffi` asks it (docs/platforms.md has the table of what is weaker
 * without them). `LECTERN_PLATFORM=portable` gives a Linux system what a Mac has, so that the tests run in it.
 */

/** The variable that chooses the platform: `portable`; empty for what the system has. */
export const PLATFORM_VARIABLE = "LECTERN_PLATFORM";

export interface Platform {
  readonly name: "linux" | "portable";
  /** What the variable says, if it is not known; the platform is then that of the system. */
  readonly unknown: string | undefined;
  /** Whether there is a `/proc` as `proc(5)` describes it. */
  readonly hasProc: boolean;
  /** Why the C library is not called through `node:ffi`; undefined if it may be. */
  readonly withoutFfi: string | undefined;
  /** Why bubblewrap starts no sandbox; undefined if it may. */
  readonly withoutSandbox: string | undefined;
  /** The longest path of a unix socket: `sun_path` has 108 bytes with the final zero, on macOS 104 (`unix(7)`, `unix(4)`). */
  readonly socketPathBytesMax: number;
}

/** `wanted`: the value of the variable. `system`: `process.platform`. */
export function platformOf(wanted: string | undefined, system: string): Platform {
  const isPortable = wanted === "portable";
  const unknown = wanted === undefined || wanted === "" || isPortable ? undefined : wanted;
  if (system === "linux" && !isPortable) {
    const ways = { hasProc: true, withoutFfi: undefined, withoutSandbox: undefined } as const;
    return { name: "linux", unknown, ...ways, socketPathBytesMax: 107 };
  }
  const reason = isPortable ? `${PLATFORM_VARIABLE} is "portable"` : `needs Linux, this is ${system}`;
  return {
    name: "portable",
    unknown,
    hasProc: false,
    withoutFfi: reason,
    withoutSandbox: reason,
    socketPathBytesMax: 103,
  };
}

export const platform = platformOf(process.env[PLATFORM_VARIABLE], process.platform);

/**
 * A path of `/proc`, such as `self/limits`; "" for the directory. Without `/proc` it is one that does not exist, so a read fails as it does on a
 * Mac.
 */
export const procPath = (path: string | number): string => (platform.hasProc ? `/proc/${path}` : `/no-proc/${path}`);
