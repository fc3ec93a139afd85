/** `lectern/shell`: reads the shell commands in tool calls, for the gate. Pure: no files, timers or clock. */
export { shell } from "./core/gate/shell-calls.ts";
