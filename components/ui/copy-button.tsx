"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { IconButton } from "./icon-button.tsx";

/** Puts `text` on the clipboard and says so, also to screen readers. */
export function useCopy(): {
  copied: boolean;
  copy: (text: string) => Promise<void>;
} {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast.error("Your browser blocked copying. Select the text and copy it manually.");
    }
  }
  return { copied, copy };
}

type CopyButtonProps = {
  text: string;
  label?: string;
  size?: "sm" | "md";
  className?: string;
};

export function CopyButton({ text, label = "Copy", size = "sm", className }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        label={copied ? "Copied" : label}
        size={size}
        className={className}
        onClick={() => copy(text)}
      />
      <span aria-live="polite" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  );
}
