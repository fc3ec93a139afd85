/** JSON Schema 2020-12 of `lectern.yaml`, made from the sections. `schemas/config.schema.json` is printed from here, for editors. */
import type { SchemaObject } from "../json-schema/schema-run.ts";
import type { ConfigKey } from "./config-key.ts";
import { isSection, type ConfigEntry } from "./config-section.ts";

export function configSchema(sections: Readonly<Record<string, ConfigEntry>>): SchemaObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Lectern configuration",
    ...mapOf(Object.fromEntries(Object.entries(sections).map(([name, entry]) => [name, schemaOfEntry(entry)]))),
  };
}

const schemaOfEntry = (entry: ConfigEntry): SchemaObject =>
  isSection(entry)
    ? {
        description: entry.summary,
        ...mapOf(Object.fromEntries(Object.entries(entry.keys).map(([name, key]) => [name, schemaOfKey(key)]))),
      }
    : schemaOfKey(entry);

const schemaOfKey = ({ default: initial, schema, summary }: ConfigKey<unknown>): SchemaObject => ({
  ...schema,
  description: summary,
  ...(initial === undefined ? {} : { default: initial }),
});

const mapOf = (properties: SchemaObject): SchemaObject => ({ type: "object", additionalProperties: false, properties });
