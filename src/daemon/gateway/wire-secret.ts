/** The unguessable part of a session's address at the gateway, and what is kept of it. */
import { createHash, randomBytes } from "node:crypto";

const SECRET_BYTES = 24;

export const freshSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

export const secretHashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
