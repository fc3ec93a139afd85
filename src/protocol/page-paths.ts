/**
 * The paths of the web page. The server sends the same document for all of its views, without a token: the document and its files contain
 * nothing about this machine; the data comes through the operations.
 */

/** Views by address: the list, a session's terminal, its conversation, its changes, its recording, the log of decisions, a policy on trial, the search. */
const VIEW = /^\/(?:s\/[^/]+(?:\/(?:chat|changes|replay))?|search|approvals|audit|policy|usage)?$/;
/** Files with a hash in their name, and those that browsers request under a fixed name. */
const FILE = /^\/(?:assets\/[\w.-]+|manifest\.webmanifest|service-worker\.js|icon(?:-\d+)?\.(?:svg|png))$/;

/** True for an address of the document. */
export const isViewPath = (path: string): boolean => VIEW.test(path);

/** True for an address of the web page: a view or one of its files. */
export const isPagePath = (path: string): boolean => isViewPath(path) || FILE.test(path);

/** True for a file that never changes under its name. */
export const isHashedPath = (path: string): boolean => /^\/assets\/[\w.-]*-[\w-]{8,}\.\w+$/.test(path);
