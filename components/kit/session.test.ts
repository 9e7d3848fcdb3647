import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import { attempt } from "./action.ts";
import { askToSignIn, endAsking, offerSignIn, sessionState } from "./session.ts";

const ended: ActionResult<string> = {
  ok: false,
  error: {
    type: "authentication_error",
    code: "not_authenticated",
    detail: "No session.",
    attr: null,
    status: 401,
  },
};

let takeAway = () => {};
afterEach(() => takeAway());

/** A save that works once somebody is signed in again. */
function saving() {
  let tries = 0;
  const run = async () => (++tries === 1 ? ended : ({ ok: true, data: "saved" } as const));
  return { run, tries: () => tries };
}

describe("a write after the session has ended", () => {
  it("goes through once somebody has signed in again", async () => {
    takeAway = offerSignIn();
    const { run, tries } = saving();
    const result = attempt(run);
    await setImmediate();
    endAsking(true);
    expect(await result).toEqual({ ok: true, data: "saved" });
    expect(tries()).toBe(2);
  });

  it("is refused where signing in was cancelled, or where nothing can ask", async () => {
    expect(await attempt(saving().run)).toEqual(ended);
    takeAway = offerSignIn();
    const result = attempt(saving().run);
    await setImmediate();
    endAsking(false);
    expect(await result).toEqual(ended);
  });

  it("asks once for all that wait, and lets nobody wait for a dialog that is gone", async () => {
    takeAway = offerSignIn();
    const answers = Promise.all([askToSignIn(), askToSignIn()]);
    endAsking(true);
    expect(await answers).toEqual([true, true]);
    const left = askToSignIn();
    takeAway();
    takeAway = () => {};
    expect(await left).toBe(false);
  });
});

it("goes on where one page's dialog makes way for another's", () => {
  takeAway = offerSignIn();
  endAsking(true);
  takeAway();
  takeAway = () => {};
  expect(sessionState()).toBe("open");
});
