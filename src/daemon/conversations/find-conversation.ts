/**
 * Which conversation the agent of a session is in, as the system and the agent's own files show it. Never the newest of a directory: two
 * agents may work in one.
 */
import { readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ConversationRule } from "../../core/agents/agent.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { fieldsOf, type JsonObject } from "../../core/wire/shape.ts";
import type { LearnedConversation } from "../../core/conversations/conversation-fold.ts";
import { environmentOf, innerPidOf, linkOfDescriptor, msSince, readLivingStat, userOf } from "../../pty/proc-files.ts";
import { expanded, filesFitting, type AgentVariables } from "./home-paths.ts";
import { readRegularFile } from "./regular-file.ts";
import { saidIn, type SaidConversation, type SaidPrompt } from "./said-files.ts";
import { platform, procPath } from "../../pty/platform.ts";

/** Of the files in which agents say which conversation a process has. */
const PROCESS_FILE_BYTES_MAX = 1024 * 1024;

/** Of the clock of files, and of the times of processes. */
const CLOCK_SLACK_MS = 1000;

export type FoundConversation = Omit<LearnedConversation, "agent">;

export interface ConversationPlace {
  /** The program of the session; null if it has ended. */
  readonly leader: number | null;
  readonly workingDirectory: string;
  readonly startedMs: number;
  /** What the user has said in the session. */
  readonly prompts: () => Promise<readonly SaidPrompt[]>;
  /** Of the agent, if its process has ended. */
  readonly variables: AgentVariables;
}

/** Those that are possible: one is certain. */
export async function findConversations(
  rule: ConversationRule,
  place: ConversationPlace,
): Promise<FoundConversation[]> {
  const valid = place.leader === null ? [] : shownConversations(rule, place.leader);
  if (valid.length === 1 || rule.said === undefined) return valid;
  const [first] = place.leader === null ? [] : foregroundOf(place.leader);
  const variables = first === undefined ? place.variables : variablesOf(first);
  const said = await saidSince(rule, { ...place, variables });
  const prompts = said.length === 0 ? [] : await place.prompts();
  const isOpen = (id: string): boolean => valid.length === 0 || valid.some((one) => one.id === id);
  const current = conversationsOf(said, { prompts, sinceMs: place.startedMs })
    .filter(({ id }) => rule.id.test(id) && isOpen(id))
    .map(({ id, file }): FoundConversation => ({ id, by: "prompts", file }));
  // Of several that it has open, none is certain if none of them has what was said last.
  return current.length === 0 ? valid : distinct(current);
}

/** Those that the agent of the session shows by its process and by the files that it has open. */
export function shownConversations(rule: ConversationRule, leader: number): FoundConversation[] {
  const processes = foregroundOf(leader);
  const found = [
    ...processes.flatMap((pid) => ofProcess(rule, pid)),
    ...processes.flatMap((pid) => ofOpenFiles(rule, pid)),
  ];
  return distinct(found.filter(({ id }) => rule.id.test(id)));
}

/** What was said in the conversations of the directory that have changed since the session began. */
async function saidSince(
  rule: ConversationRule,
  { startedMs: sinceMs, variables, workingDirectory }: ConversationPlace,
): Promise<SaidConversation[]> {
  const path = rule.said === undefined ? undefined : expanded(rule.said.file, variables);
  if (rule.said === undefined || path === undefined) return [];
  return await saidIn(rule.said.format, path, { workingDirectory, sinceMs });
}

/**
 * Whether what was said last in the session stands in this conversation, at its end. Null if the conversation is not read, or if nothing was
 * said in the session: then nothing speaks against it.
 */
export async function isStillIn(id: string, rule: ConversationRule, place: ConversationPlace): Promise<boolean | null> {
  const conversation = (await saidSince(rule, place)).findLast((one) => one.id === id);
  const prompts = await place.prompts();
  return conversation === undefined || prompts.length === 0 ? null : mayHaveLastOf(conversation, prompts);
}

/**
 * The files of a conversation, the current one last: the one that was written last. Of those that were written at the same time their names
 * decide. Empty if the agent does not keep it, null if that is not known.
 */
