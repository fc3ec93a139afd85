/** What the rows of the operation table are made of. */
import * as z from "zod";
import { sessionReferenceSchema } from "../session.ts";

/** One operation: its address and what goes in and out. `output` is null where the answer is not JSON. */
export interface Operation {
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType | null;
}

export const session = sessionReferenceSchema;

/** A number in a query: text that is a plain decimal integer. */
export const queryInt = (schema: z.ZodType<number, number>) =>
  z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,16}$/, "a whole number")
        .transform(Number),
    ])
    .pipe(schema);

export const queryFlag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** Several names in a query: an array, or one text with commas. */
export const queryList = <Name extends string>(names: z.ZodType<Name, Name>) =>
  z.union([
    z.array(names),
    z
      .string()
      .transform((text) => text.split(","))
      .pipe(z.array(names as z.ZodType<Name, string>)),
  ]);

export const define = <Input extends z.ZodObject, Output extends z.ZodType | null>(
  summary: string,
  input: Input,
  output: Output,
): { readonly summary: string; readonly input: Input; readonly output: Output } => ({ summary, input, output });
