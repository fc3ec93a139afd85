/** Links that let a browser read one session: a token for that session, behind the "#" that a browser sends to nobody. */

const LABEL = "share ";
const LABEL_CHARS_MAX = 64;

/** The label of the token of a shared session. */
export const shareLabel = (name: string): string => (LABEL + name).slice(0, LABEL_CHARS_MAX);

/** `shareLink("http://127.0.0.1:7433", "abc"); // "http://127.0.0.1:7433/login#abc"` */
export const shareLink = (origin: string, token: string): string => `${origin}/login#${token}`;
