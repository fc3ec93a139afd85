import { readFileSync } from "node:fs";
import { jsonValueOf } from "../core/json/json-value.ts";

/** The content of a JSON file; undefined if it does not exist, cannot be read, or is damaged. */
export function readJsonFile(path: string): unknown {
  try {
    return jsonValueOf(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
