"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Reads the page again every so often, while it is visible. */
export function useRefresh(everyMs: number) {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") router.refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [router, everyMs]);
}
