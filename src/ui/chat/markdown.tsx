/**
 * Markdown as React elements. The parser returns a tree of tokens, each of which becomes an element here, so text is never
 * interpreted as HTML. Only links to the web are kept; images become links, so that showing a message fetches nothing.
 */
import { lexer, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactElement, type ReactNode } from "react";
import { Code } from "../parts/code.tsx";
import { screenParts } from "./screen-text.ts";

/** A longer message is shown as plain text. */
const CHARS_MAX = 200_000;

interface MarkdownProps {
  readonly text: string;
  /** It was read from a screen, which has no marks of code. */
  readonly isScreen: boolean;
}

export const Markdown = memo(function Markdown({ text, isScreen }: MarkdownProps): ReactElement {
  if (text.length > CHARS_MAX) return <p className="plain">{text}</p>;
  const parts = isScreen ? screenParts(text) : [{ kind: "markdown" as const, text }];
  return (
    <div className="markdown">
      {parts.map((part, index) => (
        // Parts have no other identity, and a message is always rendered as a whole.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {part.kind === "code" ? (
            <Code text={part.text} />
          ) : (
            lexer(part.text, { gfm: true, breaks: true }).map(toElement)
          )}
        </Fragment>
      ))}
    </div>
  );
});

const drawing = /[\u2500-\u257F]{3}/;

const many = (tokens: readonly Token[] | undefined): ReactNode => tokens?.map(toElement);

function toElement(token: Token, key: number): ReactNode {
  return <Fragment key={key}>{block(token as MarkedToken)}</Fragment>;
}

/** The tokens of the lexer without extensions. */
type MarkedToken =
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Def
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.ListItem
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Tag
  | Tokens.Text;

function block(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "heading":
      return <p className="heading">{many(token.tokens)}</p>;
    case "paragraph":
      // Box drawings of an agent, such as tables, keep their columns.
      return drawing.test(token.raw) ? <Drawn text={token.raw} /> : <p>{many(token.tokens)}</p>;
    case "code":
      return <Code text={token.text} language={token.lang ?? ""} />;
    case "blockquote":
      return <blockquote>{many(token.tokens)}</blockquote>;
    case "list":
      return <List list={token} />;
    case "table":
      return <Table table={token} />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    default:
      return inline(token);
  }
}

function inline(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{many(token.tokens)}</strong>;
    case "em":
      return <em>{many(token.tokens)}</em>;
    case "del":
      return <del>{many(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <OutsideLink address={token.href}>{many(token.tokens)}</OutsideLink>;
    case "image":
      return <OutsideLink address={token.href}>{token.text || token.href}</OutsideLink>;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? many(token.tokens) : token.text;
    case "escape":
      return token.text;
    default:
      return token.raw;
  }
}

function Drawn({ text }: { readonly text: string }): ReactElement {
  return (
    // A scrollable region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="drawn" tabIndex={0}>
      {text}
    </pre>
  );
}

function OutsideLink({ address, children }: { readonly address: string; readonly children: ReactNode }): ReactNode {
  if (!/^https?:\/\//i.test(address)) return <span title={address}>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" title={address}>
      {children}
    </a>
  );
}

function List({ list }: { readonly list: Tokens.List }): ReactElement {
  const items = list.items.map((item, index) => (
    // Items have no other identity, and a message is always rendered as a whole.
    // oxlint-disable-next-line react/no-array-index-key
    <li key={index}>
      {item.task ? <input type="checkbox" checked={item.checked === true} disabled aria-label="Done" /> : null}
      {many(item.tokens)}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { readonly table: Tokens.Table }): ReactElement {
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <th key={index}>{many(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key
                <td key={column}>{many(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
