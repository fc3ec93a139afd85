/** The machines that a user reaches over SSH: `hosts.json` in the data directory, written by `lectern hosts`. */
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { LecternError } from "../core/errors.ts";
import { machineNameSchema } from "../protocol/machines.ts";

/** Names in one file; a list of all sessions asks each of them. */
export const HOSTS_MAX = 100;
/** A file above this was not written by `lectern hosts`. */
const FILE_BYTES_MAX = 1_048_576;

/** What ssh takes for an option would be one; a line feed would end the line of a prompt. */
const destinationSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^-\s\p{C}][^\s\p{C}]*$/u, "user@machine or a Host of your ssh configuration");

const hostSchema = z.strictObject({
  name: machineNameSchema,
  /** `user@box`, or a `Host` of the user's ssh configuration. */
  destination: destinationSchema,
  /** Values of ssh's `-o`, such as `Port=2222`. */
  sshOptions: z.array(z.string().min(1).max(4096)).max(32),
  /** The program there; null for `lectern` on the PATH of the login shell. */
  program: z.string().min(1).max(4096).nullable(),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  hosts: z
    .array(hostSchema)
    .max(HOSTS_MAX)
    .refine((hosts) => new Set(hosts.map(({ name }) => name)).size === hosts.length, "a name stands for two hosts"),
});

/** One machine that is reached over SSH. */
export type SshHost = z.infer<typeof hostSchema>;

/** The hosts in the order they were added; none without a file. Throws `INVALID_INPUT` for a file that cannot be read, with the path. */
export function readHosts(path: string): readonly SshHost[] {
  let text: string;
  try {
    if (statSync(path).size > FILE_BYTES_MAX) throw unreadable(path, `it has more than ${FILE_BYTES_MAX} bytes`);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error instanceof LecternError ? error : unreadable(path, (error as Error).message);
  }
  try {
    const { hosts } = fileSchema.parse(JSON.parse(text));
    return hosts;
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw unreadable(path, why.replaceAll(/\s+/g, " "));
  }
}

/** Replaces the file as a whole, so that a reader sees the old hosts or the new ones. */
export function writeHosts(path: string, hosts: readonly SshHost[]): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(temporary, `${JSON.stringify({ version: 1, hosts }, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new LecternError("INVALID_INPUT", `Cannot write "${path}": ${(cause as Error).message}`, { cause });
  }
}

/** Checks one host as the file would. Throws `INVALID_INPUT`. */
export function parseHost(host: SshHost): SshHost {
  const { data, error } = hostSchema.safeParse(host);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot use this host: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
  );
}

const unreadable = (path: string, why: string): LecternError =>
  new LecternError("INVALID_INPUT", `Cannot read the hosts in "${path}": ${why}; mend or remove that file`, {
    details: { path },
  });
