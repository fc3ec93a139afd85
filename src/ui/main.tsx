import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Session } from "../client.ts";
import { startAppearance } from "./appearance.ts";
import { startNotifications } from "./sessions/notifications.ts";
import { keepPush } from "./sessions/push.ts";
import { startSessionList } from "./sessions/session-list.ts";
import { Shell } from "./shell/shell.tsx";

/** Starts the page; `session` is the one that the first script has requested. */
export function startPage(session: Promise<Session> | undefined): void {
  startAppearance();
  startNotifications();
  startSessionList(session);
  registerServiceWorker();
  void keepPush();
  const root = document.querySelector("#root");
  if (root === null) throw new Error("The document has no root");
  createRoot(root).render(
    <StrictMode>
      <Shell />
    </StrictMode>,
  );
}

interface TrustedTypesFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

const ADDRESS = "/service-worker.js";

/** The only place where trusted types allow a text to become the URL of a script. */
function registerServiceWorker(): void {
  // Missing in private windows of some browsers; the page works without it.
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypesFactory };
  const policy = trustedTypes?.createPolicy("lectern", {
    createScriptURL: (address) => {
      if (address !== ADDRESS) throw new TypeError("Only the page's own worker is loaded");
      return address;
    },
  });
  navigator.serviceWorker.register(policy?.createScriptURL(ADDRESS) ?? ADDRESS).catch(() => undefined);
}
