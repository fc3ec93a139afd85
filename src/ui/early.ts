/**
 * Loaded first, and small: requests what a link to a terminal needs (code, font, session, attachment) in parallel with the rest of
 * the page.
 */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/sessions.css";
import type { Attachment, Session } from "../client.ts";
import { daemon } from "./api.ts";
import { parseRoute } from "./router.ts";
import { attachOptions } from "./terminal/attach-options.ts";

export interface BegunAttachment {
  /** Read before the attachment was begun. */
  readonly session: Session;
  readonly attachment: Attachment;
}

/** After this time, an attachment that was not taken is closed. */
const UNTAKEN_MS_MAX = 10_000;

/** The session of a link to a terminal; undefined for other addresses. Rejects if the daemon does not return it. */
export const earlySession = begin();
let begun = earlySession?.then(attach).catch(() => undefined);
if (begun !== undefined) setTimeout(letGo, UNTAKEN_MS_MAX);
void import("./main.tsx");
// Used by the list of sessions.
void import("../client/follow-events.ts");

/** The attachment that was begun for this session; undefined if there is none or it was already taken. */
export async function takeBegun(session: string): Promise<BegunAttachment | undefined> {
  const taken = begun;
  begun = undefined;
  const found = await taken;
  if (found?.session.id === session) return found;
  found?.attachment.detach();
  return undefined;
}

function begin(): Promise<Session> | undefined {
  const route = parseRoute(location.pathname, new URLSearchParams(location.search));
  if (route.view !== "session" || route.tab !== "terminal") return undefined;
  void document.fonts.load('13px "JetBrains Mono Variable"');
  void import("./terminal/terminal-view.tsx");
  return daemon().call("sessions.get", { session: route.session });
}

async function attach(session: Session): Promise<BegunAttachment> {
  const options = attachOptions(session, { tailBytes: 0, readOnly: false });
  return { session, attachment: await daemon().attach(session.id, options) };
}

function letGo(): void {
  const untaken = begun;
  begun = undefined;
  void untaken?.then((found) => found?.attachment.detach());
}
