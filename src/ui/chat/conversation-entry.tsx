/** An entry of a conversation, with a link to its time in the recording. */
import { oneLine } from "../../core/text/one-line.ts";
import { memo, type ReactElement, type ReactNode } from "react";
import type { ChatMessage } from "../../core/chat/message.ts";
import type { TaggedEvent } from "../../core/events/tagged-event.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import { sessionPath } from "../router.ts";
import { anchorOf } from "./anchor.ts";
import { Code } from "../parts/code.tsx";
import type { ConversationItem } from "./conversation.ts";
import type { ConversationGap } from "./gaps.ts";
import { Markdown } from "./markdown.tsx";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { diffOfInput } from "./edit-diff.ts";

interface ConversationEntryProps {
  readonly item: ConversationItem | ConversationGap;
  /** Id of the session. */
  readonly session: string;
  readonly name: string;
  /** False if the recording is trimmed past this entry. */
  readonly hasPlace: boolean;
  /** Of a session that the one of the page continues: its links lead to the page of its own session. */
  readonly isEarlier?: boolean;
}

export const ConversationEntry = memo(function ConversationEntry({
  item,
  session,
  name,
  hasPlace,
  isEarlier = false,
}: ConversationEntryProps): ReactElement {
  if (item.kind === "gap") return <li className="entry-gap">{escapeForDisplay(item.words)}</li>;
  return (
    <li
      className="entry"
      data-kind={item.kind}
      data-role={item.kind === "message" ? item.message.role : undefined}
      id={isEarlier ? undefined : anchorOf(item.key)}
    >
      {contentOf(item, session)}
      <Place item={item} name={name} hasPlace={hasPlace} isEarlier={isEarlier} />
    </li>
  );
});

interface PlaceProps extends Pick<ConversationEntryProps, "name" | "hasPlace" | "isEarlier"> {
  readonly item: ConversationItem;
}

/** The time of an entry, linked to the recording, and a link to the entry. */
function Place({ item, name, hasPlace, isEarlier = false }: PlaceProps): ReactElement {
  const text = timeOf(item.timeUs);
  const time = <time dateTime={new Date(item.timeUs / 1000).toISOString()}>{text}</time>;
  return (
    <p className="entry-place">
      {hasPlace ? (
        <Link to={sessionPath(name, "replay", `at=${item.offset}`)} label={`Show in the recording, ${text}`}>
          {time}
          <Icon name="jump" />
        </Link>
      ) : (
        <span title="The recording does not go back this far">{time}</span>
      )}
      <a
        href={`${isEarlier ? sessionPath(name, "chat") : ""}#${anchorOf(item.key)}`}
        aria-label={`Link to this, ${text}`}
      >
        <Icon name="link" />
      </a>
    </p>
  );
}

