/** A question of a session as `session/request_permission` of ACP v1. */
import type { Approval, ApprovalOption } from "../../../core/dialogs/approval.ts";
import { toolKind, type ToolKind } from "./tool-kind.ts";

interface PermissionRequest {
  readonly toolCall: {
    readonly toolCallId: string;
    readonly title: string;
    readonly kind: ToolKind;
    readonly status: "pending";
    readonly rawInput?: unknown;
    readonly content: {
      readonly type: "content";
      readonly content: { readonly type: "text"; readonly text: string };
    }[];
  };
  readonly options: { readonly optionId: string; readonly name: string; readonly kind: OptionKind }[];
  readonly _meta: { readonly lectern: { readonly approval: string; readonly offset: number; readonly kind: string } };
}

type OptionKind = "allow_once" | "allow_always" | "reject_once";

/** Null for a question without options: it is answered by typing. */
export function permissionRequest(approval: Approval): PermissionRequest | null {
  const { id, kind, question, details, options, tool, command, change, directory, offset } = approval;
  if (options.length === 0) return null;
  const subject = { tool, command, change, directory };
  const known = Object.entries(subject).filter(([, value]) => value !== null);
  return {
    toolCall: {
      toolCallId: `approval-${id}`,
      title: question,
      kind: command === null ? toolKind(tool ?? "") : "execute",
      status: "pending",
      ...(known.length > 0 && { rawInput: Object.fromEntries(known) }),
      content: details === "" ? [] : [{ type: "content", content: { type: "text", text: details } }],
    },
    options: options.map((option) => ({ optionId: option.id, name: option.label, kind: kindOf(option, options) })),
    _meta: { lectern: { approval: id, offset, kind } },
  };
}

/**
 * An option that neither allows nor denies counts as a refusal beside others that do: a client that accepts the first option that allows
 * takes no other one.
 */
function kindOf({ effect }: ApprovalOption, options: readonly ApprovalOption[]): OptionKind {
  if (effect === "allow") return "allow_once";
  if (effect === "allow-always") return "allow_always";
  if (effect === "deny") return "reject_once";
  return options.some((other) => other.effect !== "other") ? "reject_once" : "allow_once";
}
