/** The keys that interrupt what a session does. */

/** Their status line asks for a second one: `esc again to interrupt`. In other agents a second one goes back in the conversation. */
const withTwoEscapes: ReadonlySet<string> = new Set(["copilot", "opencode"]);

/** One write each, so that no terminal takes two for one key with Alt. `agent` is in the foreground; null for a shell or a REPL. */
export function interruptKeys(agent: string | null): readonly string[] {
  if (agent === null) return ["C-c"];
  return withTwoEscapes.has(agent) ? ["Escape", "Escape"] : ["Escape"];
}
