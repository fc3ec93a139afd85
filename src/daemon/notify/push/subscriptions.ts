/**
 * The browsers that want notices, in one file of the data directory. An endpoint is an address at a push service that lets whoever knows it
 * send there, so the file is private, and nobody is shown more of an address than its host.
 */
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { LecternError } from "../../../core/errors.ts";
import { createPrivateFile, readPrivateFile } from "../../secure-directory.ts";

const FILE = "push-subscriptions.json";
const SUBSCRIPTIONS_MAX = 50;

const subscriptionSchema = z.strictObject({
  id: z.string(),
  endpoint: z.string(),
  /** Base64url, as the browser gave them. */
  p256dh: z.string(),
  auth: z.string(),
  label: z.string(),
  createdAt: z.string(),
});
export type PushSubscription = Readonly<z.infer<typeof subscriptionSchema>>;

export class PushSubscriptions {
  readonly #path: string;
  readonly #byId = new Map<string, PushSubscription>();

  /** Throws `UNSAFE_PERMISSIONS` and, for a damaged file, `NOT_AVAILABLE`. */
  constructor(dataDirectory: string) {
    this.#path = join(dataDirectory, FILE);
    for (const each of read(this.#path)) this.#byId.set(each.id, each);
  }

  get all(): readonly PushSubscription[] {
    return [...this.#byId.values()];
  }

  /** Durable when it returns. A browser that subscribes again replaces itself. Throws `LIMIT_EXCEEDED`. */
  put(given: Omit<PushSubscription, "id" | "createdAt">): PushSubscription {
    const id = `p${createHash("sha256").update(given.endpoint).digest("hex").slice(0, 16)}`;
    if (!this.#byId.has(id) && this.#byId.size >= SUBSCRIPTIONS_MAX) {
      throw new LecternError(
        "LIMIT_EXCEEDED",
        `Cannot add another device: ${SUBSCRIPTIONS_MAX} get notices; take one away on the page of that device`,
      );
    }
    const subscription = { ...given, id, createdAt: new Date().toISOString() };
    this.#byId.set(id, subscription);
    this.#write();
    return subscription;
  }

  /** False if there is none. */
  remove(id: string): boolean {
    if (!this.#byId.delete(id)) return false;
    this.#write();
    return true;
  }

  #write(): void {
    const next = `${this.#path}.new`;
    rmSync(next, { force: true });
    createPrivateFile(next, `${JSON.stringify({ subscriptions: this.all })}\n`);
    renameSync(next, this.#path);
  }
}

function read(path: string): readonly PushSubscription[] {
  const text = readPrivateFile(path);
  if (text === undefined) return [];
  try {
    return z.strictObject({ subscriptions: z.array(subscriptionSchema) }).parse(JSON.parse(text)).subscriptions;
  } catch (cause) {
    const next = "remove it, and choose the notices again on each device";
    throw new LecternError("NOT_AVAILABLE", `Cannot read the devices in "${path}": ${next}`, { cause });
  }
}
