/** What people choose; `system` follows the device. */
export type Theme = "light" | "dark" | "system";

/** Stored in a cookie, so that the server renders the right theme immediately. */
export const THEME_COOKIE = "switchyard_theme";
/** Whether the sidebar is collapsed. */
export const RAIL_COOKIE = "switchyard_rail";
/** Whether lists show each row in one line. */
export const DENSITY_COOKIE = "switchyard_density";

export const themeOf = (text: string | undefined): Theme =>
  text === "light" || text === "dark" ? text : "system";

function remember(name: string, value: string) {
  const year = 365 * 24 * 60 * 60;
  const secure = window.location.protocol === "https:" ? ";secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Firefox before 140
  document.cookie = `${name}=${value};path=/;max-age=${year};samesite=lax${secure}`;
}

/** Changes the theme of this page and of every later one. */
export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  remember(THEME_COOKIE, theme);
}

export const rememberRail = (collapsed: boolean): void =>
  remember(RAIL_COOKIE, collapsed ? "narrow" : "wide");

export const rememberDensity = (compact: boolean): void =>
  remember(DENSITY_COOKIE, compact ? "compact" : "comfortable");
