import type { z } from "zod";
import type { errorSchema } from "./error-schema.ts";

/** The media type of an answer that reports its progress: a JSON object on each line. */
export const LINES = "application/x-ndjson";

/** The media types of an endpoint that reports its progress if it is asked to. */
export const WITH_PROGRESS = ["application/json", LINES] as const;

/** The same for its description. */
export const PROGRESS = `With Accept: ${LINES}, it answers while it counts: lines of {"done": false, "seen", "of", "answer"}, of which seen and of are numbers of persons or groups, and at the end {"done": true, "answer"} or {"error"}. Closing the connection stops it.`;

/** Whether a caller asks for progress. */
export const asksForProgress = (headers: Headers): boolean =>
  headers.get("accept")?.toLowerCase().includes(LINES) ?? false;

/** A line of it. */
export type ProgressLine<T> =
  | {
      done: false;
      /** How many are counted. */
      seen: number;
      /** How many there are; null while that is not known. */
      of: number | null;
      /** What is counted so far. */
      answer: T;
    }
  | { done: true; answer: T }
  | { error: z.infer<typeof errorSchema> };
