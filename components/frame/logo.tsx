type LogoProps = { className?: string };

/** The mark: a line of track, and the switch that sends some trains another way. */
export function LogoMark({ className = "size-6" }: LogoProps) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={className}>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <g className="stroke-on-accent" strokeWidth="2.25" strokeLinecap="round">
        <path d="M7.75 10.5V4.75" opacity="0.5" />
        <path d="M7.75 19.25V17c0-5.25 8.5-4.75 8.5-10V4.75" />
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
