/** The init file of readline, which a program in a terminal has read: that of its own environment, and of its own root directory. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { keyBindings, type KeyBinding } from "../core/acting/key-bindings.ts";
import { environmentOf } from "./proc-files.ts";
import { procPath } from "./platform.ts";

/** Of each file; the rest is not read. */
const FILE_BYTES_MAX = 256 * 1024;

/** Empty where there is no file, or none that this user may read. */
export function lineEditorBindings(pid: number, program: string): KeyBinding[] {
  const variables = new Map((environmentOf(pid) ?? []).map((each) => splitAt(each, each.indexOf("="))));
  const home = variables.get("HOME") ?? "";
  const include = (path: string): string | null => readIn(pid, path.replace(/^~(?=\/)/, home));
  const own = variables.get("INPUTRC") ?? "";
  const config = variables.get("XDG_CONFIG_HOME") ?? join(home, ".config");
  const defaults = [join(home, ".inputrc"), join(config, "readline/inputrc"), "/etc/inputrc"];
  for (const path of own === "" ? defaults : [own]) {
    const text = include(path);
    if (text !== null) return keyBindings(text, { program: program.toLowerCase(), include });
  }
  return [];
}

const splitAt = (text: string, at: number): [string, string] => [text.slice(0, at), text.slice(at + 1)];

function readIn(pid: number, path: string): string | null {
  if (!path.startsWith("/")) return null;
  for (const root of [procPath(`${pid}/root`), ""]) {
    const text = readFileHead(root + path);
    if (text !== null) return text;
  }
  return null;
}

/** The beginning of a file; null where it cannot be read. `flags`: besides those for reading. */
export function readFileHead(path: string, flags = 0): string | null {
  let descriptor: number | undefined;
  try {
    // A pipe that nobody writes to is not waited for.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    const bytes = Buffer.allocUnsafe(FILE_BYTES_MAX);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, FILE_BYTES_MAX, 0));
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
