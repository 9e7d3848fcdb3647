/** Why a text is no regular expression that browsers read; undefined where it is. */
export function patternProblem(text: string, match: unknown): string | undefined {
  if (match !== "regex" && match !== "not_regex") return undefined;
  try {
    new RegExp(text);
    return undefined;
  } catch {
    return "This is no regular expression.";
  }
}

/** Why a text is no CSS selector; undefined where it is, or nothing is written. */
export function selectorProblem(selector: string): string | undefined {
  if (selector === "" || typeof document === "undefined") return undefined;
  try {
    document.createDocumentFragment().querySelector(selector);
    return undefined;
  } catch {
    return "This is no CSS selector.";
  }
}
