/** `lectern/patterns`: reads the regular expressions of policies and of tools' schemas, for the gate. Pure: no files, timers or clock. */
export { patterns } from "./core/patterns/re2.ts";
