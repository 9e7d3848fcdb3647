"use client";

// biome-ignore lint/style/noRestrictedImports: this is the link that everything else uses
import NextLink from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link to a page of the dashboard, which is prefetched once somebody points at the link, touches it or focuses it. Next
 * would prefetch what every link in view leads to: 40 to 70 requests for each page that somebody reads.
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
