/** JSON Schemas that carry the type of their data, so that the form of a file is written once. The type exists for the compiler only. */
import type { SchemaObject } from "./schema-run.ts";

declare const dataType: unique symbol;

/** The JSON Schema of data of this type. */
export type Form<Data> = SchemaObject & { readonly [dataType]?: Data };

/** The type of data that fits a form. */
export type DataOf<Typed> = Typed extends Form<infer Data> ? Data : never;

/** A problem of data that fits its form, with its place in the data. */
export interface DataProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The type of a map with these keys, of which `Needed` are always there. */
export type MapData<Forms, Needed extends keyof Forms> = {
  readonly [Key in keyof Forms as Key extends Needed ? never : Key]?: DataOf<Forms[Key]>;
} & { readonly [Key in Needed]: DataOf<Forms[Key]> };

/** A schema whose data has this type: the one place where a schema and a type are held together by hand. */
export const form = <Data>(schema: SchemaObject): Form<Data> => schema;

/** Data as one of these words. */
export const wordForm = <const Word extends string>(words: readonly Word[]): Form<Word> => form({ enum: words });

/** Data as a map of these keys and no others. */
export const mapForm = <
  const Forms extends Readonly<Record<string, Form<unknown>>>,
  const Needed extends keyof Forms = never,
>(
  properties: Forms,
  ...required: readonly Needed[]
): Form<MapData<Forms, Needed>> =>
  form({ type: "object", additionalProperties: false, properties, ...(required.length > 0 && { required }) });

/** The same data, with more about it. */
export const formWith = <Data>(base: Form<Data>, more: SchemaObject): Form<Data> => ({ ...base, ...more });
