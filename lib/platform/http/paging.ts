import { z } from "zod";

const DEFAULT_LIMIT = 100;

const count = (fallback: number, least: number) =>
  z
    .string()
    .optional()
    .transform((text) => {
      const value = Number(text);
      return Number.isSafeInteger(value) && value >= least ? value : fallback;
    });

/** `limit` and `offset` of a list; garbage falls back to the defaults, as the public service does. */
export const pageQuery = {
  limit: count(DEFAULT_LIMIT, 1).meta({
    description: `Results per page; ${DEFAULT_LIMIT} when absent or not a positive whole number.`,
  }),
  offset: count(0, 0).meta({
    description: "Index of the first result; 0 when absent or not a whole number.",
  }),
};

/** `limit` of a list that is costly to make: more than `most` is taken as that. */
export const limitUpTo = (most: number) =>
  pageQuery.limit
    .transform((limit) => Math.min(limit, most))
    .meta({ description: `Results per page, at most ${most}; ${DEFAULT_LIMIT} when absent.` });

/** The envelope of a list. */
export const envelope = <R extends z.ZodType>(record: R) =>
  z.object({
    count: z.number().int().meta({ description: "Total number of records." }),
    next: z.string().nullable().meta({ description: "URL of the next page; null on the last." }),
    previous: z.string().nullable().meta({ description: "URL of the previous page; null on the first." }),
    results: z.array(record).meta({ description: "The records of this page." }),
  });

type Page = { limit: number; offset: number };

/** A key in the query: an address in an answer is logged and passed on, so it does not repeat it. */
const KEY = "personal_api_key";

/** Absolute addresses of the neighbouring pages, without the key that was in the query. */
export function neighbours(
  url: URL,
  page: Page,
  count: number,
): { next: string | null; previous: string | null } {
  const at = (offset: number) => {
    const copy = new URL(url);
    copy.searchParams.delete(KEY);
    copy.searchParams.set("limit", String(page.limit));
    if (offset > 0) copy.searchParams.set("offset", String(offset));
    else copy.searchParams.delete("offset");
    return copy.href;
  };
  return {
    next: page.offset + page.limit < count ? at(page.offset + page.limit) : null,
    previous: page.offset > 0 ? at(Math.max(0, page.offset - page.limit)) : null,
  };
}
