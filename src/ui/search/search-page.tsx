/** Searches messages, questions and input of all sessions, newest first. */
import { useCallback, useDeferredValue, useState, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import { Ago } from "../parts/time.tsx";
import { navigate, sessionPath } from "../router.ts";
import { useAnswer } from "../use-answer.ts";
import { anchorOf } from "../chat/anchor.ts";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { snippetPieces } from "./snippet.ts";
import type { LecternClient, OutputOf } from "../../client.ts";
import { waits } from "../../core/waits.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { joinAddress } from "../../protocol/session-address.ts";
import { daemon } from "../api.ts";

const WORD_CHARS_MIN = 2;

export function SearchPage({ query }: { readonly query: URLSearchParams }): ReactElement {
  const [words, setWords] = useState(query.get("q") ?? "");
  const wanted = useDeferredValue(words.trim());
  return (
    <main className="page narrow" id="main">
      <PageHead title="Search" />
      <form
        role="search"
        className="search-box"
        onSubmit={(event) => {
          event.preventDefault();
          navigate(`/search?q=${encodeURIComponent(words)}`, { replace: true });
        }}
      >
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search all sessions"
          placeholder="Words in messages, questions and commands"
          data-shortcut="/"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </form>
      {wanted.length < WORD_CHARS_MIN ? <SearchHelp /> : <Hits words={wanted} />}
    </main>
  );
}

function SearchHelp(): ReactElement {
  return (
    <p className="empty-line">
      All words must match. <code>&quot;two words&quot;</code> is a phrase, <code>test*</code> a prefix; use{" "}
      <code>OR</code> and <code>NOT</code> between words.
    </p>
  );
}

function Hits({ words }: { readonly words: string }): ReactElement {
  const { machines } = useStore(sessionList);
  const ask = useCallback((signal: AbortSignal) => searchAll(words, machines, signal), [words, machines]);
  const { value, problem } = useAnswer(ask);
  if (problem !== undefined && value === undefined) return <p className="form-problem">{problem}</p>;
  if (value?.hits.length === 0) return <p className="empty-line">No hits for “{words}” in any session.</p>;
  return (
    <>
      {value === undefined || value.missing.length === 0 ? null : (
        <p className="note">Without the sessions of {value.missing.join(", ")}, which did not answer.</p>
      )}
      <ol className="hits" aria-label="Found">
        {value?.hits.map((hit) => (
          <HitEntry key={`${hit.session} ${hit.kind} ${hit.id}`} hit={hit} />
        ))}
      </ol>
    </>
  );
}

/** A hit links to its message and to its time in the recording. */
function HitEntry({ hit }: { readonly hit: Hit }): ReactElement {
  const { session, name, kind, id, role, offset, timeUs, snippet } = hit;
  const inConversation = `${sessionPath(session, "chat")}#${anchorOf(`${kind} ${id}`)}`;
  return (
    <li className="hit">
      <p className="hit-from">
        <span className="hit-name">{name}</span>
        <span>{role === "" ? kind : role}</span>
        <Ago sinceMs={timeUs / 1000} />
        <Link to={sessionPath(session, "replay", `at=${offset}`)} className="hit-place">
          Recording
        </Link>
      </p>
      <Link to={inConversation} className="hit-words">
        {snippetPieces(snippet).map(({ text, isMatch }, index) =>
          // Pieces have no other identity.
          // oxlint-disable-next-line react/no-array-index-key
          isMatch ? <mark key={index}>{escapeForDisplay(text)}</mark> : <span key={index}>{text}</span>,
        )}
      </Link>
    </li>
  );
}

type Hit = OutputOf<"sessions.search">["hits"][number];

interface FoundHits {
  /** Newest first; sessions of a machine with it in front. */
  readonly hits: readonly Hit[];
  /** Names of machines that did not answer. */
  readonly missing: readonly string[];
}

const HITS_MAX = 60;

/** Searches the sessions of this machine, and of each connected machine that answers. */
async function searchAll(
  words: string,
  machines: readonly Pick<MachineInfo, "name" | "state">[],
  signal: AbortSignal,
): Promise<FoundHits> {
  const ask = async (client: LecternClient, limit: AbortSignal): Promise<readonly Hit[]> =>
    (await client.call("sessions.search", { words, hitsMax: HITS_MAX }, { signal: limit })).hits;
  const askMachine = async ({ name, state }: Pick<MachineInfo, "name" | "state">): Promise<FoundHits> => {
    const nothing = { hits: [], missing: [name] };
    if (state !== "connected") return nothing;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(waits.answerMs)]);
    const hits = await ask(daemon().on(name), limit).catch(() => undefined);
    return hits === undefined ? nothing : { hits: hits.map((hit) => hitOn(name, hit)), missing: [] };
  };
  const [here, ...others] = await Promise.all([ask(daemon(), signal), ...machines.map(askMachine)]);
  const hits = [...here, ...others.flatMap((found) => found.hits)].toSorted((one, other) => other.timeUs - one.timeUs);
  return { hits: hits.slice(0, HITS_MAX), missing: others.flatMap(({ missing }) => missing) };
}

const hitOn = (machine: string, hit: Hit): Hit => ({
  ...hit,
  session: joinAddress({ machine, session: hit.session }),
  name: joinAddress({ machine, session: hit.name }),
});
