/** The names of the Agent Client Protocol, version 1, that its readers act on. A test compares them with the published schema. */

/** The version of the protocol that is read. */
export const ACP_VERSION = 1;

/** Requests of the client, answered by the agent. */
export const AGENT_METHODS = [
  "initialize",
  "authenticate",
  "logout",
  "session/new",
  "session/load",
  "session/resume",
  "session/list",
  "session/delete",
  "session/close",
  "session/set_mode",
  "session/set_config_option",
  "session/prompt",
  "session/cancel",
] as const;

/** Requests and notifications of the agent. */
export const CLIENT_METHODS = [
  "session/update",
  "session/request_permission",
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
  "elicitation/create",
  "elicitation/complete",
] as const;

/** A notification of either side: it does not wait for the answer to its request any more. */
export const CANCEL_REQUEST = "$/cancel_request";

/** What a `session/update` is about. */
export const UPDATE_KINDS = [
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
] as const;

/** How a turn ended. */
export const STOP_REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const;

/** What an option of a question does. An option is chosen by its id, never by this: an agent has two of the same kind. */
export const OPTION_KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

export const TOOL_STATES = ["pending", "in_progress", "completed", "failed"] as const;
