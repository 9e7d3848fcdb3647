import { setTimeout as delay } from "node:timers/promises";
import { type Dispatcher, RoundRobinPool } from "undici";

/** A kind of request, and how often it is made as compared with the others. */
export type Kind = {
  name: string;
  weight: number;
  method: Dispatcher.HttpMethod;
  path: () => string;
  body?: () => string;
  headers: Readonly<Record<string, string>>;
};

type Answer = { status: number; ms: number; retry_after: string | undefined };

/** What became of the requests of one kind; times in ms, from when they were due. */
export class Answers {
  readonly times: number[] = [];
  readonly statuses = new Map<number, number>();
  /** 429 and 503 without a word on when to come again. */
  without_retry_after = 0;

  add({ status, ms, retry_after }: Answer): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status < 400) this.times.push(ms);
    else if ((status === 429 || status === 503) && retry_after === undefined) this.without_retry_after += 1;
  }

  /** Those of another time as well. */
  include(other: Answers): void {
    for (const ms of other.times) this.times.push(ms);
    for (const [status, count] of other.statuses)
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + count);
    this.without_retry_after += other.without_retry_after;
  }

  get served(): number {
    return this.times.length;
  }

  /** Requests that were turned away for now. */
  get refused(): number {
    return (this.statuses.get(429) ?? 0) + (this.statuses.get(503) ?? 0);
  }

  /** Requests that were neither answered nor refused. */
  get failed(): number {
    const errors = [...this.statuses].reduce((sum, [status, count]) => sum + (status >= 400 ? count : 0), 0);
    return errors - this.refused;
  }

  /** @param share from 0 to 1 */
  within(share: number): number {
    const sorted = this.times.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  }
}

/** Status of a request that got no answer at all. */
const NO_ANSWER = 599;

/**
 * Makes requests on connections that are kept; cheaply, since it shares the machine with what it measures. Connections
 * take turns, as those of many clients would: otherwise the first ones, and the processes at their ends, get the most.
 */
export function createClient(address: string, connections: number) {
  const pool = new RoundRobinPool(address, { connections, pipelining: 1 });
  const send = (kind: Kind, due: number): Promise<Answer> => {
    const body = kind.body?.() ?? null;
    const headers = body === null ? kind.headers : { ...kind.headers, "content-type": "application/json" };
    return new Promise((resolve) => {
      let status = NO_ANSWER;
      let retry_after: string | undefined;
      const end = () => resolve({ status, ms: performance.now() - due, retry_after });
      pool.dispatch(
        { method: kind.method, path: kind.path(), headers, body },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode, received) {
            status = statusCode;
            retry_after = received["retry-after"]?.toString();
          },
          onResponseData() {},
          onResponseEnd: end,
          onResponseError() {
            status = NO_ANSWER;
            end();
          },
        },
      );
    });
  };
  return { send, close: () => pool.destroy() };
}

type Client = ReturnType<typeof createClient>;

function chooser(kinds: readonly Kind[]): () => Kind {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  return () => {
    let at = Math.random() * total;
    for (const kind of kinds) {
      at -= kind.weight;
      if (at < 0) return kind;
    }
    return kinds[0] as Kind;
  };
}

export const answersOf = (kinds: readonly Kind[]) => new Map(kinds.map(({ name }) => [name, new Answers()]));

/** So many requests at a time, each as soon as one is answered. */
export async function loadFully(client: Client, kinds: readonly Kind[], atOnce: number, seconds: number) {
  const answers = answersOf(kinds);
  const choose = chooser(kinds);
  const ends = performance.now() + seconds * 1_000;
  const work = async () => {
    for (let now = performance.now(); now < ends; now = performance.now()) {
      const kind = choose();
      answers.get(kind.name)?.add(await client.send(kind, now));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** Requests that are due are sent so often. Each time, what is measured has to make room on its cores. */
const WAKE_MS = 3;

/** So many requests a second at random moments, however long the answers take. */
export async function loadSteadily(
  client: Client,
  kinds: readonly Kind[],
  perSecond: number,
  seconds: number,
) {
  const answers = answersOf(kinds);
  const choose = chooser(kinds);
  const open = new Set<Promise<void>>();
  const ends = performance.now() + seconds * 1_000;
  let due = performance.now();
  while (due < ends) {
    const now = performance.now();
    while (due <= now) {
      const kind = choose();
      const answered = client.send(kind, due).then((answer) => {
        answers.get(kind.name)?.add(answer);
        open.delete(answered);
      });
      open.add(answered);
      due += (-Math.log(1 - Math.random()) / perSecond) * 1_000;
    }
    await delay(WAKE_MS);
  }
  await Promise.all(open);
  return answers;
}

/** Requests answered in a second. */
export const rateOf = (answers: ReadonlyMap<string, Answers>, seconds: number): number =>
  [...answers.values()].reduce((sum, { served }) => sum + served, 0) / seconds;

export function print(answers: ReadonlyMap<string, Answers>): void {
  console.info(`${"".padEnd(28)}  answers      p50      p99  refused  failed`);
  for (const [name, each] of answers) {
    const { served, refused, failed } = each;
    const cells = [served, each.within(0.5).toFixed(1), each.within(0.99).toFixed(1), refused, failed];
    console.info(`${name.padEnd(28)}${cells.map((cell) => String(cell).padStart(9)).join("")}`);
  }
}