export function keptFiles({ kept }: ConversationRule, id: string, { prefix, variables }: KeptPlace): string[] | null {
  const named = kept?.replaceAll(/\{id(?::(\d+))?\}/g, (_, length?: string) =>
    id.slice(0, Number(length ?? id.length)),
  );
  const path = named === undefined ? undefined : expanded(named, variables);
  if (path === undefined) return null;
  const files = filesFitting(prefix + path).map((file) => ({ file, writtenMs: writtenMs(file) }));
  return files.toSorted((one, other) => one.writtenMs - other.writtenMs).map(({ file }) => file.slice(prefix.length));
}

const writtenMs = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The directory below which all conversations of the agent are; undefined if that is not known. */
export function keptRoot({ kept }: ConversationRule, { variables }: KeptPlace): string | undefined {
  const path = kept === undefined ? undefined : expanded(kept.replaceAll(/\{id(?::\d+)?\}/g, "*"), variables);
  return path?.includes("*") === true ? dirname(path.slice(0, path.indexOf("*") + 1)) : path && dirname(path);
}

/** The processes that a key of the terminal would reach; on other systems than Linux the program itself. */
function foregroundOf(leader: number): number[] {
  const stat = readLivingStat(leader);
  if (!platform.hasProc || stat === undefined) return [leader];
  return readdirSync(procPath(""))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const other = readLivingStat(pid);
      return other?.session === stat.session && other.group === stat.foregroundGroup;
    });
}

const ofProcess = (rule: ConversationRule, pid: number): FoundConversation[] =>
  processFiles(rule, pid).flatMap(({ content, place }): FoundConversation[] => {
    const id = content[rule.process?.key ?? ""];
    return typeof id !== "string" ? [] : [{ id, by: "process", file: keptFiles(rule, id, place)?.at(-1) ?? null }];
  });

interface ProcessFile {
  readonly path: string;
  readonly place: KeptPlace;
  readonly content: JsonObject;
  /** Not of an earlier process with the same number. */
  readonly isOwn: (content: JsonObject) => boolean;
}

function processFiles({ process: data }: ConversationRule, pid: number): ProcessFile[] {
  const stat = readLivingStat(pid);
  if (data === undefined || stat === undefined) return [];
  const place = { prefix: prefixOf(pid), variables: variablesOf(pid) };
  const inner = innerPidOf(pid) ?? pid;
  const isOwn = (content: JsonObject): boolean =>
    (data.pid === undefined || content[data.pid] === inner) &&
    (data.started === undefined ||
      content[data.started] === undefined ||
      Number(content[data.started]) === stat.startTicks);
  const named = expanded(data.file.replaceAll("{pid}", String(inner)), place.variables);
  const files = named === undefined ? [] : filesFitting(place.prefix + named);
  return files.flatMap((path) => {
    if (data.started === undefined && isOlder(path, stat.startTicks)) return [];
    const content = fieldsOf(jsonValueOf(textOf(path)));
    return isOwn(content) ? [{ path, place, content, isOwn }] : [];
  });
}

/** The file in which the agent of a session says what it does; undefined if it has none. */
export function statusFileOf(rule: ConversationRule, leader: number): Pick<ProcessFile, "path" | "isOwn"> | undefined {
  if (rule.process?.status === undefined) return undefined;
  return foregroundOf(leader).flatMap((pid) => processFiles(rule, pid))[0];
}

/** "" if it cannot be read. */
function textOf(file: string): string {
  try {
    return readRegularFile(file, PROCESS_FILE_BYTES_MAX).toString();
  } catch {
    return "";
  }
}

const isOlder = (file: string, startTicks: number): boolean =>
  writtenMs(file) < Date.now() - msSince(startTicks) - CLOCK_SLACK_MS;

function ofOpenFiles(rule: ConversationRule, pid: number): FoundConversation[] {
  const { open } = rule;
  if (open === null) return [];
  return descriptorsOf(pid).flatMap((descriptor) => {
    const file = linkOfDescriptor(pid, descriptor);
    const id = file === undefined ? undefined : open.exec(file)?.[1];
    if (file === undefined || id === undefined) return [];
    const kept = keptFiles(rule, id, { prefix: prefixOf(pid), variables: variablesOf(pid) });
    return [{ id, by: "open-file" as const, file: kept?.at(-1) ?? file }];
  });
}

