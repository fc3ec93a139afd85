/** Devices whose browsers get notices while the page is closed (Web Push). */
import * as z from "zod";
import { define } from "../../../protocol/operations/define.ts";

const deviceSchema = z.strictObject({
  id: z.string(),
  /** The host of the push service; the address is a secret. */
  host: z.string(),
  label: z.string(),
  createdAt: z.iso.datetime(),
});
/** Base64url. */
const keySchema = z.string().regex(/^[\w-]{16,128}={0,2}$/, "base64url");

export const pushOperations = {
  "push.list": define({
    summary: "List the devices that get notices, and the key that a browser subscribes with",
    endpoint: "GET /v1/push/devices",
    scope: "admin",
    person: true,
    input: z.strictObject({}),
    output: z.strictObject({
      /** Public key on P-256, uncompressed, base64url: `applicationServerKey` of `pushManager.subscribe`. */
      publicKey: z.string(),
      devices: z.array(deviceSchema),
      /** Ids of devices that their push service does not know any more: their browsers subscribe again. */
      gone: z.array(z.string()),
    }),
  }),
  "push.subscribe": define({
    summary: "Send notices to a browser by its push subscription; the same browser again replaces itself",
    endpoint: "POST /v1/push/devices",
    scope: "admin",
    person: true,
    input: z.strictObject({
      endpoint: z.string().min(1).max(2048),
      keys: z.strictObject({ p256dh: keySchema, auth: keySchema }),
      /** A name for people. */
      label: z.string().max(64).default(""),
      /** Id of the device that this browser was with its former subscription. */
      replaces: z.string().min(1).max(64).optional(),
    }),
    output: deviceSchema,
  }),
  "push.unsubscribe": define({
    summary: "Send no more notices to a device",
    endpoint: "DELETE /v1/push/devices/{device}",
    scope: "admin",
    person: true,
    input: z.strictObject({ device: z.string().min(1).max(64) }),
    output: z.strictObject({ id: z.string() }),
  }),
} as const;
