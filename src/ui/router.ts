/** Maps addresses to views and navigates between them. Links are real links; only plain clicks are intercepted. */
import { useSyncExternalStore } from "react";

export type SessionTab = "terminal" | "chat" | "changes" | "replay";

export type PageRoute =
  | { readonly view: "sessions" }
  | { readonly view: "session"; readonly session: string; readonly tab: SessionTab; readonly query: URLSearchParams }
  | { readonly view: "search"; readonly query: URLSearchParams }
  | { readonly view: "approvals" }
  | { readonly view: "usage"; readonly query: URLSearchParams }
  | { readonly view: "audit"; readonly query: URLSearchParams }
  | { readonly view: "policy"; readonly query: URLSearchParams };

/** Unknown addresses show the list. */
export function parseRoute(path: string, query: URLSearchParams): PageRoute {
  const match = /^\/s\/([^/]+)(?:\/(chat|changes|replay))?$/.exec(path);
  if (match !== null) {
    const [, , tab = "terminal"] = match;
    return { view: "session", session: referenceIn(match[1] ?? ""), tab: tab as SessionTab, query };
  }
  if (path === "/search") return { view: "search", query };
  if (path === "/audit") return { view: "audit", query };
  if (path === "/usage") return { view: "usage", query };
  if (path === "/policy") return { view: "policy", query };
  return path === "/approvals" ? { view: "approvals" } : { view: "sessions" };
}

/** Between machine and session in an address. No name contains it, and a slash would begin a tab. */
const MACHINE_END = ":";

const referenceIn = (part: string): string => decodeURIComponent(part).replace(MACHINE_END, "/");

/** The address of a session; that of `box/work` is `/s/box:work`. */
export function sessionPath(session: string, tab: SessionTab = "terminal", query = ""): string {
  const place = session.split("/").map(encodeURIComponent).join(MACHINE_END);
  return `/s/${place}${tab === "terminal" ? "" : `/${tab}`}${query === "" ? "" : `?${query}`}`;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

const here = (): string => location.pathname + location.search;

let known: { readonly address: string; readonly route: PageRoute } | undefined;

function currentRoute(): PageRoute {
  const address = here();
  if (known?.address !== address) {
    known = { address, route: parseRoute(location.pathname, new URLSearchParams(location.search)) };
  }
  return known.route;
}

export const useRoute = (): PageRoute => useSyncExternalStore(subscribe, currentRoute);

/** Goes to an address of this page; `replace` adds no entry to the history. */
export function navigate(address: string, options: { readonly replace?: boolean } = {}): void {
  if (address === here()) return;
  history[options.replace === true ? "replaceState" : "pushState"](null, "", address);
  for (const listener of listeners) listener();
}
