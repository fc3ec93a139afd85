import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/sessions.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startAppearance } from "./appearance.ts";
import { startNotifications } from "./notifications.ts";
import { registerServiceWorker } from "./register-service-worker.ts";
import { startSessionList } from "./sessions/session-list.ts";
import { Shell } from "./shell/shell.tsx";

startAppearance();
startNotifications();
startSessionList();
registerServiceWorker();

// What a link to a session needs is on its way while the list is asked for.
if (location.pathname.startsWith("/s/")) {
  void document.fonts.load('13px "JetBrains Mono Variable"');
  void import("./terminal/terminal-view.tsx");
  void import("../client/attachment.ts");
}

const root = document.querySelector("#root");
if (root === null) throw new Error("The document has no root");
createRoot(root).render(
  <StrictMode>
    <Shell />
  </StrictMode>,
);
