import { random } from "./random.ts";

const PEOPLE = 20_000;
const COMPANIES = 400;
const DAY_MS = 86_400_000;

const FIRST_NAMES =
  "Ada Alan Amara Anders Aiko Bela Bruno Carmen Chidi Chloe Dana Daan Elif Emil Esra Farah Felix Freya Gita Hana Hugo Imani Ines Ivan Jade Jonas Kaito Kemal Lars Leila Lena Luca Maja Mateo Mei Mila Nadia Nils Noor Olga Omar Petra Priya Rafael Rosa Sami Sofia Tariq Tessa Tomas Uma Vera Viktor Wanda Yara Yusuf Zoe".split(
    " ",
  );
const LAST_NAMES =
  "Abe Adeyemi Bauer Berg Cohen Costa Diaz Dubois Eriksen Fischer Garcia Haddad Hansen Horvat Ito Jansen Kaya Khan Kim Kowalski Larsen Lopez Mbeki Moreau Nagy Nguyen Novak Okafor Olsen Park Patel Petrov Popescu Rossi Santos Sato Schmidt Silva Singh Smith Suzuki Tanaka Torres Varga Vogel Wagner Walsh Weber Yilmaz Zhang".split(
    " ",
  );
const COMPANY_STARTS =
  "Amber Blue Bright Cedar Clear Copper Coral Delta Ember Fern Granite Harbor Iron Juniper Lark Lumen Maple Meridian North Nova Ocean Onyx Orchid Pine Quartz River Sable Silver Slate Solar".split(
    " ",
  );
const COMPANY_ENDS = "works labs field line forge point bank path craft side port mill gate wave".split(" ");

/** Someone who uses the demo's product. */
export type DemoPerson = {
  distinct_id: string;
  company: string;
  /** Their properties, as an SDK would set them. */
  properties: Record<string, string | number | boolean>;
  /** Milliseconds since 1970. */
  signed_up: number;
};

export type DemoCompany = { key: string; properties: Record<string, string | number> };

const LANGUAGE: Record<string, string> = {
  US: "en",
  GB: "en",
  DE: "de",
  FR: "fr",
  BR: "pt",
  IN: "en",
  JP: "ja",
  NL: "nl",
  ES: "es",
  SE: "sv",
};

/** The companies that people belong to: the earlier, the larger. */
export function demoCompanies(): DemoCompany[] {
  const r = random(11);
  return Array.from({ length: COMPANIES }, (_, n) => {
    const start = COMPANY_STARTS[n % COMPANY_STARTS.length] ?? "";
    const name = `${start}${COMPANY_ENDS[Math.floor(n / COMPANY_STARTS.length) % COMPANY_ENDS.length]}`;
    const seats = Math.max(1, Math.round(900 / (n + 3) + r.between(1, 14)));
    const plan = seats > 60 ? "enterprise" : r.weighted({ free: 45, pro: 35, team: 20 });
    return {
      key: `${name.toLowerCase()}-${n + 1}`,
      properties: {
        name,
        plan,
        seats,
        industry: r.pick(["software", "retail", "health", "finance", "media", "education"]),
      },
    };
  });
}

/**
 * The people of the demo, the same every time but for the dates, which follow `now`.
 *
 * @param now milliseconds since 1970; people signed up in the two years before
 */
export function demoPeople(now: number, companies: DemoCompany[] = demoCompanies()): DemoPerson[] {
  const r = random(7);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: PEOPLE }, (_, n) => {
    // Squared: companies at the front of the list have most of the people.
    const company = companies[Math.floor(r.next() ** 2 * companies.length)] ?? companies[0];
    const [first, last] = [r.pick(FIRST_NAMES), r.pick(LAST_NAMES)];
    const country = r.weighted({ US: 38, GB: 11, DE: 12, FR: 9, BR: 8, IN: 9, JP: 4, NL: 4, ES: 3, SE: 2 });
    const device = r.weighted({ Desktop: 62, Mobile: 33, Tablet: 5 });
    const onDay = today - Math.floor(r.next() ** 1.4 * 730) * DAY_MS + r.between(0, DAY_MS - 1);
    // Today is not over: whoever would sign up later did so yesterday.
    const signedUp = onDay > now ? onDay - DAY_MS : onDay;
    const plan = String(company?.properties.plan ?? "free");
    return {
      distinct_id: `user-${String(n + 1).padStart(5, "0")}`,
      company: company?.key ?? "",
      signed_up: signedUp,
      properties: {
        name: `${first} ${last}`,
        email:
          `${first}.${last}.${n + 1}@${String(company?.properties.name ?? "example").toLowerCase()}.example`.toLowerCase(),
        plan,
        country,
        language: LANGUAGE[country] ?? "en",
        device_type: device,
        os:
          device === "Desktop"
            ? r.weighted({ macOS: 45, Windows: 46, Linux: 9 })
            : r.weighted({ iOS: 55, Android: 45 }),
        browser: r.weighted({ Chrome: 64, Safari: 20, Firefox: 9, Edge: 7 }),
        app_version: `4.${r.between(0, 12)}.${r.between(0, 9)}`,
        role: r.weighted({
          engineer: 34,
          designer: 14,
          "product manager": 16,
          marketer: 14,
          founder: 8,
          support: 14,
        }),
        seats: Number(company?.properties.seats ?? 1),
        beta_tester: r.next() < 0.08,
        signup_date: new Date(signedUp).toISOString().slice(0, 10),
      },
    };
  });
}
