/**
 * Caches the page itself with all of its code (never answers of the daemon), so that it opens while the daemon is not running, and a part
 * of it that is first shown without a connection, or after an upgrade, has its code. The cached document is used only if the daemon does
 * not answer.
 */
import type { PushAnswer, PushMessage } from "../../features/notify/core/push-message.ts";
import { isHashedPath, isViewPath } from "../../protocol/page-paths.ts";
import { renewDevice, type PushCalls } from "./push-device.ts";

declare const self: ServiceWorkerGlobalScope;
/** The code and the styles of the build that this worker belongs to; `scripts/build-ui.ts` puts them in. */
declare const PAGE_BUILD: { readonly id: string; readonly files: readonly string[] };

const CACHES = "lectern-page-";
const CACHE = CACHES + PAGE_BUILD.id;
/** The document has one entry for all of its addresses. */
const DOCUMENT = "/";
/** This build, and the one before it, of which a page may still be open. */
const BUILDS_MAX = 2;

self.addEventListener("install", (event) => event.waitUntil(Promise.all([self.skipWaiting(), cacheBuild()])));
self.addEventListener("activate", (event) => event.waitUntil(Promise.all([self.clients.claim(), removeOldBuilds()])));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (isHashedPath(pathname)) event.respondWith(fromCache(request));
  else if (request.mode === "navigate" && isViewPath(pathname)) event.respondWith(fromDaemon(event));
});

self.addEventListener("push", (event) => {
  const message = messageIn(event.data);
  if (message !== undefined) event.waitUntil(message.type === "close" ? closeShown(message) : showMessage(message));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const data = event.notification.data as NotificationData | null;
  const answer = data?.answers?.find(({ id }) => id === event.action);
  event.waitUntil(answer === undefined ? show(data?.path ?? "/") : sendAnswer(event.notification, answer));
});

/** If the cookie of this browser has expired or the daemon is away, the page tells it at its next load. */
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renewDevice(self.registration.pushManager, calls).catch(() => undefined));
});

/** The page knows which sessions ask a question; a notification about another one is over. */
self.addEventListener("message", (event) => {
  const { type, asking } = event.data as { readonly type?: string; readonly asking?: readonly string[] };
  if (type === "asking" && asking !== undefined) event.waitUntil(closeAnswered(new Set(asking)));
});

interface NotificationData {
  readonly path?: string;
  readonly answers?: readonly PushAnswer[];
}

/** Chromium has options that the types of TypeScript lack. */
interface ShownOptions extends NotificationOptions {
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
  readonly renotify?: boolean;
}

const DEVICES = "/v1/push/devices";
const calls: PushCalls = {
  list: async () => await answerOf(await fetch(DEVICES)),
  subscribe: async (given) => {
    const headers = { "content-type": "application/json" };
    return await answerOf(await fetch(DEVICES, { method: "POST", headers, body: JSON.stringify(given) }));
  },
};

const ICON = "/icon-192.png";
const UNREACHABLE = "Not answered: the daemon cannot be reached from this device";
const ANSWER_PATH = /^\/v1\/answers\/[\w-]+$/;
/** So that a browser that wants each push message to show something is content, and whoever looks sees why it goes. */
const CLOSE_AFTER_MS = 3000;

async function answerOf<Answer>(response: Response): Promise<Answer> {
  if (!response.ok) throw new Error(`The daemon answered ${response.status}`);
  return (await response.json()) as Answer;
}

/** Undefined for what is no message of the daemon: the key of the subscription encrypted it, but a test tool may send anything. */
function messageIn(data: PushMessageData | null): PushMessage | undefined {
  try {
    const message = data?.json() as Partial<PushMessage> | null | undefined;
    return typeof message?.tag === "string" && typeof message.title === "string" ? (message as PushMessage) : undefined;
  } catch {
    return undefined;
  }
}

async function showMessage({ answers, body, path, tag, title }: PushMessage): Promise<void> {
  const { maxActions = 0 } = Notification as unknown as { readonly maxActions?: number };
  const options: ShownOptions = {
    body,
    tag,
    icon: ICON,
    renotify: true,
    data: { path, answers } satisfies NotificationData,
    actions: answers.slice(0, maxActions).map(({ id, label }) => ({ action: id, title: label })),
  };
  await self.registration.showNotification(title, options);
}

/**
 * Answers the question once, by its link. What the daemon says, also who answered before, takes the place of the question; if it cannot be
 * reached, the buttons stay.
 */
async function sendAnswer({ body, data, tag, title }: Notification, { path }: PushAnswer): Promise<void> {
  const { answers = [], path: place = "/" } = data as NotificationData;
  const text = ANSWER_PATH.test(path) ? await answerBy(path) : "This answer is not one of this page";
  if (text === undefined) {
    const question = body.replace(`${UNREACHABLE}\n`, "");
    return await showMessage({ type: "show", tag, title, body: `${UNREACHABLE}\n${question}`, path: place, answers });
  }
  await self.registration.showNotification(title, { body: text, tag, icon: ICON, silent: true, data: { path: place } });
  return undefined;
}

/** Undefined if there was no answer. */
async function answerBy(path: string): Promise<string | undefined> {
  try {
    const response = await fetch(path, { method: "POST", credentials: "omit" });
    return (await response.text()).trim() || `The daemon answered ${response.status}`;
  } catch {
    return undefined;
  }
}

/** A question that was answered elsewhere. */
async function closeShown({ body, path, tag, title }: PushMessage): Promise<void> {
  await self.registration.showNotification(title, { body, tag, icon: ICON, silent: true, data: { path } });
  await new Promise((resolve) => setTimeout(resolve, CLOSE_AFTER_MS));
  for (const notification of await self.registration.getNotifications({ tag })) {
    // A newer question of the same session stays.
    if ((notification.data as NotificationData | null)?.answers === undefined) notification.close();
  }
}

async function closeAnswered(asking: ReadonlySet<string>): Promise<void> {
  for (const notification of await self.registration.getNotifications()) {
    const data = notification.data as NotificationData | null;
    if ((data?.answers?.length ?? 0) > 0 && !asking.has(notification.tag)) notification.close();
  }
}

/** What could not be fetched is fetched after the next answer to a document. */
async function cacheBuild(): Promise<void> {
  const cache = await caches.open(CACHE);
  const known = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname));
  const missing = [DOCUMENT, ...PAGE_BUILD.files].filter((path) => !known.has(path));
  // After what the page itself requests.
  await Promise.allSettled(missing.map(async (path) => await cache.add(new Request(path, { priority: "low" }))));
}

async function removeOldBuilds(): Promise<void> {
  const builds = (await caches.keys()).filter((name) => name.startsWith(CACHES) && name !== CACHE);
  await Promise.all(builds.slice(0, Math.max(0, builds.length + 1 - BUILDS_MAX)).map((name) => caches.delete(name)));
}

async function fromCache(request: Request): Promise<Response> {
  const known = await caches.match(request);
  if (known !== undefined) return known;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(CACHE)).put(request, response.clone());
  return response;
}

async function fromDaemon(event: FetchEvent): Promise<Response> {
  try {
    const response = await fetch(event.request);
    event.waitUntil(cacheBuild());
    return response;
  } catch (error) {
    const known = await caches.match(DOCUMENT, { cacheName: CACHE });
    if (known === undefined) throw error;
    return known;
  }
}

async function show(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window" });
  // Documents of the daemon, such as that of an answer link, go nowhere.
  const first = windows.find(({ url }) => isViewPath(new URL(url).pathname));
  if (first === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  await first.focus();
  first.postMessage({ type: "go", path });
}
