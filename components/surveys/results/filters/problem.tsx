"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { Callout } from "#components/ui/display/callout.tsx";

const AGAIN_MS = 2_000;

const TITLES: Record<string, string> = {
  timeout: "Counting takes too long",
  recomputing: "The answers are being recounted",
};

/** The error of the API when there are no figures; what is being recounted is read again until it is there. */
export function Problem({ code, detail }: { code: string; detail: string }) {
  const router = useRouter();
  const isRecomputing = code === "recomputing";
  useEffect(() => {
    if (!isRecomputing) return;
    const timer = setInterval(() => router.refresh(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isRecomputing, router]);
  return (
    <Callout
      tone={code in TITLES ? "warning" : "danger"}
      title={TITLES[code] ?? "Could not load the figures"}
      live
    >
      {detail}
      {code === "timeout" ? " Choose fewer days or remove a condition." : ""}
    </Callout>
  );
}
