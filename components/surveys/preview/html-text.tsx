"use client";

import { useEffect, useRef } from "react";

/**
 * HTML as respondents see it, sanitized as by the API. Inserted as parsed nodes, never as raw HTML; links
 * open in a new tab.
 */
export function HtmlText({ html, className }: { html: string; className?: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let wanted = true;
    void import("#lib/surveys/surveys/questions/clean-html.ts").then(({ cleanHtml }) => {
      if (!wanted) return;
      const parsed = new DOMParser().parseFromString(cleanHtml(html), "text/html");
      for (const link of parsed.querySelectorAll("a")) link.target = "_blank";
      box.current?.replaceChildren(...parsed.body.childNodes);
    });
    return () => {
      wanted = false;
    };
  }, [html]);
  return <div ref={box} className={className} />;
}