function descriptorsOf(pid: number): number[] {
  try {
    return readdirSync(procPath(`${pid}/fd`)).map(Number);
  } catch {
    return [];
  }
}

/** The agent of a session, as a process: where its files are. */
export interface AgentPlace {
  /** In a sandbox its directories are not those outside: in front of its paths. Otherwise "". */
  readonly prefix: string;
  readonly userId: number | undefined;
  readonly variables: AgentVariables;
}

type KeptPlace = Pick<AgentPlace, "prefix" | "variables">;

/** Undefined if the program of the session has ended. */
export function agentPlace(leader: number): AgentPlace | undefined {
  const processes = foregroundOf(leader);
  // What starts a sandbox stands outside of it.
  const pid = processes.find((one) => prefixOf(one) !== "") ?? processes[0];
  return pid === undefined ? undefined : { prefix: prefixOf(pid), userId: userOf(pid), variables: variablesOf(pid) };
}

const prefixOf = (pid: number): string => ((innerPidOf(pid) ?? pid) === pid ? "" : procPath(`${pid}/root`));

/** On other systems than Linux, those of this process. */
function variablesOf(pid: number): AgentVariables {
  const strings = environmentOf(pid);
  if (strings === undefined) return process.env;
  return Object.fromEntries(
    strings.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}

const distinct = (found: readonly FoundConversation[]): FoundConversation[] => [
  ...new Map(found.map((one) => [one.id, one])).values(),
];

// Whether a conversation is that of a session, by what was said in it and when.

/** A prompt is on the screen, and in the agent's file, within this time, also on a busy machine. */
const APART_MS_MAX = 60_000;

const ALIKE_CHARS = 16;

/** White space is not compared: a screen wraps lines. */
const squashed = (text: string): string => text.replaceAll(/\s+/g, "");

/**
 * The conversations that the session can be in, whose prompts the views have read: each of their prompts since the session began was said in
 * the session, at about that time and in that order, there is at least one, and the last one is the last of both. Those with an earlier one
 * were left, for example with `/new`.
 */
export function conversationsOf(
  conversations: readonly SaidConversation[],
  { prompts, sinceMs }: { readonly prompts: readonly SaidPrompt[]; readonly sinceMs: number },
): SaidConversation[] {
  return conversations.filter((conversation) => {
    const said = conversation.prompts.filter(({ timeMs }) => timeMs >= sinceMs);
    return said.length > 0 && areSaid(said, prompts) && hasLastOf(conversation, prompts);
  });
}

/** The last prompt of the conversation is the last one of the session. One that was said before may be drawn again, later. */
export function hasLastOf(conversation: SaidConversation, prompts: readonly SaidPrompt[]): boolean {
  const [last, wanted] = [conversation.prompts.at(-1), prompts.at(-1)];
  if (last === undefined || wanted === undefined) return false;
  return squashed(last.text) === squashed(wanted.text) && last.timeMs - wanted.timeMs <= APART_MS_MAX;
}

/** The same, of a prompt that the screen shows in part or drawn otherwise: it begins alike, at about that time. */
export function mayHaveLastOf(conversation: SaidConversation, prompts: readonly SaidPrompt[]): boolean {
  if (hasLastOf(conversation, prompts)) return true;
  const [last, wanted] = [conversation.prompts.at(-1), prompts.at(-1)];
  if (last === undefined || wanted === undefined || Math.abs(last.timeMs - wanted.timeMs) > APART_MS_MAX) return false;
  return squashed(wanted.text).slice(0, ALIKE_CHARS) === squashed(last.text).slice(0, ALIKE_CHARS);
}

function areSaid(said: readonly SaidPrompt[], prompts: readonly SaidPrompt[]): boolean {
  let next = 0;
  for (const { text, timeMs } of said) {
    const wanted = squashed(text);
    const found = prompts.findIndex(
      (prompt, at) =>
        at >= next && squashed(prompt.text) === wanted && Math.abs(prompt.timeMs - timeMs) <= APART_MS_MAX,
    );
    if (found < 0) return false;
    next = found + 1;
  }
  return true;
}
