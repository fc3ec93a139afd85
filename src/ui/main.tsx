import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startAppearance } from "./appearance.ts";
import { earlySession } from "./early.ts";
import { startNotifications } from "./sessions/notifications.ts";
import { registerServiceWorker } from "./register-service-worker.ts";
import { startSessionList } from "./sessions/session-list.ts";
import { Shell } from "./shell/shell.tsx";

startAppearance();
startNotifications();
startSessionList(earlySession);
registerServiceWorker();

const root = document.querySelector("#root");
if (root === null) throw new Error("The document has no root");
createRoot(root).render(
  <StrictMode>
    <Shell />
  </StrictMode>,
);
