"use client";

import { useEffect, useRef } from "react";
import type { Given, Html } from "#lib/surveys/hosted/card/control.ts";

type Props = {
  css: string;
  classes: string;
  dir: "ltr" | "rtl";
  /** How far the respondent is, from 0 to 1; null for no bar. */
  progress: number | null;
  /** Identity of the card: what was entered into its form stays while it is the same. */
  card: string;
  /** Makes the card; `sent` is what is in its form. */
  make: (sent: Given | null) => Html | null;
  onSubmit: (form: URLSearchParams) => void;
};

const fieldsOf = (form: HTMLFormElement, submitter?: HTMLElement | null): URLSearchParams =>
  new URLSearchParams([...new FormData(form, submitter)].map(([name, value]) => [name, String(value)]));

/** What is in a form, if it takes an answer. */
function givenIn(form: HTMLFormElement | null): Given | null {
  if (!form?.querySelector("[name=answer]:not(button)")) return null;
  const fields = fieldsOf(form);
  return { answers: fields.getAll("answer"), other: fields.get("other") ?? "" };
}

/** Inserts HTML as parsed nodes, in which no script runs; links open in a new tab. */
function fill(box: HTMLElement, html: string): void {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const link of parsed.querySelectorAll<HTMLAnchorElement>("a:not([href^='#'])")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  box.replaceChildren(...parsed.body.childNodes);
}

/** A card of a hosted page in a tree of its own, which the styles of the dashboard do not reach. */
export function ShadowCard({ css, classes, dir, progress, card, make, onSubmit }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const parts = useRef<{
    style: HTMLStyleElement;
    around: HTMLDivElement;
    bar: HTMLDivElement;
    box: HTMLDivElement;
  }>(null);
  const last = useRef("");
  const submit = useRef(onSubmit);
  useEffect(() => {
    submit.current = onSubmit;
  });
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: "open" });
    if (!root) return;
    const style = document.createElement("style");
    const around = document.createElement("div");
    const box = document.createElement("div");
    box.className = "card";
    box.tabIndex = -1;
    const bar = document.createElement("div");
    bar.append(document.createElement("span"));
    around.append(bar, box);
    root.replaceChildren(style, around);
    parts.current = { style, around, bar, box };
    last.current = "";
    function onFormSubmit(event: Event) {
      event.preventDefault();
      if (!(event instanceof SubmitEvent) || !(event.target instanceof HTMLFormElement)) return;
      submit.current(fieldsOf(event.target, event.submitter));
    }
    function onClick(event: Event) {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
      if (!link || !root) return;
      event.preventDefault();
      root.getElementById(link.getAttribute("href")?.slice(1) ?? "")?.focus();
    }
    root.addEventListener("submit", onFormSubmit);
    root.addEventListener("click", onClick);
    return () => {
      root.removeEventListener("submit", onFormSubmit);
      root.removeEventListener("click", onClick);
    };
  }, []);
  useEffect(() => {
    if (!parts.current) return;
    parts.current.style.textContent = css;
    parts.current.around.className = classes;
    parts.current.around.dir = dir;
    const { bar } = parts.current;
    bar.className = progress === null ? "" : "steps";
    bar.style.setProperty("display", progress === null ? "none" : "block");
    const [filled] = bar.children;
    if (filled instanceof HTMLElement) filled.style.width = `${Math.round((progress ?? 0) * 100)}%`;
  }, [css, classes, dir, progress]);
  useEffect(() => {
    let isCurrent = true;
    const { box } = parts.current ?? {};
    if (!box) return;
    const isSame = last.current === card;
    const made = make(isSame ? givenIn(box.querySelector("form")) : null);
    void Promise.resolve(made).then((html) => {
      if (!isCurrent) return;
      const root = host.current?.shadowRoot;
      const focused = root?.activeElement;
      fill(box, html === null ? "" : String(html));
      last.current = card;
      if (!focused) return;
      const again = isSame && focused.id !== "" ? root?.getElementById(focused.id) : null;
      (box.querySelector<HTMLElement>("[autofocus]") ?? again ?? box).focus();
    });
    return () => {
      isCurrent = false;
    };
  }, [card, make]);
  return <div ref={host} className="w-full" />;
}
