/** The records that agents keep of their own conversations. */
import { flag } from "../config-key.ts";

export const transcripts = {
  summary: "What agents write about their own conversations.",
  keys: {
    follow: flag({
      default: true,
      summary:
        "Read the record of the agent in each session, and keep it in the journal; `false`: messages are read from the screen only.",
    }),
  },
};
