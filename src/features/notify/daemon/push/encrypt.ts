/** The body of a push message: encrypted for one browser by RFC 8291, in one record of RFC 8188 (`aes128gcm`). */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** What a browser gave for a subscription, as bytes. */
export interface PushKeys {
  /** Its public key on P-256, uncompressed: 65 bytes. */
  readonly p256dh: Uint8Array;
  /** Its secret, which the push service does not have: 16 bytes. */
  readonly auth: Uint8Array;
}

/** The parts that are random; given only by tests. */
export interface PushRandom {
  readonly salt: Uint8Array;
  /** Private key on P-256. */
  readonly privateKey: Uint8Array;
}

const RECORD_BYTES = 4096;
const SALT_BYTES = 16;
const PUBLIC_KEY_BYTES = 65;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES;
/** Of the text; push services take bodies of 4096 bytes (RFC 8030, section 7.2). */
export const PUSH_TEXT_BYTES_MAX = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;
/** Ends the last record (RFC 8188, section 2). */
const LAST_RECORD = Buffer.of(2);

/** Throws a `RangeError` for a longer text, and the error of `node:crypto` for keys that are not on the curve. */
export function encryptPush(text: Uint8Array, keys: PushKeys, random?: PushRandom): Buffer {
  if (text.length > PUSH_TEXT_BYTES_MAX)
    throw new RangeError(`Cannot push ${text.length} bytes: at most ${PUSH_TEXT_BYTES_MAX}`);
  const salt = random?.salt ?? randomBytes(SALT_BYTES);
  const own = createECDH("prime256v1");
  if (random === undefined) own.generateKeys();
  else own.setPrivateKey(random.privateKey);
  const ownPublic = own.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.p256dh, ownPublic]);
  const shared = derive(own.computeSecret(keys.p256dh), { salt: keys.auth, info, bytes: 32 });
  const key = derive(shared, { salt, info: Buffer.from("Content-Encoding: aes128gcm\0"), bytes: 16 });
  const nonce = derive(shared, { salt, info: Buffer.from("Content-Encoding: nonce\0"), bytes: 12 });
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const record = [cipher.update(text), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  const header = Buffer.alloc(SALT_BYTES + 5);
  header.set(salt);
  header.writeUInt32BE(RECORD_BYTES, SALT_BYTES);
  header.writeUInt8(PUBLIC_KEY_BYTES, SALT_BYTES + 4);
  return Buffer.concat([header, ownPublic, ...record]);
}

const derive = (
  secret: Uint8Array,
  { salt, info, bytes }: { readonly salt: Uint8Array; readonly info: Uint8Array; readonly bytes: number },
): Buffer => Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
