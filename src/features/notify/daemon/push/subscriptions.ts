/**
 * The browsers that want notices, in one file of the data directory. An endpoint is an address at a push service that lets whoever knows it
 * send there, so the file is private, and nobody is shown more of an address than its host.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { LecternError } from "../../../../core/errors.ts";
import { replaceFile } from "../../../../host/json-file.ts";
import { readPrivateFile } from "../../../../host/private-directory.ts";

const FILE = "push-subscriptions.json";
const SUBSCRIPTIONS_MAX = 50;
/** Those that push services do not know any more; beyond, the oldest are forgotten, and a person has to add that device again. */
const GONE_MAX = 50;

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

const fileSchema = z.strictObject({
  subscriptions: z.array(subscriptionSchema),
  gone: z.array(z.string()).default([]),
});

export class PushSubscriptions {
  readonly #path: string;
  readonly #byId = new Map<string, PushSubscription>();
  readonly #gone = new Set<string>();

  /** Throws `UNSAFE_PERMISSIONS` and, for a damaged file, `NOT_AVAILABLE`. */
  constructor(dataDirectory: string) {
    this.#path = join(dataDirectory, FILE);
    const { gone, subscriptions } = read(this.#path);
    for (const each of subscriptions) this.#byId.set(each.id, each);
    for (const id of gone) this.#gone.add(id);
  }

  get all(): readonly PushSubscription[] {
    return [...this.#byId.values()];
  }

  /** Ids of those that their push service does not know any more, and that nobody took away. */
  get gone(): readonly string[] {
    return [...this.#gone];
  }

  /** Durable when it returns. A browser that subscribes again replaces itself; `replaced` is the id that it had. Throws `LIMIT_EXCEEDED`. */
  put(given: Omit<PushSubscription, "id" | "createdAt">, replaced?: string): PushSubscription {
    const id = `p${createHash("sha256").update(given.endpoint).digest("hex").slice(0, 16)}`;
    const isAnother = !this.#byId.has(id) && !this.#byId.has(replaced ?? id);
    if (isAnother && this.#byId.size >= SUBSCRIPTIONS_MAX) {
      throw new LecternError(
        "LIMIT_EXCEEDED",
        `Cannot add another device: ${SUBSCRIPTIONS_MAX} get notices; take one away on the page of that device`,
      );
    }
    const subscription = { ...given, id, createdAt: new Date().toISOString() };
    for (const known of [id, replaced ?? id]) {
      this.#byId.delete(known);
      this.#gone.delete(known);
    }
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

  /** Its push service does not know it any more: its page subscribes again. */
  setGone(id: string): void {
    if (!this.#byId.delete(id)) return;
    this.#gone.add(id);
    for (const oldest of this.gone.slice(0, -GONE_MAX)) this.#gone.delete(oldest);
    this.#write();
  }

  #write(): void {
    replaceFile(this.#path, `${JSON.stringify({ subscriptions: this.all, gone: this.gone })}\n`);
  }
}

function read(path: string): z.infer<typeof fileSchema> {
  const text = readPrivateFile(path);
  if (text === undefined) return { subscriptions: [], gone: [] };
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch (cause) {
    const next = "remove it, and choose the notices again on each device";
    throw new LecternError("NOT_AVAILABLE", `Cannot read the devices in "${path}": ${next}`, { cause });
  }
}
