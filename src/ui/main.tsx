import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Session } from "../client.ts";
import { startAppearance } from "./appearance.ts";
import { startNotifications } from "./sessions/notifications.ts";
import { keepPush } from "./sessions/push.ts";
import { registerServiceWorker } from "./register-service-worker.ts";
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
