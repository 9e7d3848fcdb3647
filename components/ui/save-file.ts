const KEPT_MS = 60_000;

/**
 * Downloads what an address answers, without leaving the page: a navigation to it could be replaced by one of the page's
 * own before its answer comes.
 *
 * @param name of the file; empty: the one that the answer gives it
 */
export function download(href: string, name = ""): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

/** Hands a file to the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  download(url, name);
  // The download reads it after this returns.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** A text as part of a file's name. */
export const fileName = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80) || "chart";
