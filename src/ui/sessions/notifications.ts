/** Browser notifications when a session begins to need a person while the page is not visible. Each session can be muted. */
import { escapeForDisplay } from "../../core/text/escape.ts";
import { storedList } from "../parts/parsed.ts";
import { navigate, sessionPath } from "../router.ts";
import { needsPerson, type ListedSession } from "./attention.ts";
import { sessionList } from "./session-list.ts";
import { ValueStore } from "../store.ts";

const MUTED_KEY = "lectern-muted";
const ASKED_KEY = "lectern-notifications-asked";
const MUTED_MAX = 500;
const BODY_CHARS_MAX = 200;

/** Whether to ask for permission: when a session is blocked for the first time. */
export const shouldAsk = new ValueStore(false);

const muted = new Set(storedList(localStorage, MUTED_KEY, (item) => typeof item === "string"));

export const isMuted = (session: string): boolean => muted.has(session);

export function toggleMuted(session: string): void {
  if (!muted.delete(session)) muted.add(session);
  localStorage.setItem(MUTED_KEY, JSON.stringify([...muted].slice(-MUTED_MAX)));
}

export async function askForNotifications(isWanted: boolean): Promise<void> {
  localStorage.setItem(ASKED_KEY, "yes");
  shouldAsk.set(false);
  if (isWanted) await Notification.requestPermission();
}

/** Watches the list of sessions. */
export function startNotifications(): void {
  let before: ReadonlyMap<string, ListedSession> = new Map();
  sessionList.subscribe(() => {
    const { views } = sessionList.get();
    const blocked = views.filter(({ standing }) => standing === "blocked");
    if (blocked.length > 0 && canAsk()) shouldAsk.set(true);
    for (const view of views.filter(needsPerson)) {
      const known = before.get(view.session.id)?.standing;
      const isNew = view.standing === "blocked" ? known !== "blocked" : known === "working";
      if (known !== undefined && isNew && !isMuted(view.session.id)) void showNotification(view);
    }
    tellWorker(blocked.map(({ session }) => session.id));
    before = new Map(views.map((view) => [view.session.id, view]));
  });
  navigator.serviceWorker?.addEventListener("message", ({ data }: MessageEvent<{ type?: string; path?: string }>) => {
    if (data.type === "go" && data.path !== undefined) navigate(data.path);
  });
}

let told: string | undefined;

/** Its notifications of questions that were answered elsewhere are closed. */
function tellWorker(asking: readonly string[]): void {
  const now = asking.join(" ");
  if (!sessionList.get().isLoaded || now === told) return;
  told = now;
  navigator.serviceWorker?.controller?.postMessage({ type: "asking", asking });
}

const canAsk = (): boolean =>
  "Notification" in globalThis && Notification.permission === "default" && localStorage.getItem(ASKED_KEY) === null;

async function showNotification({ session, standing, question }: ListedSession): Promise<void> {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const path = sessionPath(session.name);
  const isQuestion = standing === "blocked";
  const title = `${session.name} ${isQuestion ? "is blocked" : "has finished its turn"}`;
  const words = isQuestion
    ? (question ?? "It waits for an answer")
    : (session.lastMessage?.text ?? "It waits for a prompt");
  const body = escapeForDisplay(words).slice(0, BODY_CHARS_MAX);
  const options = { body, tag: session.id, icon: "/icon-192.png", data: { path } };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker !== undefined) return worker.showNotification(title, options);
  const notification = new Notification(title, options);
  notification.addEventListener("click", () => {
    focus();
    navigate(path);
  });
}
