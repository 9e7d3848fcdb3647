/** The classes of a link within text, for one that starts over. */
export const textLinkClass =
  "rounded-xs text-accent-text underline decoration-accent-line underline-offset-[3px] hover:decoration-current";
