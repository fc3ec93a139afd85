/** Files that are given to a session from outside: they lie with it, and its program gets their paths. */
import * as z from "zod";
import { define, queryFlag, session } from "./define.ts";

const sessionFileSchema = z.strictObject({
  name: z.string(),
  /** On the machine of the session. */
  path: z.string(),
  bytes: z.int(),
  createdAt: z.iso.datetime(),
});

export const filesOperations = {
  "files.put": define({
    summary: "Put the file in the body beside a session, for its program; 50 MiB at most",
    endpoint: "POST /v1/sessions/{session}/files",
    scope: "write",
    cli: ["put"],
    upload: "file",
    input: z.strictObject({
      session,
      /** Only its last part is used; what is not safe in a path becomes a dash, and a taken name gets a number. */
      name: z.string().min(1).max(1024),
      /** Type the path where the program reads, if its input is empty; Enter is not pressed. */
      paste: queryFlag.default(false),
    }),
    output: z.strictObject({
      ...sessionFileSchema.shape,
      /** The path was typed. */
      isPasted: z.boolean(),
      /** Why it was not typed although that was asked for. */
      notPasted: z.string().nullable(),
    }),
  }),
  "files.list": define({
    summary: "List the files that were put beside a session",
    endpoint: "GET /v1/sessions/{session}/files",
    scope: "read",
    cli: ["put"],
    input: z.strictObject({ session }),
    output: z.strictObject({ files: z.array(sessionFileSchema), bytes: z.int() }),
  }),
  "files.remove": define({
    summary: "Remove a file that was put beside a session",
    endpoint: "DELETE /v1/sessions/{session}/files/{file}",
    scope: "write",
    cli: ["put"],
    input: z.strictObject({ session, file: z.string().min(1).max(255) }),
    output: z.strictObject({ name: z.string() }),
  }),
} as const;
