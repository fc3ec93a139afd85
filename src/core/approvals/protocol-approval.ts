/** Questions that an agent asks in its protocol: their options have the ids of the agent. */
import type { DriverOption, DriverQuestion } from "../acp/acp-fold.ts";
import { crc32 } from "../bytes/crc32.ts";
import { noSubject, type Approval, type ApprovalOption } from "../dialogs/approval.ts";
import type { Observation } from "../observe/observation.ts";
import { asText, fieldsOf } from "../wire/shape.ts";

/** Who answers in the client of the agent. */
const IN_EDITOR = "editor";

/** Those that an observation opens, answers or withdraws. */
export function protocolApprovals(observation: Observation): Approval[] {
  const { protocol, timeUs } = observation;
  return (protocol?.events ?? []).flatMap((event): Approval[] => {
    if (event.type === "question") return [approvalOf(event.question, observation)];
    if (event.type !== "question-gone") return [];
    const approval = approvalOf(event.question, observation);
    const { option } = event;
    if (option === null) return [{ ...approval, state: "gone" }];
    const by = protocol?.answered?.approval === approval.id ? protocol.answered.by : IN_EDITOR;
    return [{ ...approval, state: "answered", answer: { option, by, timeUs } }];
  });
}

function approvalOf({ options, request, tool }: DriverQuestion, { agent, offset, timeUs }: Observation): Approval {
  const input = fieldsOf(tool.input === null ? null : JSON.parse(tool.input));
  return {
    ...noSubject,
    id: `p${crc32(new TextEncoder().encode(request)).toString(16)}`,
    source: "protocol",
    request,
    kind: "permission",
    agent: agent.agent,
    question: tool.title === "" ? `May the tool "${tool.name ?? tool.kind}" run?` : tool.title,
    tool: tool.name ?? tool.kind,
    command: asText(input["command"]) ?? null,
    reason: asText(input["reason"]) ?? null,
    details: tool.input ?? "",
    options: options.map(optionOf),
    isComplete: true,
    selected: null,
    offset,
    timeUs,
    state: "open",
    whyHint: null,
    answer: null,
  };
}

const effects: Readonly<Record<string, ApprovalOption["effect"]>> = {
  allow_once: "allow",
  allow_always: "allow-always",
  reject_once: "deny",
  reject_always: "deny",
};

const optionOf = ({ id, kind, label }: DriverOption): ApprovalOption => ({
  id,
  label,
  effect: effects[kind] ?? "other",
});
