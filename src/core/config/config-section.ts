/** A top-level key of `lectern.yaml`: a map of keys, or one value of the user's own items. */
import type { DataProblem } from "../json-schema/typed-form.ts";
import type { ConfigKey } from "./config-key.ts";

export interface ConfigSection {
  /** One sentence in Markdown, with a period. */
  readonly summary: string;
  readonly keys: Readonly<Record<string, ConfigKey<unknown>>>;
  /** What is wrong between keys whose data, as the file has it, has no problem of its own. */
  readonly problems?: (data: Readonly<Record<string, unknown>>) => readonly DataProblem[];
}

/** A section that is a list, or a map whose names are the user's, is one key. */
export type ConfigEntry = ConfigSection | ConfigKey<unknown>;

/** The value of a section: by its keys, each with its default. */
export type SectionValue<Entry extends ConfigEntry> = Entry extends ConfigSection
  ? { readonly [Name in keyof Entry["keys"]]: Entry["keys"][Name] extends ConfigKey<infer Value> ? Value : never }
  : Entry extends ConfigKey<infer Value>
    ? Value
    : never;

export const isSection = (entry: ConfigEntry): entry is ConfigSection => "keys" in entry;

/** A key with its names from the top, such as `listen` and `port`. */
export interface PlacedKey {
  readonly path: readonly string[];
  readonly key: ConfigKey<unknown>;
}

export const keysOf = (name: string, entry: ConfigEntry): readonly PlacedKey[] =>
  isSection(entry)
    ? Object.entries(entry.keys).map(([own, key]) => ({ path: [name, own], key }))
    : [{ path: [name], key: entry }];
