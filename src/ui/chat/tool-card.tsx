import type { ReactElement } from "react";
import type { ChatMessage } from "../../core/chat/message.ts";
import { Icon } from "../parts/icon.tsx";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Code } from "../parts/code.tsx";
import { diffOfInput } from "./edit-diff.ts";

interface ToolCardProps {
  readonly call: ChatMessage;
  readonly result: ChatMessage | undefined;
}

/** A longer result is collapsed. */
const SHOWN_CHARS_MAX = 1200;

/** A tool call: its name, input and result. */
export function ToolCard({ call, result }: ToolCardProps): ReactElement {
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
