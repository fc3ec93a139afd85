/** Gemini generateContent, of the Gemini API and of Code Assist. */
import type { BaseAnswer, StreamEvent } from "./answer.ts";
import { bodyOf, command, mapValues, plain, streamsOf } from "./vendor-parts.ts";

/** @see https://ai.google.dev/api/generate-content */
function geminiStream(steps: readonly (readonly object[])[], wrap = false): StreamEvent[] {
  const usageMetadata = {
    promptTokenCount: 9,
    candidatesTokenCount: 12,
    totalTokenCount: 24,
    thoughtsTokenCount: 3,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 9 }],
  };
  return steps.map((parts, position) => {
    const isLast = position === steps.length - 1;
    const chunk = {
      candidates: [
        {
          content: { parts, role: "model" },
          index: 0,
          ...(isLast && {
            finishReason: "STOP",
            safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" }],
          }),
        },
      ],
      usageMetadata,
      modelVersion: "gemini-3-pro",
      responseId: "r1",
    };
    return plain(wrap ? { response: chunk, traceId: "t1" } : chunk);
  });
}

const geminiSteps: Readonly<Record<string, readonly (readonly object[])[]>> = {
  "a thought, text and two functions": [
    [{ text: "Hm", thought: true }],
    [{ text: "I look." }],
    [{ functionCall: { name: "shell", args: command }, thoughtSignature: "c2ln" }],
    [{ functionCall: { name: "read_file", args: { path: "/a" }, id: "f2" } }],
    [{ text: "" }],
  ],
  "code on the server, then a function": [
    [{ executableCode: { language: "PYTHON", code: "print(1)" } }],
    [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } }],
    [{ text: "One." }, { functionCall: { name: "shell", args: { command: "ls" } } }],
  ],
};

/** Code Assist wraps each chunk. */
const wrappedSteps = [
  [{ text: "I look." }],
  [{ functionCall: { name: "shell", args: command } }, { functionCall: { name: "shell", args: {} } }],
  [{ text: "" }],
];

const dataOf = (events: readonly StreamEvent[]): unknown[] => events.map(({ data }) => data);

export const geminiStreams: readonly BaseAnswer[] = [
  ...streamsOf(
    "gemini",
    mapValues(geminiSteps, (steps) => geminiStream(steps)),
  ),
  ...streamsOf("gemini", { "chunks of Code Assist": geminiStream(wrappedSteps, true) }),
];

export const geminiBodies: readonly BaseAnswer[] = [
  ...Object.entries(geminiSteps).flatMap(([name, steps]) => [
    bodyOf("gemini", `${name}, as a list`, dataOf(geminiStream(steps))),
    bodyOf("gemini", `${name}, as one body`, dataOf(geminiStream([steps.flat()]))[0]),
  ]),
  bodyOf("gemini", "chunks of Code Assist, as one body", dataOf(geminiStream([wrappedSteps.flat()], true))[0]),
];
