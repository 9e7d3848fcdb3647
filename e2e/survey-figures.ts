import { expect, type Page } from "@playwright/test";
import { figuresIn } from "#testing/survey-figures.ts";
import type { Api } from "./service.ts";

const AT_ONCE = 12;

/** The figure of a link: a number alone, or the one in its words. */
function shownBy(words: string): number {
  const found =
    /: [−\-\d.,]+%, ([\d,]+)/.exec(words) ??
    /^Open the ([\d,]+) /.exec(words) ??
    /: ([\d,]+)(?:,|$)/.exec(words) ??
    /([\d,]+)/.exec(words);
  return Number((found?.[1] ?? "NaN").replaceAll(",", ""));
}

type Figure = { words: string; href: string };

/** Every figure of the page that opens rows: what it shows, and where it leads. */
async function figuresOf(page: Page): Promise<Figure[]> {
  await expect(page.getByRole("main").locator("figure svg [data-point]").first()).toBeAttached();
  await expect(page.getByRole("status", { name: /^(Counting|Loading)/ })).toHaveCount(0);
  return page.locator('a[href*="open="]').evaluateAll((links) =>
    links.map((link) => ({
      words: link.getAttribute("aria-label") ?? link.textContent ?? "",
      href: link.getAttribute("href") ?? "",
    })),
  );
}

/** The filters of a page of results, as the API takes them. */
function filtersOf(address: string): URLSearchParams {
  const { searchParams } = new URL(address, "http://switchyard.test");
  const names = ["date_from", "date_to", "iteration", "properties", "answers"];
  return new URLSearchParams(
    names.flatMap((name) => {
      const value = searchParams.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

function ordered(query: URLSearchParams): string {
  query.sort();
  return query.toString();
}

/** What the address of a figure asks the API for. */
function queryOf(href: string): string {
  const { searchParams } = new URL(href, "http://switchyard.test");
  return ordered(
    new URLSearchParams([...new URLSearchParams(searchParams.get("open") ?? ""), ...filtersOf(href)]),
  );
}

/** How many rows queries open, of all that the API's own results name: API tests open each of those. */
async function rowsByQuery(page: Page, api: Api, survey: string): Promise<Map<string, number>> {
  const filters = filtersOf(page.url());
  const known = new Map<string, number>();
  for (const { rows, count } of figuresIn(await api("GET", `${survey}results/?${filters}`))) {
    known.set(ordered(new URLSearchParams([...filters, ...Object.entries(rows)])), count);
    // A point of a chart names the last of its days too.
    if (rows.day !== undefined && rows.day_to === undefined) {
      const range = { ...rows, day_to: rows.day };
      known.set(ordered(new URLSearchParams([...filters, ...Object.entries(range)])), count);
    }
  }
  return known;
}

/**
 * Each figure of a page of results opens exactly as many rows as it shows.
 *
 * @param survey path of the survey in the API
 * @param least the page has more figures than this
 */
export async function expectFiguresToOpenTheirRows(
  page: Page,
  api: Api,
  survey: string,
  least: number,
): Promise<void> {
  const figures = await figuresOf(page);
  expect(figures.length).toBeGreaterThan(least);
  // A figure is on the page several times: in a tile, in a chart, in a table.
  const byQuery = [...Map.groupBy(figures, ({ href }) => queryOf(href))];
  const known = await rowsByQuery(page, api, survey);
  const wrong: { words: string; shown: number; rows: number }[] = [];
  const check = async ([query, same]: [string, Figure[]]) => {
    const rows = known.get(query) ?? (await api("GET", `${survey}responses/?${query}&limit=1`)).count;
    for (const { words } of same)
      if (shownBy(words) !== rows) wrong.push({ words, shown: shownBy(words), rows });
  };
  for (let from = 0; from < byQuery.length; from += AT_ONCE)
    await Promise.all(byQuery.slice(from, from + AT_ONCE).map(check));
  expect(wrong).toEqual([]);
}