const timeOf = (timeUs: number): string =>
  new Date(timeUs / 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

function contentOf(item: ConversationItem, session: string): ReactNode {
  switch (item.kind) {
    case "approval":
      return <ApprovalCard approval={item.approval} session={session} />;
    case "event":
      return <EventCard event={item.event} />;
    case "tool":
      return <ToolCard call={item.call} result={item.result} />;
    case "message":
      return <Message message={item.message} />;
  }
}

function Message({ message }: { readonly message: ChatMessage }): ReactElement {
  const { role, text, agent, doubts, isPartial, isIncomplete, source } = message;
  switch (role) {
    case "conversation-start":
      return (
        <>
          <p className="entry-rule">{agent === null ? "A conversation begins" : `${agent} begins`}</p>
          {(doubts ?? []).map((doubt) => (
            <p className="note" key={doubt}>
              {escapeForDisplay(doubt)}.
            </p>
          ))}
        </>
      );
    case "exit":
      return <p className="entry-rule">{escapeForDisplay(text.trim() === "" ? "It ended" : oneLine(text))}</p>;
    case "shell":
      return <ShellCommand message={message} />;
    case "tool-call":
    case "tool-result":
      return <ToolCard call={message} result={undefined} />;
    case "welcome":
    case "command":
    case "error":
      return (
        <div className="bubble" data-role={role}>
          <p className="plain">{text}</p>
        </div>
      );
    default:
      return (
        <div className="bubble" data-role={role}>
          <p className="bubble-who note">
            {role === "user" ? "You" : (agent ?? "Program")}
            {role === "user" || source !== "screen" ? null : (
              <span className="bubble-source">read from the screen</span>
            )}
          </p>
          {role === "user" ? <p className="plain">{text}</p> : <Markdown text={text} isScreen={source === "screen"} />}
          {isPartial ? <span className="bubble-more" role="status" aria-label="Still writing" /> : null}
          {isIncomplete ? <p className="note">Parts of this message were not captured.</p> : null}
        </div>
      );
  }
}

function ShellCommand({ message: { text, shell, isPartial } }: { readonly message: ChatMessage }): ReactElement {
  const exitCode = shell?.exitCode ?? null;
  return (
    <div className="card panel">
      <p className="card-head">
        <span className="prompt-sign" aria-hidden="true">
          $
        </span>
        <code>{shell?.command ?? ""}</code>
        {exitCode === null ? null : (
          <span className="exit-code" data-ok={exitCode === 0}>
            {exitCode === 0 ? "ok" : `code ${exitCode}`}
          </span>
        )}
        {isPartial ? <span className="bubble-more" role="status" aria-label="Still running" /> : null}
      </p>
      {text === "" ? null : <Code text={text} language="text" />}
    </div>
  );
}

function EventCard({ event }: { readonly event: TaggedEvent }): ReactElement {
  return (
    <div className="card panel" data-valid={event.valid}>
      <p className="card-head">
        <span className="event-name">{event.name}</span>
        <span className="note">
          {event.carrier === event.trust ? event.carrier : `${event.carrier}, ${event.trust}`}
        </span>
      </p>
      {event.valid ? (
        <Code text={JSON.stringify(event.payload, null, 2)} language="json" />
      ) : (
        <p className="form-problem">{event.error.message}</p>
      )}
    </div>
  );
}

interface ToolCardProps {
  readonly call: ChatMessage;
  readonly result: ChatMessage | undefined;
}

/** A longer result is collapsed. */
const SHOWN_CHARS_MAX = 1200;

/** A tool call: its name, input and result. */
function ToolCard({ call, result }: ToolCardProps): ReactElement {
  const isRunning = call.isPartial || (call.role === "tool-call" && result === undefined);
  const input = call.tool?.input ?? (call.role === "tool-call" ? call.text : null);
  const output = call.role === "tool-result" ? call.text : result?.text;
  return (
    <div className="card panel" data-running={isRunning}>
      <p className="card-head">
        <Icon name="tool" />
        <span className="tool-name">{escapeForDisplay(call.tool?.name ?? "Tool")}</span>
        {isRunning ? <span className="bubble-more" role="status" aria-label="No result yet" /> : null}
      </p>
      {input === null || input === "" ? null : <Input text={input} />}
      {output === undefined || output === "" ? null : <Output text={output} isPartial={result?.isPartial ?? false} />}
    </div>
  );
}

function Input({ text }: { readonly text: string }): ReactElement {
  const diff = diffOfInput(text);
  return diff === undefined ? <Code text={pretty(text)} /> : <Code text={diff} language="diff" />;
}

function Output({ text, isPartial }: { readonly text: string; readonly isPartial: boolean }): ReactElement {
  const code = <Code text={text} />;
  if (text.length <= SHOWN_CHARS_MAX || isPartial) return code;
  return (
    <details className="card-fold">
      <summary>{text.split("\n").length} lines of output</summary>
      {code}
    </details>
  );
}

/** Indented JSON; other text unchanged. */
function pretty(text: string): string {
  const value = jsonValueOf(text);
  return typeof value === "object" ? JSON.stringify(value, null, 2) : text;
}
