/** The problem of a regular expression; undefined if browsers accept it. */
export function patternProblem(text: string, match: unknown): string | undefined {
  if (match !== "regex" && match !== "not_regex") return undefined;
  try {
    new RegExp(text);
    return undefined;
  } catch {
    return "Not a valid regular expression.";
  }
}

/** The problem of a CSS selector; undefined if valid or empty. */
export function selectorProblem(selector: string): string | undefined {
  if (selector === "" || typeof document === "undefined") return undefined;
  try {
    document.createDocumentFragment().querySelector(selector);
    return undefined;
  } catch {
    return "Not a valid CSS selector.";
  }
}
