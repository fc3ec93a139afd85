/** What counts: the values of the sections from the layers of files and environment, and where each comes from. */
import { isObject } from "../json-schema/schema-run.ts";
import { keysOf, type ConfigEntry, type PlacedKey } from "./config-section.ts";
import type { ConfigData } from "./check-config.ts";
import { configSections, type SectionName, type ValueOf } from "./sections.ts";

export interface ConfigLayers {
  readonly user: ConfigData;
  /** Default: there is none. */
  readonly project?: ConfigData;
  /** Default: none of the variables counts. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A value as a file would have it. */
export interface SourcedValue {
  readonly value: unknown;
  readonly from: "environment" | "project" | "user" | "default";
}

export const sectionValue = <Name extends SectionName>(name: Name, layers: ConfigLayers): ValueOf<Name> =>
  valueOfEntry(name, configSections[name], layers) as ValueOf<Name>;

/** The same for a table of sections of its own. */
export function valueOfEntry(name: string, entry: ConfigEntry, layers: ConfigLayers): unknown {
  const values = keysOf(name, entry).map(({ path, key }) => {
    const { value } = sourcedValue({ path, key }, layers);
    return [path[1], key.read(value)] as const;
  });
  return values[0]?.[0] === undefined ? values[0]?.[1] : Object.fromEntries(values);
}

/** The value of a key before it is read, and its source. */
export function sourcedValue({ path, key }: PlacedKey, layers: ConfigLayers): SourcedValue {
  const variable = key.environment === undefined ? undefined : fromVariable(layers.environment?.[key.environment], key);
  if (variable !== undefined) return { value: variable, from: "environment" };
  const user = dataAt(layers.user, path);
  const project = key.project === undefined ? undefined : dataAt(layers.project ?? {}, path);
  if (project !== undefined && (key.project === "sets" || user === undefined))
    return { value: project, from: "project" };
  if (user !== undefined) return { value: user, from: "user" };
  return { value: key.default, from: "default" };
}

/** Data of a file that was checked. */
export function dataAt(data: ConfigData, [section = "", name]: readonly string[]): unknown {
  const value = Object.hasOwn(data, section) ? data[section] : undefined;
  if (name === undefined) return value;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Undefined for a variable that is not set, is empty, or has no value of this key. */
function fromVariable(written: string | undefined, { problems, schema }: PlacedKey["key"]): unknown {
  if (written === undefined || written === "") return undefined;
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(written)) return undefined;
  return problems(written).length === 0 ? written : undefined;
}
