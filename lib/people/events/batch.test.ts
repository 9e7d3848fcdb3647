import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { type Entry, readBatch } from "./batch.ts";

async function entriesOf(text: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const batch = await readBatch(Buffer.from(text));
  for await (const group of batch.groups()) entries.push(...group);
  expect(entries).toHaveLength(batch.count);
  return entries;
}

const eventsOf = async (text: string) => (await entriesOf(text)).map(({ raw }) => raw);

const refusalOf = async (text: string): Promise<ApiError> => {
  const error = await entriesOf(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error("It was read.");
  return error;
};

/** Blanks that JSON ignores, more than a body holds that is parsed at once. */
const BLANKS = " \n\t\r".repeat(20_000);

describe("a large request", () => {
  const events = fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 30 });

  it("gives the events that parsing it at once gives, wherever they are", async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.dictionary(
          fc.constantFrom("api_key", "sent_at", "a,]}", 'q"\\', "batch2"),
          fc.jsonValue({ maxDepth: 2 }),
        ),
        fc.boolean(),
        async (batch, around, isFirst) => {
          const outer = isFirst ? { batch, ...around } : { ...around, batch };
          const list = JSON.stringify(batch, null, 2);
          expect(await eventsOf(`${BLANKS}${list}${BLANKS}`)).toEqual(JSON.parse(list));
          const text = JSON.stringify(outer, null, 1);
          const read = await readBatch(Buffer.from(`${BLANKS}${text}`));
          expect({ ...read.outer, batch: null }).toEqual({ ...JSON.parse(text), batch: null });
          expect(await eventsOf(`${BLANKS}${text}`)).toEqual(JSON.parse(text).batch);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("is refused exactly where parsing it at once would fail", async () => {
    const piece = fc.constantFrom("{", "}", "[", "]", ",", '"', ":", "1", "\\", '"batch":', "x", " ");
    await fc.assert(
      fc.asyncProperty(events, piece, fc.nat(), fc.boolean(), async (batch, added, at, isInserted) => {
        const good = JSON.stringify({ api_key: "t", batch });
        const place = at % good.length;
        const text = `${good.slice(0, place)}${added}${good.slice(isInserted ? place : place + 1)}`;
        let expected: unknown;
        let isJson = true;
        try {
          expected = JSON.parse(text);
        } catch {
          isJson = false;
        }
        const found = await readBatch(Buffer.from(`${text}${BLANKS}`))
          .then(async (read) => {
            const raw: unknown[] = [];
            for await (const group of read.groups()) raw.push(...group.map((entry) => entry.raw));
            return raw;
          })
          .catch((error: unknown) => error);
        if (!isJson) expect(found).toBeInstanceOf(ApiError);
        else if (Array.isArray(found)) {
          const { batch: list } = expected as { batch?: unknown };
          expect(found).toEqual(list ?? [expected]);
        } else expect(found).toMatchObject({ status: 400 });
      }),
      { numRuns: 500 },
    );
  });

  it("may begin with a byte order mark, write its names with escapes and name the batch twice", async () => {
    expect(await eventsOf(`\ufeff{"batch":[1,2]${BLANKS}}`)).toEqual([1, 2]);
    expect(await eventsOf(`{"\\u0062atc\\u0068":[1,[2]]${BLANKS}}`)).toEqual([1, [2]]);
    expect(await eventsOf(`{"batch":[1,2],"x":{"batch":[7]},"batch":[3]${BLANKS}}`)).toEqual([3]);
  });

  it("may be one event", async () => {
    expect(await eventsOf(`{"event":"e","properties":{"batch":[1]}${BLANKS}}`)).toEqual([
      { event: "e", properties: { batch: [1] } },
    ]);
  });

  it.each([
    ["events", `[${"0,".repeat(300_000)}0]`, 413, /300001 events; at most 10000/],
    ["events, in little space", `[${"0,".repeat(10_000)}0]`, 413, /10001 events; at most 10000/],
    ["values", `[${`[${"0,".repeat(999)}0],`.repeat(2_100)}0]`, 413, /2000000 values/],
    ["bytes beside the events", `{"x":"${"y".repeat(1_100_000)}","batch":[]}`, 413, /beside the events/],
    ["values beside the events", `{"x":[${"0,".repeat(40_000)}0],"batch":[]}`, 413, /10000 values/],
    ["bytes in its only event", `{"event":"${"y".repeat(1_100_000)}"}`, 400, /1048576 bytes/],
    ["values in its only event", `{"event":[${"0,".repeat(40_000)}0]}`, 400, /10000 values/],
  ])("of too many %s is refused", async (_, text, status, detail) => {
    const error = await refusalOf(text);
    expect(error.status).toBe(status);
    expect(error.message).toMatch(detail);
  });

  it("names the events in it that are too large, and keeps the others", async () => {
    const large = `{"event":"${"y".repeat(1_100_000)}"}`;
    const wide = `{"event":[${"0,".repeat(10_000)}0]}`;
    const entries = await entriesOf(`[{"n":1},${large},{"n":2},${wide},{"n":3}]`);
    expect(entries.map(({ raw, refusal }) => refusal ?? raw)).toEqual([
      { n: 1 },
      expect.stringContaining("1048576 bytes"),
      { n: 2 },
      expect.stringContaining("10000 values"),
      { n: 3 },
    ]);
  });

  const listOf = (sizes: number[]) =>
    `[${sizes.map((size, n) => `"${String(n).padEnd(size - 2, "x")}"`).join(",")}]`;
  const K = 1024;

  it.each<{ sizes: number[]; groups: number[] }>([
    { sizes: new Array(10).fill(20 * K), groups: [3, 3, 3, 1] },
    { sizes: new Array(5).fill(32 * K), groups: [2, 2, 1] },
    { sizes: [64 * K, 10, 10, 64 * K, 64 * K - 10, 10], groups: [1, 2, 1, 2] },
    { sizes: [200 * K, 10, 10], groups: [1, 2] },
    { sizes: [10, 200 * K, 10], groups: [1, 1, 1] },
    { sizes: [30 * K, 30 * K, 10 * K, 30 * K, 30 * K], groups: [2, 2, 1] },
    // Those that are refused are alone.
    { sizes: [1_100 * K, 10, 10, 1_100 * K, 1_100 * K, 10], groups: [1, 2, 1, 1, 1] },
    { sizes: [10, 1_024 * K, 1_024 * K + 1], groups: [1, 1, 1] },
  ])("of events of $sizes bytes is parsed in groups of $groups", async ({ sizes, groups }) => {
    const batch = await readBatch(Buffer.from(listOf(sizes)));
    const found: Entry[][] = [];
    for await (const group of batch.groups()) found.push(group);
    expect(found.map((group) => group.length)).toEqual(groups);
    const isTooLarge = found.flat().map(({ refusal }) => refusal !== null);
    expect(isTooLarge).toEqual(sizes.map((size) => size > 1_024 * K));
    for (const [n, { raw }] of found.flat().entries())
      if (!isTooLarge[n]) expect(Number.parseInt(String(raw), 10)).toBe(n);
  });

  it.each<{ case: string; most: number; text: (size: number) => string }>([
    {
      case: "events, close to each other",
      most: 10_000,
      text: (count) => JSON.stringify(new Array(count).fill(0)),
    },
    {
      case: "events",
      most: 10_000,
      text: (count) => JSON.stringify({ batch: new Array(count).fill("some text") }),
    },
    {
      case: "values",
      most: 2_000_000,
      // The list itself, lists of 10,000 values with themselves, and the rest.
      text: (count) => {
        const lists = Math.floor((count - 1) / 10_000);
        const last = count - 1 - lists * 10_000;
        const list = (values: number) => `[${new Array(values - 1).fill(0).join(",")}]`;
        return `[${[...new Array(lists).fill(list(10_000)), ...(last > 1 ? [list(last)] : last === 1 ? ["0"] : [])].join(",")}]`;
      },
    },
    {
      case: "bytes beside the events",
      most: 1_024 * K,
      text: (size) => `{"x":"${"y".repeat(size - '{"x":"","batch":}'.length)}","batch":[{}]}`,
    },
    {
      case: "bytes in its only event",
      most: 1_024 * K,
      text: (size) => `{"x":"${"y".repeat(size - '{"x":""}'.length)}"}`,
    },
  ])("may have $most $case, and no more", async ({ most, text }) => {
    expect((await entriesOf(text(most))).every(({ refusal }) => refusal === null)).toBe(true);
    expect((await refusalOf(text(most + 1))).message).toContain(String(most));
  });

  it.each<[string, Record<string, unknown>]>([
    ['{"api_key":"t","batch":[1],"sent_at":"x"}', { api_key: "t", sent_at: "x" }],
    ['{"batch":[1]}', {}],
    ["[1,2]", {}],
    ['{"api_key":"t","event":"e"}', { api_key: "t", event: "e" }],
  ])("%s has the same fields around its events when it is small", async (text, fields) => {
    for (const sent of [text, `${text}${BLANKS}`]) {
      const { batch: _, ...outer } = (await readBatch(Buffer.from(sent))).outer;
      expect(outer).toEqual(fields);
    }
  });

  it.each([["7"], ['"e"'], ["null"], ['{"batch":{}}'], ['{"batch":7}'], ["[1"], ['{"batch":[1}']])(
    "that is %s is refused, large or small",
    async (text) => {
      expect(await refusalOf(text)).toMatchObject({ status: 400 });
      expect(await refusalOf(`${text}${BLANKS}`)).toMatchObject({ status: 400 });
    },
  );
});
