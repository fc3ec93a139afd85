/** Who sends: a key of this data directory, and a signed statement for each push service (RFC 8292). */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { LecternError } from "../../../core/errors.ts";
import { createPrivateFile, readPrivateFile } from "../../secure-directory.ts";

const KEY_FILE = "push-key.pem";
/** Push services accept at most 24 hours (RFC 8292, section 2). */
const STATEMENT_SECONDS = 12 * 3600;
/** Push services want a contact. There is no person behind this key whom a message could reach, so the address is a reserved one (RFC 2606). */
const CONTACT = "mailto:push@lectern.invalid";

export class VapidKey {
  readonly #key: KeyObject;
  /** Uncompressed point on P-256, base64url: what a browser subscribes with. */
  readonly publicKey: string;

  constructor(key: KeyObject) {
    this.#key = key;
    const { x = "", y = "" } = key.export({ format: "jwk" });
    const point = [Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
    this.publicKey = Buffer.concat(point).toString("base64url");
  }

  /** The `Authorization` header for a request to this address. */
  authorization(endpoint: string, nowMs: number): string {
    const claims = { aud: new URL(endpoint).origin, exp: Math.floor(nowMs / 1000) + STATEMENT_SECONDS, sub: CONTACT };
    const text = `${encoded({ typ: "JWT", alg: "ES256" })}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(text), { key: this.#key, dsaEncoding: "ieee-p1363" });
    return `vapid t=${text}.${signature.toString("base64url")}, k=${this.publicKey}`;
  }
}

/**
 * The key in the data directory, created by the first who needs it. Without it all subscriptions are worthless, so a damaged one is never
 * replaced silently. Throws `UNSAFE_PERMISSIONS` and `NOT_AVAILABLE`.
 */
export function openVapidKey(dataDirectory: string): VapidKey {
  const path = join(dataDirectory, KEY_FILE);
  const existing = readPrivateFile(path);
  if (existing === undefined) {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    createPrivateFile(path, privateKey.export({ type: "pkcs8", format: "pem" }));
    return new VapidKey(privateKey);
  }
  try {
    const key = createPrivateKey(existing);
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return new VapidKey(key);
  } catch {
    // Reported below.
  }
  throw new LecternError(
    "NOT_AVAILABLE",
    `Cannot read the key in "${path}": restore it, or remove it and let each browser subscribe again`,
  );
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
