/**
 * Loaded first, and small: requests what a link to a terminal needs (code, font, session, attachment) in parallel with the rest of
 * the page.
 */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./fonts/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/sessions.css";
import type { Session } from "../client.ts";
import { askSession } from "./api.ts";
import { fetchCode } from "./fetch-code.ts";
import { parseRoute } from "./router.ts";
import { openEarlyAttachment } from "./terminal/early-attachment.ts";

const session = requestSession();
if (session !== undefined) openEarlyAttachment(session);
void fetchCode(() => import("./main.tsx")).then(({ startPage }) => startPage(session));
// The session list is followed with it.
void import("../client/follow-events.ts");

/** Undefined unless the address is that of a terminal; rejects if the daemon refuses. */
function requestSession(): Promise<Session> | undefined {
  const route = parseRoute(location.pathname, new URLSearchParams(location.search));
  if (route.view !== "session" || route.tab !== "terminal") return undefined;
  void document.fonts.load('13px "JetBrains Mono Variable"');
  void import("./terminal/terminal-view.tsx");
  return askSession(route.session);
}
