import { cn } from "#components/ui/cn.ts";
import { variantColor, variantColorCount } from "#components/ui/tone.ts";

type AvatarProps = {
  name: string;
  size?: "xs" | "sm" | "md";
  className?: string;
};

const sizes = {
  xs: "size-4 text-[0.5rem]",
  sm: "size-5 text-[0.5625rem]",
  md: "size-7 text-2xs",
};

/** A person's initials. A picture for the eye only: always put the name beside it. */
export function Avatar({ name, size = "sm", className }: AvatarProps) {
  const color = variantColor(sum(name) % variantColorCount);
  return (
    <span
      aria-hidden="true"
      className={cn(
        "inline-grid shrink-0 select-none place-items-center rounded-full border font-semibold leading-none text-ink",
        sizes[size],
        className,
      )}
      style={{
        backgroundColor: `color-mix(in oklch, ${color} 18%, var(--surface))`,
        borderColor: `color-mix(in oklch, ${color} 45%, var(--surface))`,
      }}
    >
      {initials(name)}
    </span>
  );
}

/** Of an address only the part before the @, and no numbers unless there is nothing else. */
function initials(name: string): string {
  const parts = (name.trim().split("@")[0] || name).split(/[\s@._+-]+/).filter(Boolean);
  const named = parts.filter((part) => /^\p{L}/u.test(part));
  const words = named.length > 0 ? named : parts;
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? "")][0] ?? "",
  );
  return letters.join("").toUpperCase() || "?";
}

function sum(text: string): number {
  return [...text].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
}
