import { describe, expect, it } from "vitest";
import {
  addressWith,
  embedCode,
  mailtoFor,
  messageFor,
  suggestionsFor,
  surveyAddress,
  whatPeopleSee,
} from "./share.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const BEFORE = "2026-06-01T09:00:00Z";
const LATER = "2026-07-01T09:30:00Z";

const survey = (fields: object) => ({
  archived: false,
  start_date: null,
  end_date: null,
  questions: [{ id: "why", type: "open" as const, question: "Why?" }],
  ...fields,
});

describe("the address of a survey", () => {
  it("follows from where the service is reached", () => {
    expect(surveyAddress("https://ask.example.com", "0199aa10")).toBe(
      "https://ask.example.com/external_surveys/0199aa10/",
    );
  });

  it.each([
    { fields: {}, open: false, title: "Not open yet", text: "There is no survey here" },
    { fields: { start_date: LATER }, open: false, title: "Opens on 2026-07-01 09:30 UTC", text: "no survey" },
    { fields: { start_date: BEFORE }, open: true, title: "Open", text: "can answer." },
    {
      fields: { start_date: BEFORE, end_date: LATER },
      open: true,
      title: "Open",
      text: "until 2026-07-01 09:30 UTC",
    },
    { fields: { start_date: BEFORE, questions: [] }, open: false, title: "No questions yet", text: "closed" },
    {
      fields: { start_date: BEFORE, questions: null },
      open: false,
      title: "No questions yet",
      text: "closed",
    },
    {
      fields: { start_date: BEFORE, end_date: BEFORE },
      open: false,
      title: "Closed",
      text: "This survey is closed",
    },
    {
      fields: { start_date: BEFORE, archived: true },
      open: false,
      title: "Archived",
      text: "There is no survey here",
    },
  ])("shows people of a survey with $fields: $title", ({ fields, open, title, text }) => {
    const seen = whatPeopleSee(survey(fields), NOW);
    expect([seen.title, seen.open]).toEqual([title, open]);
    expect(seen.text).toContain(text);
  });
});

describe("what is sent to people", () => {
  const address = "https://ask.example.com/external_surveys/0199aa10/";

  it("has suggested answers and hidden fields in its address", () => {
    expect(addressWith(address, new Map(), "  ")).toBe(address);
    const more = new Map([
      [2, 0],
      [0, 9],
    ]);
    expect(addressWith(address, more, "?utm_source=May mail&plan=pro")).toBe(
      `${address}?utm_source=May+mail&plan=pro&q0=9&q2=0`,
    );
  });

  it("suggests ratings by their value, and choices by their place, except the open one", () => {
    expect(suggestionsFor({ type: "rating", scale: 3 }).map(({ value }) => value)).toEqual([1, 2, 3]);
    expect(suggestionsFor({ type: "rating", scale: 10 })).toHaveLength(11);
    expect(
      suggestionsFor({ type: "multiple_choice", choices: ["A", "B", "Other"], hasOpenChoice: true }),
    ).toEqual([
      { value: 0, label: "A" },
      { value: 1, label: "B" },
    ]);
    expect(suggestionsFor({ type: "open" })).toEqual([]);
    expect(suggestionsFor({ type: "rating", scale: "x" })).toEqual([]);
  });

  it("is an e-mail that any mail program opens", () => {
    const link = new URL(mailtoFor(messageFor("Tea & cake?", `${address}?a=1&b=2`)));
    expect(link.searchParams.get("subject")).toBe("Tea & cake?");
    expect(link.searchParams.get("body")).toContain(`${address}?a=1&b=2\r\n`);
  });

  it("is a frame that no name can break out of", () => {
    const code = embedCode('"><script>', `${address}?q0=9`);
    expect(code).toContain(`src="${address}?q0=9&amp;embed=true"`);
    expect(code).toContain('title="&quot;&gt;&lt;script&gt;"');
  });
});
