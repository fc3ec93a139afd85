/** Runs `openssl`, which makes certificates: Node only reads them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { LecternError } from "../../core/errors.ts";

const run = promisify(execFile);

const RUN_MS_MAX = 20_000;

/** A new key on P-256, without a passphrase. */
export const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** Runs a command in a directory. Throws `COMMAND_NOT_FOUND` without `openssl`. */
export async function openssl(command: readonly string[], directory: string): Promise<void> {
  try {
    await run("openssl", command, { cwd: directory, timeout: RUN_MS_MAX });
  } catch (cause) {
    const { code, stderr } = cause as { code?: unknown; stderr?: string };
    if (code === "ENOENT") {
      throw new LecternError(
        "COMMAND_NOT_FOUND",
        'Cannot make certificates without "openssl": install it, for example with "apt install openssl"',
        { cause },
      );
    }
    const why = stderr?.trim().split("\n").at(-1) ?? (cause as Error).message;
    throw new LecternError("INTERNAL", `Cannot make certificates: "openssl ${command[0]}" failed: ${why}`, { cause });
  }
}
