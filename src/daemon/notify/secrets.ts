/** Secrets of the configuration, read when they are used, so that a new one counts at once. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { SecretText } from "../../core/notify/settings.ts";

/** A relative path is in the data directory. Throws `NOT_AVAILABLE`. */
export function readSecret(given: SecretText, dataDirectory: string): string {
  if (typeof given === "string") return given;
  if ("env" in given) {
    const value = process.env[given.env] ?? "";
    if (value !== "") return value;
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot read the secret: the daemon has no variable "${given.env}"; set it where the daemon starts, or use a file`,
    );
  }
  const path = given.file.startsWith("~/") ? join(homedir(), given.file.slice(2)) : resolve(dataDirectory, given.file);
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text !== "") return text;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new LecternError("NOT_AVAILABLE", `Cannot read the secret in "${path}": ${code ?? "unknown error"}`, {
      cause,
    });
  }
  throw new LecternError("NOT_AVAILABLE", `Cannot read the secret in "${path}": the file is empty`);
}
