/** The file with which a machine joins a cluster. It contains the key of one member, so only its owner may read it. */
import * as z from "zod";
import { LecternError } from "../../../core/errors.ts";
import { readPrivateFile } from "../../../host/private-directory.ts";
import { memberRoles } from "./permissions.ts";

/** A name is one token of a subject, so it contains no dot; names of machines are otherwise as in `protocol/machines.ts`. */
export const memberNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/,
    "letters, digits, underscore and dash, at most 32, first a letter or digit",
  );

const SERVERS_MAX = 9;
const CERTIFICATE_CHARS_MAX = 16_384;

const memberTokenSchema = z.strictObject({
  lectern: z.literal("cluster-token-1"),
  /** Member of the cluster; the servers hold the key to it. */
  name: memberNameSchema,
  role: z.enum([...memberRoles, "admin"]),
  servers: z
    .array(z.url({ protocol: /^(?:nats|tls)$/ }))
    .min(1)
    .max(SERVERS_MAX),
  /** The certificate of the authority that signed those of the servers, as PEM; null for one that the system knows. */
  authority: z.string().max(CERTIFICATE_CHARS_MAX).nullable(),
  /** Seed of the nkey. */
  seed: z.string().regex(/^SU[A-Z2-7]{56}$/, "the seed of a user key, which begins with SU"),
});

export type MemberToken = z.infer<typeof memberTokenSchema>;

/** Reads a token file. Throws `NOT_FOUND`, `UNSAFE_PERMISSIONS`, `INVALID_INPUT`; no message contains the key. */
export function readTokenFile(path: string): MemberToken {
  const text = readPrivateFile(path);
  if (text === undefined) {
    const next = '"lectern cluster add NAME" makes one on the machine that has the files of the cluster';
    throw new LecternError("NOT_FOUND", `Cannot find the token file "${path}": ${next}`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw notToken(path, "it is not valid JSON");
  }
  const parsed = memberTokenSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw notToken(path, `${issue?.path.join(".") || "its content"}: ${issue?.message ?? "unknown form"}`);
}

export const tokenText = (token: MemberToken): string => `${JSON.stringify(token, null, 2)}\n`;

const notToken = (path: string, why: string): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot use "${path}" as a token of a cluster: ${why}; "lectern cluster add NAME" makes token files`,
  );
