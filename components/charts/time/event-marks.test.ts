import { expect, it } from "vitest";
import { placeMarks } from "./event-marks.ts";

const DAY = 86_400_000;
const start = Date.parse("2026-03-01");
const xOf = (time: number) => ((time - start) / DAY) * 20;
const on = (day: number, label: string) => ({
  at: new Date(start + day * DAY).toISOString().slice(0, 10),
  label,
});
const place = (...events: ReturnType<typeof on>[]) => placeMarks(events, xOf, [0, 600]);

it("takes the events of one day together", () => {
  expect(place(on(0, "Launched"), on(0, "Metrics changed"), on(0, "Stopped"), on(0, "Stopped"))).toEqual([
    { x: 0, text: "Launched +2", isLeft: false },
  ]);
});

it("leaves out a text that would run into another one, but no mark", () => {
  const texts = place(on(1, "Metrics changed"), on(0, "Launched"), on(12, "Stopped")).map(({ text }) => text);
  expect(texts).toEqual(["Launched", null, "Stopped"]);
});

it("turns a text to the left where it would leave the plot, and leaves out what is beyond", () => {
  expect(place(on(29, "Stopped"), on(40, "Later"))).toEqual([{ x: 580, text: "Stopped", isLeft: true }]);
});
