/** Reads the JSON Schemas of events from `NAME=FILE` options. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LecternError } from "../core/errors.ts";
import { isEventName } from "../core/events/tagged-event.ts";
import { parseLabel } from "./labels.ts";

/** By event name; undefined if none is given. Throws `USAGE` if an option is not NAME=FILE, `INVALID_INPUT` if a file is not valid JSON. */
export async function readEventSchemas(
  given: readonly string[],
  directory: string,
): Promise<Record<string, unknown> | undefined> {
  if (given.length === 0) return undefined;
  const schemas = await Promise.all(given.map((text) => readOne(text, directory)));
  return Object.fromEntries(schemas);
}

async function readOne(text: string, directory: string): Promise<readonly [string, unknown]> {
  const [name, file] = parseLabel(text) ?? [];
  if (name === undefined || file === undefined || !isEventName(name)) {
    throw new LecternError("USAGE", `Cannot read event schema "${text}": wanted NAME=FILE`);
  }
  try {
    return [name, JSON.parse(await readFile(resolve(directory, file), "utf8"))];
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LecternError("INVALID_INPUT", `Cannot read the schema of event "${name}": ${reason}`, { cause });
  }
}
