import sanitizeHtml from "sanitize-html";

const FORMATTING =
  "a abbr acronym address article aside b bdi bdo big blockquote br cite code del dfn div em footer header hr i ins kbd " +
  "mark p pre q s samp section small span strike strong sub sup time tt u var wbr";
const LISTS = "ul ol li dl dt dd";
const TABLES = "table caption colgroup col thead tbody tfoot tr th td";
const HEADINGS = "h1 h2 h3 h4 h5 h6";

/** CSS that loads or executes something. */
const ACTIVE_CSS = /url\s*\(|expression\s*\(|javascript:|@import|behavior\s*:|-moz-binding|\\/i;

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: `${FORMATTING} ${LISTS} ${TABLES} ${HEADINGS} img`.split(" "),
  allowedAttributes: {
    "*": ["style", "lang", "title", "width", "height"],
    a: ["href", "hreflang", "target", "rel"],
    img: ["src", "alt"],
    td: ["colspan", "rowspan"],
    th: ["colspan", "rowspan", "scope"],
    ol: ["start"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowProtocolRelative: false,
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "title", "template", "xmp", "iframe"],
  transformTags: {
    "*": (tagName, attribs) => {
      const safe = Object.entries(attribs).filter(
        ([name, value]) => name !== "rel" && !(name === "style" && ACTIVE_CSS.test(value)),
      );
      if (tagName === "a") safe.push(["rel", "noopener"]);
      return { tagName, attribs: Object.fromEntries(safe) };
    },
  },
};

const looksLikeHtml = (text: string) => /<[a-z!/?]/i.test(text);

/** Elements that change how everything after their start tag is read, even where it is never closed. */
const CAPTURING =
  /^(script|style|iframe|textarea|title|xmp|noscript|noembed|noframes|plaintext|template|select|svg|math|object|embed|frameset)/i;

/**
 * Whether what looks like a tag can only be a comparison, as in "x<y?": no tag is completed, and none could get an
 * attribute with a value, whatever a page puts after the text.
 */
function isInert(text: string): boolean {
  const rest = text.slice(text.search(/<[a-z!/?]/i));
  const names = [...rest.matchAll(/<([a-z]*)/gi)].map(([, name = ""]) => name);
  return !/[>=/"'`]|<[!?]/.test(rest) && !names.some((name) => CAPTURING.test(name));
}

/** Sanitizes a text that is shown as plain text; a "<" that is no markup stays. */
export const cleanText = (text: string): string =>
  looksLikeHtml(text) && !isInert(text) ? sanitizeHtml(text, OPTIONS) : text;

/** Sanitizes HTML; plain text is unchanged. */
export const cleanHtml = (text: string): string => (looksLikeHtml(text) ? sanitizeHtml(text, OPTIONS) : text);
