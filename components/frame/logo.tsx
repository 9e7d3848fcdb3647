type LogoProps = { className?: string };

/** The mark: a line of track, and the switch that sends some trains another way. */
export function LogoMark({ className = "size-6" }: LogoProps) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={className}>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <g className="stroke-on-accent" strokeWidth="2.25" strokeLinecap="round">
        <path d="M8 19.25V4.75" opacity="0.55" />
        <path d="M8 15.5c0-4.25 8-3.5 8-7.75v-3" />
      </g>
    </svg>
  );
}

/** The mark and the name. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2">
      <LogoMark />
      <span className="font-semibold text-base tracking-[-0.02em]">Switchyard</span>
    </span>
  );
}
