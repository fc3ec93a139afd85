import { isObject, type SchemaObject } from "../json-schema/schema-run.ts";

const HIDDEN_VALUE = "(hidden)";

/** A copy in which each value whose schema has `writeOnly` is replaced. */
export function shownValue(value: unknown, schema: SchemaObject): unknown {
  if (schema["writeOnly"] === true) return isObject(value) && Object.keys(value).length === 0 ? value : HIDDEN_VALUE;
  const own = shownParts(value, schema);
  const others = [schema["anyOf"], schema["oneOf"], schema["allOf"]].flat().filter((each) => isObject(each));
  return others.reduce<unknown>((shown, each) => shownValue(shown, each), own);
}

function shownParts(value: unknown, { additionalProperties, items, properties }: SchemaObject): unknown {
  if (Array.isArray(value)) return isObject(items) ? value.map((item) => shownValue(item, items)) : value;
  if (!isObject(value)) return value;
  const known = isObject(properties) ? properties : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const schema = Object.hasOwn(known, name) ? known[name] : additionalProperties;
      return [name, isObject(schema) ? shownValue(part, schema) : part];
    }),
  );
}
