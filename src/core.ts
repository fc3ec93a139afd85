/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export { Clamp, type ClampOptions } from "./core/screen/clamp.ts";
export { replyRules, ruleFor, type Answer, type Question, type ReplyRule } from "./core/screen/replies.ts";
export { Screen, type ScreenOptions } from "./core/screen/screen.ts";
export { snapshotBytes, type CursorState, type ScreenModes, type ScreenSnapshot } from "./core/screen/snapshot.ts";
export { type ScreenState } from "./core/screen/state.ts";
