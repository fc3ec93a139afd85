/** The `@google/genai` library. */
import { GoogleGenAI } from "@google/genai";
import type { SeenCall } from "./answer.ts";
import type { LibraryReader, SeenViews } from "./libraries.ts";

type Json = Readonly<Record<string, unknown>>;

const request = { model: "m", contents: "Do it" };

export const genaiReader: LibraryReader = async (isStream, fetch): Promise<SeenViews> => {
  const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: "http://localhost", fetch } });
  const calls: SeenCall[] = [];
  try {
    if (isStream) for await (const chunk of await models.generateContentStream(request)) calls.push(...callsIn(chunk));
    else calls.push(...callsIn(await models.generateContent(request)));
  } catch {
    // What it gave out before counts.
  }
  return { calls };
};

/** All candidates, because a user may take any of them. */
function callsIn(chunk: unknown): SeenCall[] {
  return listOf(objectOf(chunk)["candidates"]).flatMap((candidate) =>
    listOf(objectOf(objectOf(candidate)["content"])["parts"]).flatMap((part): SeenCall[] => {
      const call = objectOf(part)["functionCall"];
      if (call === undefined || call === null) return [];
      const { args, name, partialArgs, willContinue } = objectOf(call);
      // Pieces of a call come only where the request asks for them, to clients that put them together.
      const isPiece = isPresent(partialArgs) || isPresent(willContinue) || (!isPresent(name) && !isPresent(args));
      return isPiece ? [] : [{ name: String(name), input: args ?? {} }];
    }),
  );
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const objectOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
