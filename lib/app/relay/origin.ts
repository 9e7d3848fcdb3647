import { secureValueOf } from "#lib/identity/accounts/directory.ts";
import { createAvailability } from "#lib/platform/db/availability.ts";
import { errorFrom } from "#lib/platform/http/call.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { log } from "#lib/platform/log.ts";
import { contentOf } from "./announcements.ts";
import { BUNDLE_FORMAT, type RelayBundle, relayContract } from "./contract.ts";
import { createFollower, type Fetch } from "./follow.ts";
import type { Held } from "./held.ts";
import { createVerifier, SIGNATURE } from "./signature.ts";
import { createStoredBundle, type ReceivedBundle } from "./stored-bundle.ts";

export type OriginOptions = {
  /** The address of the origin, without a trailing slash. */
  url: string;
  /** A personal API key there. */
  key: string;
  /** What its bundles are signed with. */
  public_key: string;
  poll_ms: number;
  /** Where the bundle is stored. */
  folder: string;
  held: Held;
  fetch: Fetch;
};

/** Why a bundle is not used. */
type Refusal = "signature" | "audience" | "format" | "sequence";

const REFUSALS: Record<Refusal, string> = {
  signature: "it is damaged, or not signed with the key of RELAY_PUBLIC_KEY",
  audience: "it was made for another key than RELAY_KEY",
  format: "it is of another release of Switchyard: run the same release here and there",
  sequence: "it is older than the one in use",
};

/** How long a bundle may take. */
const POLL_PATIENCE_MS = 15_000;
/** While the stream is open, it says what is new; polls only make sure. */
const SLOW_POLL_MS = 60_000;
/** Relays that hear of a change together need not all ask in the same moment. */
const SPREAD_MS = 100;
/** So many polls in a row may fail before answers say that they are old. */
const POLLS_MISSED = 3;
/** The origin's confirmation is written to disk at most this often. */
const CONFIRM_EVERY_MS = 30_000;
/** A clock this far from the origin's is worth a warning: conditions on dates compare with it. */
const CLOCK_TOLERANCE_MS = 5_000;

