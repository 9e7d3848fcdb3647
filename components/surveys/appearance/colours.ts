import type { Colord } from "colord";
import type { Json } from "#lib/engines/json.ts";
import {
  boxColours,
  type Colours,
  contrastOf,
  pageColours,
  parseColour,
  READABLE,
} from "#lib/surveys/hosted/card/theme.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

type BoxColour = keyof ReturnType<typeof boxColours>;

/** A pair of colours that needs contrast. */
export type ContrastCheck = {
  what: string;
  ratio: number;
  readable: boolean;
  /** Whether another colour than the chosen one is shown, because that cannot be read. */
  replaced: boolean;
};

type Pair<Name> = readonly [what: string, text: Name, background: Name];

const PAIRS: readonly Pair<keyof Colours>[] = [
  ["Question on the background", "ink", "page"],
  ["Description and scale labels", "muted", "page"],
  ["Button", "on-accent", "accent"],
  ["Rating", "on-choice", "choice"],
  ["Selected rating", "on-chosen", "chosen"],
  ["Answer box", "on-field", "field"],
];

const check = (text: Colord, background: Colord) => {
  const ratio = contrastOf(text, background);
  return { ratio, readable: ratio >= READABLE };
};

/** The contrast of all texts of a box on somebody's page, where browsers show them as they were chosen. */
function boxContrasts(appearance: Json | null): ContrastCheck[] {
  const colours = boxColours(appearance ?? {});
  const tab: readonly Pair<BoxColour>[] =
    appearance?.widgetType === "tab" ? [["Tab text", "on-widget", "widget"]] : [];
  return [...PAIRS, ...tab].map(([what, text, background]) => ({
    what,
    replaced: false,
    ...check(colours[text], colours[background]),
  }));
}

/** The text colours that can be chosen. */
const CHOSEN: Partial<Record<keyof Colours, string>> = {
  ink: "textColor",
  muted: "textSubtleColor",
  "on-accent": "submitButtonTextColor",
  "on-field": "inputTextColor",
};

/**
 * The contrast of all texts of a hosted page, and the texts whose chosen colour the page replaces because nobody can
 * read it; null if it has no colours of its own: then those of the browser's light or dark mode are used.
 */
function pageContrasts(appearance: Json | null): ContrastCheck[] | null {
  const colours = pageColours(appearance ?? {});
  if (!colours) return null;
  return PAIRS.map(([what, text, background]) => {
    const chosen = parseColour(appearance?.[CHOSEN[text] ?? ""]);
    const replaced = chosen !== null && !chosen.isEqual(colours[text]);
    return { what, replaced, ...check(colours[text], colours[background]) };
  });
}

/** The contrast of the texts that respondents see; null if they follow the reader's light or dark mode. */
export const contrastsOf = (type: SurveyWritten["type"], appearance: Json | null): ContrastCheck[] | null =>
  type === "external_survey" ? pageContrasts(appearance) : boxContrasts(appearance);

/** Theme presets, all readable. */
export const PRESETS: readonly { id: string; name: string; colours: Record<string, string> }[] = [
  {
    id: "paper",
    name: "Paper",
    colours: {
      backgroundColor: "#ffffff",
      textColor: "#16181d",
      textSubtleColor: "#5b6068",
      borderColor: "#d5d8dd",
      submitButtonColor: "#16181d",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#f4f5f6",
      ratingButtonActiveColor: "#16181d",
      inputBackground: "#f8f9fa",
      inputTextColor: "#16181d",
    },
  },
  {
    id: "night",
    name: "Night",
    colours: {
      backgroundColor: "#17191f",
      textColor: "#f2f4f7",
      textSubtleColor: "#aab0bb",
      borderColor: "#3a3f4a",
      submitButtonColor: "#f2f4f7",
      submitButtonTextColor: "#17191f",
      ratingButtonColor: "#262a33",
      ratingButtonActiveColor: "#f2f4f7",
      inputBackground: "#20242c",
      inputTextColor: "#f2f4f7",
    },
  },
  {
    id: "signal",
    name: "Signal",
    colours: {
      backgroundColor: "#f4fafa",
      textColor: "#0c2427",
      textSubtleColor: "#41605f",
      borderColor: "#b9d6d5",
      submitButtonColor: "#0b6e72",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#ffffff",
      ratingButtonActiveColor: "#0b6e72",
      inputBackground: "#ffffff",
      inputTextColor: "#0c2427",
    },
  },
  {
    id: "plum",
    name: "Plum",
    colours: {
      backgroundColor: "#faf6fb",
      textColor: "#2b1330",
      textSubtleColor: "#6b4b70",
      borderColor: "#dcc8e0",
      submitButtonColor: "#7a2685",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#ffffff",
      ratingButtonActiveColor: "#7a2685",
      inputBackground: "#ffffff",
      inputTextColor: "#2b1330",
    },
  },
  {
    id: "sand",
    name: "Sand",
    colours: {
      backgroundColor: "#fbf5ea",
      textColor: "#33260f",
      textSubtleColor: "#6d5a37",
      borderColor: "#e0d0b0",
      submitButtonColor: "#a8470f",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#fffdf8",
      ratingButtonActiveColor: "#a8470f",
      inputBackground: "#fffdf8",
      inputTextColor: "#33260f",
    },
  },
  {
    id: "contrast",
    name: "High contrast",
    colours: {
      backgroundColor: "#000000",
      textColor: "#ffffff",
      textSubtleColor: "#ffffff",
      borderColor: "#ffffff",
      submitButtonColor: "#ffe600",
      submitButtonTextColor: "#000000",
      ratingButtonColor: "#000000",
      ratingButtonActiveColor: "#ffe600",
      inputBackground: "#000000",
      inputTextColor: "#ffffff",
    },
  },
];
