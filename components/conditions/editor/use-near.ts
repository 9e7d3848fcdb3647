"use client";

import { type RefObject, useEffect, useState } from "react";

/** Whether an element has ever been on the screen or `margin` away from it. */
export function useNear(place: RefObject<Element | null>, margin: string, first = false): boolean {
  const [near, setNear] = useState(first);
  useEffect(() => {
    const element = place.current;
    if (!element || near) return;
    const watcher = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: margin },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [place, margin, near]);
  return near;
}
