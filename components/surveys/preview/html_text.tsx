"use client";

import { useEffect, useRef } from "react";

/**
 * HTML as respondents get it: cleaned by what the service cleans it with. It is put there as parsed nodes, never
 * as text that a browser might run; its links open elsewhere.
 */
export function HtmlText({ html, className }: { html: string; className?: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let wanted = true;
    void import("#lib/surveys/clean_html.ts").then(({ cleanHtml }) => {
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