/** Keeps what is held the same as the origin has it, and knows whether it is. */
export function createOrigin({ url, key, public_key, poll_ms, folder, held, fetch }: OriginOptions) {
  const verifier = createVerifier(public_key);
  const audience = secureValueOf(key);
  const stored = createStoredBundle(folder);
  const { availability, isAway, isBack } = createAvailability();
  const refused: Record<Refusal, number> = { signature: 0, audience: 0, format: 0, sequence: 0 };
  /** The bundle in use. */
  let current: { sequence: number; issued_at: string; etag: string } | null = null;
  let confirmedAt: Date | null = null;
  let writtenAt = 0;
  let problem: string | null = null;
  /** Polls in a row that failed. */
  let missed = 0;
  let clockDifference: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | null = null;
  let closed = false;

  /** @returns why it is not used; null where it is from now on */
  const accept = ({ body, signature, etag }: ReceivedBundle): Refusal | null => {
    if (!verifier.isSigned(body, signature)) return "signature";
    const bundle = JSON.parse(body.toString("utf8")) as RelayBundle;
    if (bundle.format !== BUNDLE_FORMAT) return "format";
    if (bundle.origin !== verifier.origin) return "signature";
    if (bundle.audience !== audience) return "audience";
    if (current && bundle.sequence < current.sequence) return "sequence";
    held.replace(bundle);
    current = { sequence: bundle.sequence, issued_at: bundle.issued_at, etag };
    return null;
  };

  const confirm = (now: Date) => {
    confirmedAt = now;
    if (problem !== null) log().info("The origin answers.");
    problem = null;
    missed = 0;
    isBack();
    if (now.getTime() - writtenAt < CONFIRM_EVERY_MS) return;
    writtenAt = now.getTime();
    stored.confirm(now);
  };

  const fail = (reason: string) => {
    if (problem !== reason) log().warn(`The relay serves what it has: ${reason}`);
    problem = reason;
    missed += 1;
    if (confirmedAt && missed >= POLLS_MISSED) isAway(confirmedAt);
  };

  const refuse = (refusal: Refusal) => {
    refused[refusal] += 1;
    fail(`A bundle was refused: ${REFUSALS[refusal]}.`);
  };

  const compareClocks = (header: string | null, now: number) => {
    const theirs = Date.parse(header ?? "");
    if (Number.isNaN(theirs)) return;
    // The header has whole seconds.
    const difference = now - theirs - 500;
    const isOff = Math.abs(difference) > CLOCK_TOLERANCE_MS;
    if (isOff && Math.abs(clockDifference ?? 0) <= CLOCK_TOLERANCE_MS)
      log().warn(`The clock here is ${Math.round(difference / 1_000)} s ahead of the origin's.`);
    clockDifference = difference;
  };

  const ask = async () => {
    const response = await fetch(url + relayContract.retrieve.path, {
      headers: {
        authorization: `Bearer ${key}`,
        "accept-encoding": "gzip",
        ...(current && { "if-none-match": current.etag }),
      },
      redirect: "manual",
      signal: AbortSignal.timeout(POLL_PATIENCE_MS),
    });
    const now = new Date();
    compareClocks(response.headers.get("date"), now.getTime());
    if (response.status === 304) return confirm(now);
    if (response.status !== 200) {
      const { message } = await errorFrom(response);
      return fail(`The origin answered ${response.status}: ${message}`);
    }
    const received: ReceivedBundle = {
      body: Buffer.from(await response.arrayBuffer()),
      signature: response.headers.get(SIGNATURE) ?? "",
      etag: response.headers.get("etag") ?? "",
    };
    const refusal = accept(received);
    if (refusal !== null) return refuse(refusal);
    writtenAt = now.getTime();
    await stored.write(received);
    confirm(now);
  };

  /** Asks the origin for what is new; one question at a time. */
  const poll = (): Promise<void> => {
    polling ??= ask()
      .catch((error: unknown) => {
        const { message, cause } = error instanceof Error ? error : { message: String(error), cause: null };
        fail(`The origin cannot be reached: ${cause instanceof Error ? cause.message : message}.`);
      })
      .finally(() => {
        polling = null;
      });
    return polling;
  };

  const pollIn = (ms: number): void => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void poll().then(pollLater), ms);
  };
  const pollLater = (): void => {
    const pause = follower.isOpen && problem === null ? Math.max(poll_ms, SLOW_POLL_MS) : poll_ms;
    // Relays that were started together need not ask together.
    pollIn(pause * (0.9 + 0.2 * Math.random()));
  };
  /** What is asked already may not know of the change yet. */
  const pollSoon = (): void =>
    void (polling ?? Promise.resolve()).then(() => pollIn(Math.random() * SPREAD_MS));

  const follower = createFollower({
    url,
    key,
    fetch,
    content: () => current && contentOf(current.etag),
    onChange: pollSoon,
    onHeartbeat: () => {
      if (problem === null) confirm(new Date());
    },
    // At the usual pace again, or after the last change before the stream was open.
    onState: () => pollLater(),
  });

  const recall = (): void => {
    const last = stored.read();
    const refusal = last && accept(last);
    if (!last || refusal === "audience") return;
    if (refusal !== null) {
      refused[refusal] += 1;
      log().warn(`The bundle in ${folder} is not used: ${REFUSALS[refusal]}.`);
      return;
    }
    confirmedAt = last.confirmed_at;
    isAway(confirmedAt);
  };

  return {
    availability,
    poll,
    /** Serves what was stored, asks for what is new, and goes on asking. Resolves after the first answer. */
    async begin(): Promise<void> {
      recall();
      await poll();
      pollLater();
      follower.begin();
    },
    async end(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await follower.end();
    },
    get status() {
      return {
        url,
        reachable: problem === null && confirmedAt !== null,
        problem,
        follows_stream: follower.isOpen,
        sequence: current?.sequence ?? null,
        issued_at: current?.issued_at ?? null,
        as_of: confirmedAt && instant(confirmedAt),
        stale_since: availability.away_since && instant(availability.away_since),
        clock_difference_ms: clockDifference,
        refused,
      };
    },
  };
}

export type Origin = ReturnType<typeof createOrigin>;
