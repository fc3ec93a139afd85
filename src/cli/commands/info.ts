import { existsSync } from "node:fs";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";
import type { DaemonInfo } from "../../daemon/daemon-process.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { formatAgo, formatSize } from "../quantities.ts";
import { foundLines } from "../sandbox-text.ts";
import { causeText, exitText, paintState } from "../session-text.ts";
import { defaultEventTag } from "../../protocol/event-tag.ts";
import type { Session } from "../../protocol/session.ts";

export const info = defineCommand({
  name: "info",
  summary: "Show facts about a session or the daemon",
  arguments: [{ ...sessionArgument, count: "optional" }],
  options: { json: jsonOption },
  examples: ["lectern info", "lectern info build --json"],
  async run({ arguments: { session }, options }, context) {
    const found =
      session === undefined ? await context.call("daemon.info", {}) : await context.call("sessions.get", { session });
    if (options.json) await context.print(JSON.stringify(found));
    else if ("id" in found) {
      await printRows([...sessionRows(found, context), ["Replica", await replicaOf(found, context)]], context);
    } else await printRows(daemonRows(found), context);
  },
});

/** How far the cluster has it; empty for one that is not being sent, and on a machine that has joined none. */
async function replicaOf({ id }: Session, context: CliContext): Promise<string> {
  if (!existsSync(context.paths.clusterFile)) return "";
  const { replicas } = await context.call("cluster.status", {});
  const replica = replicas?.sessions.find((each) => each.id === id);
  return replica === undefined ? "" : (await import("../replica-text.ts")).replicaText(replica);
}

async function printRows(rows: readonly (readonly string[])[], context: CliContext): Promise<void> {
  const lines = await formatTable(rows.filter(([, value]) => value !== ""));
  await context.print(lines.join("\n"));
}

function sessionRows(session: Session, { style }: CliContext): string[][] {
  const now = Date.now();
  const when = (time: string | null): string => (time === null ? "" : `${time} (${formatAgo(Date.parse(time), now)})`);
  const labels = Object.entries(session.labels).map(([key, value]) => `${key}=${value}`);
  return [
    ["Name", session.name],
    ["Id", session.id],
    ["State", paintState(session, style)],
    ["Ended", session.exit === null ? "" : exitText(session.exit) + causeText(session.exit)],
    ["Command", displayCommand(session.command)],
    ["Agent", session.agent ?? ""],
    ["Directory", escapeForDisplay(session.workingDirectory)],
    ["Process", session.pid === null ? "" : String(session.pid)],
    ["Size", `${session.columns}x${session.rows}`],
    ["Mine", session.isMine ? "yes: programs in it act as you" : ""],
    ["Started from", session.parent === null ? "" : `session ${session.parent}`],
    ["Conversation", session.conversation === null ? "" : `${session.conversation.id} (${session.conversation.agent})`],
    ["Continues", session.continues === null ? "" : `session ${session.continues}`],
    ["Continued by", session.continuedBy === null ? "" : `session ${session.continuedBy}`],
    ["Sandbox", sandboxText(session, style)],
    ["Labels", escapeForDisplay(labels.join(" "))],
    ["Started", when(session.createdAt)],
    ["Ended at", when(session.endedAt)],
    ["Event tags", eventTagText(session)],
    ["Summaries", session.summaries ? "at the end of each turn and at the exit (--summaries)" : ""],
    ["Journal", `offsets ${session.start} to ${session.end}, ${formatSize(session.end - session.start)}`],
    ["Viewers", String(session.viewers)],
    ...gateRows(session.gate, when),
    ["Trouble", escapeForDisplay(session.unreachable ?? session.degraded ?? "")],
    ["Damaged", escapeForDisplay(session.damaged ?? "")],
  ];
}

function sandboxText({ sandbox }: Session, style: CliContext["style"]): string {
  if (sandbox === null) return "";
  const { backend, missing, profile, promises } = sandbox;
  if (backend === "none") return style.red(`NONE (wanted ${profile}): nothing holds ${missing.join(", ")}`);
  const held = `${profile}, by ${backend}: ${promises.join(", ")}`;
  return [held, ...foundLines(sandbox).map((line) => style.red(line))].join("; ");
}

function eventTagText({ eventTag, trustsText }: Session): string {
  const { name, bytesMax, msMax } = eventTag;
  const isDefault = JSON.stringify(eventTag) === JSON.stringify(defaultEventTag);
  const own = isDefault ? [] : [`<${name}>, at most ${formatSize(bytesMax)} and ${msMax} ms`];
  return [...own, ...(trustsText ? ["trusted (--trust-text)"] : [])].join(", ");
}

function gateRows(gate: Session["gate"], when: (time: string | null) => string): string[][] {
  if (gate === null) return [];
  const { calls, evidence, lastRequestAt, mode, policyHash, requests, state } = gate;
  const enforced = mode === "log-only" ? " (LOG ONLY: nothing is refused)" : "";
  return [
    ["Gate", state === "on" ? "on" : `NOT GATED: ${escapeForDisplay(evidence ?? "")}`],
    ["Policy", policyHash === null ? "none: every call is allowed" : `sha256 ${policyHash.slice(0, 12)}${enforced}`],
    ["Requests", `${requests}, with ${calls} tool calls`],
    ["Last request", when(lastRequestAt)],
  ];
}

function daemonRows(daemon: DaemonInfo): string[][] {
  const hosts = daemon.hosts.map(
    ({ name, pid, version, backend, sessions, draining }) =>
      `${name}: pid ${pid}, version ${version}, ${backend}, ${sessions} sessions${draining ? ", draining" : ""}`,
  );
  return [
    ["Version", `${daemon.version}, protocol ${daemon.protocolVersion}`],
    ["Process", String(daemon.pid)],
    ["Started", formatAgo(Date.parse(daemon.startedAt), Date.now())],
    ["Data", escapeForDisplay(daemon.dataDirectory)],
    ...(daemon.listen.length === 0 ? [] : daemon.listen.map((url) => ["Listens on", escapeForDisplay(url)])),
    ["Sessions", `${daemon.sessions.live} live, ${daemon.sessions.ended} ended`],
    ...hosts.map((host) => ["Pty host", escapeForDisplay(host)]),
    // One of an older version reports none.
    ...(daemon.problems ?? []).map((problem) => ["Problem", escapeForDisplay(problem)]),
  ];
}
