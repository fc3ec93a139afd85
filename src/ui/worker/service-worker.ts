/**
 * Caches the page itself (never answers of the daemon), so that it opens while the daemon is not running and can say what to do.
 * The cached document is used only if the daemon does not answer.
 */
declare const self: ServiceWorkerGlobalScope;

export const CACHE = "lectern-page-1";
/** Old builds leave files behind; above this number the cache is cleared. */
const FILES_MAX = 80;

self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (isHashed(pathname)) event.respondWith(fromCache(request));
  else if (request.mode === "navigate" && isView(pathname)) event.respondWith(fromDaemon(request));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = (event.notification.data as { readonly path?: string } | null)?.path ?? "/";
  event.waitUntil(show(path));
});

/** A file whose name contains a hash of its content. */
const isHashed = (path: string): boolean => /^\/assets\/[\w.-]*-[\w-]{8}\.\w+$/.test(path);

/** Not the API or the login, which must come from the daemon. */
const isView = (path: string): boolean => !/^\/(?:v1|docs|login|healthz|readyz|openapi\.json)(?:\/|$)/.test(path);

async function fromCache(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known !== undefined) return known;
  const response = await fetch(request);
  if (response.ok) {
    if ((await cache.keys()).length > FILES_MAX) await caches.delete(CACHE);
    await (await caches.open(CACHE)).put(request, response.clone());
  }
  return response;
}

/** All views are the same document, cached under one name. */
async function fromDaemon(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (response.ok) await (await caches.open(CACHE)).put("/", response.clone());
    return response;
  } catch (error) {
    const known = await caches.match("/");
    if (known === undefined) throw error;
    return known;
  }
}

async function show(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window" });
  const [first] = windows;
  if (first === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  await first.focus();
  first.postMessage({ type: "go", path });
}
