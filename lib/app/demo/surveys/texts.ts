import type { Random } from "#lib/app/demo/random.ts";

/** How somebody feels, from 0 (bad) to 1 (good). */
export type Mood = number;

type Theme = { good: readonly string[]; bad: readonly string[] };

const THEMES: Record<string, Theme> = {
  price: {
    good: ["the price is fair for what we get", "good value for a small team", "pricing is simple and fair"],
    bad: [
      "the price went up and nobody told us",
      "too expensive for a small team",
      "the pricing page is confusing",
      "we pay for seats that nobody uses, the price is too high",
    ],
  },
  speed: {
    good: [
      "everything loads fast",
      "the dashboards are quick even with lots of data",
      "so fast compared to the old tool",
    ],
    bad: [
      "dashboards are slow in the morning",
      "loading a report takes forever",
      "the app got slower with the last update",
      "slow search, slow reports, slow exports",
    ],
  },
  support: {
    good: [
      "support answered within an hour",
      "the support team really knows the product",
      "friendly and quick support",
    ],
    bad: [
      "support took a week to answer",
      "I asked support twice and got no reply",
      "the support chat is a bot that does not help",
    ],
  },
  editor: {
    good: [
      "the new editor is a joy to use",
      "I love the keyboard shortcuts in the editor",
      "autosave in the editor saved my day",
    ],
    bad: [
      "the editor loses my changes",
      "undo in the editor does not work",
      "the editor jumps around while typing",
    ],
  },
  reports: {
    good: [
      "reports are clear enough to send to my boss",
      "sharing reports with the team is easy",
      "the weekly report is the best feature",
    ],
    bad: [
      "I cannot filter reports by team",
      "exporting reports to a spreadsheet breaks the dates",
      "the numbers in two reports do not agree",
    ],
  },
  mobile: {
    good: ["the mobile app works great on the train", "I check everything on my phone"],
    bad: ["the mobile app crashes when I open a dashboard", "on my phone half of the buttons are missing"],
  },
  integrations: {
    good: ["the integration with our issue tracker works well", "connecting our warehouse took five minutes"],
    bad: [
      "the calendar integration stops syncing",
      "we need an integration with our CRM",
      "the API limits are too low for our integration",
    ],
  },
  onboarding: {
    good: ["getting started was easy", "the templates made the start simple"],
    bad: [
      "importing our data was painful",
      "inviting the team took three attempts",
      "I did not understand where to start",
    ],
  },
};

const OPENERS = {
  good: ["", "", "", "Honestly, ", "Overall great: ", "Keep going, "],
  bad: ["", "", "", "Sorry, but ", "Sadly, ", "To be honest, "],
};

const OTHERS: Record<string, { good: readonly string[]; bad: readonly string[] }> = {
  de: {
    good: ["Der Support ist schnell und freundlich", "Die Berichte sind sehr übersichtlich"],
    bad: ["Der Preis ist zu hoch für kleine Teams", "Die Suche ist leider sehr langsam"],
  },
  fr: {
    good: ["Le support répond vite", "Les rapports sont très clairs"],
    bad: ["Le prix est trop élevé", "Les tableaux de bord sont lents le matin"],
  },
  es: {
    good: ["El editor nuevo es excelente"],
    bad: ["El precio es demasiado alto", "La aplicación móvil falla mucho"],
  },
  pt: { good: ["O suporte é ótimo"], bad: ["Os relatórios demoram muito", "O preço subiu demais"] },
  ja: { good: ["サポートの対応が早いです"], bad: ["レポートの読み込みが遅いです"] },
  sv: { good: ["Supporten svarar snabbt"], bad: ["Priset är för högt"] },
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What somebody writes, in their own language now and then. */
export function textBy(r: Random, language: string, mood: Mood, topic?: string): string {
  const tone = r.next() < mood ? "good" : "bad";
  const foreign = OTHERS[language]?.[tone];
  if (foreign && r.next() < 0.6) return r.pick(foreign);
  const names = Object.keys(THEMES);
  // A few themes are on most people's minds.
  const name = topic ?? names[Math.floor(r.next() ** 1.7 * names.length)] ?? "price";
  const first = r.pick(THEMES[name]?.[tone] ?? ["it is fine"]);
  const second = r.next() < 0.22 ? `, and ${r.pick(THEMES[r.pick(names)]?.[tone] ?? [""])}` : "";
  return capital(`${r.pick(OPENERS[tone])}${first}${second}${r.next() < 0.5 ? "." : ""}`);
}

const OWN: Record<string, readonly string[]> = {
  "csat-payment": ["Apple Pay", "Google Pay", "Invoice", "Gift card"],
  area: ["Calendar", "Permissions", "Dark mode", "Notifications", "Offline mode"],
  uses: ["Calendar sync", "Alerts", "Annotations"],
  tools: ["Notebooks", "A CRM", "Slides"],
  "cancel-reason": ["We merged with another company", "My boss decided", "Switched to an open source tool"],
};

/** What somebody writes into an open choice. */
export const ownChoice = (r: Random, questionId: string): string =>
  r.pick(OWN[questionId] ?? ["Something different"]);
