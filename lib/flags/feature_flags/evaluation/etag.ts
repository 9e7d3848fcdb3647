const bare = (tag: string) => {
  const text = tag.trim().replace(/^W\//, "");
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
};

/**
 * Whether If-None-Match names an entity tag. Compares weakly, and takes tags without quotes: some clients and
 * proxies take the quotes off.
 */
export function computeNamesETag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag) return true;
  const wanted = bare(etag);
  return header.split(",").some((tag) => tag.trim() === "*" || bare(tag) === wanted);
}
