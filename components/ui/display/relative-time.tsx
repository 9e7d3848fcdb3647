"use client";

import { useEffect, useState } from "react";
import { exactTime, relativeTime } from "#lib/platform/format.ts";

type RelativeTimeProps = {
  /** ISO 8601. */
  date: string;
  className?: string;
};

/**
 * "3 hours ago", with the exact moment on hover and for machines. The server does not know the reader's clock
 * or time zone, so the words may change once after hydration.
 */
export function RelativeTime({ date, className }: RelativeTimeProps) {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  const hydrated = now !== undefined;
  return (
    <time dateTime={date} title={exactTime(date, hydrated)} suppressHydrationWarning className={className}>
      {relativeTime(date, now ?? Date.now())}
    </time>
  );
}
