"use client";

import { useEffect, useRef, useState } from "react";
import { SearchInput } from "#components/ui/form/input.tsx";

const PAUSE_MS = 220;

type Props = {
  /** As it is in the URL. */
  value: string;
  onSearch: (text: string) => void;
  pending: boolean;
  label: string;
  placeholder: string;
  className?: string;
};

/** A search box whose text is in the URL: updated when typing pauses, and follows Back. */
export function UrlSearch({ value, onSearch, pending, label, placeholder, className }: Props) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const latest = useRef(onSearch);
  useEffect(() => {
    latest.current = onSearch;
  });
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      latest.current(text.trim());
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <SearchInput
      label={label}
      placeholder={placeholder}
      value={text}
      onValueChange={setText}
      pending={pending}
      className={className ?? "w-full sm:w-72"}
    />
  );
}
