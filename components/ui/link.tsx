"use client";

// biome-ignore lint/style/noRestrictedImports: this is the link that everything else uses
import NextLink from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link to a page of the dashboard. Next would request every page that a link in view leads to, which is 40 to 70
 * requests for each page that somebody reads: this one waits until somebody points at it, touches it or focuses it.
 */
export function Link({ onMouseEnter, onTouchStart, onFocus, ...props }: ComponentProps<typeof NextLink>) {
  const [isLikelyNext, setIsLikelyNext] = useState(false);
  return (
    <NextLink
      {...props}
      prefetch={isLikelyNext ? null : false}
      onMouseEnter={(event) => {
        setIsLikelyNext(true);
        onMouseEnter?.(event);
      }}
      onTouchStart={(event) => {
        setIsLikelyNext(true);
        onTouchStart?.(event);
      }}
      onFocus={(event) => {
        setIsLikelyNext(true);
        onFocus?.(event);
      }}
    />
  );
}
