import type { ReactNode } from "react";
import { Logo } from "./logo.tsx";

type SoloPageProps = {
  title: string;
  /** A line below the title. */
  description?: ReactNode;
  children?: ReactNode;
};

/** A page with one card and no frame: sign-in, and errors outside a project. */
export function SoloPage({ title, description, children }: SoloPageProps) {
  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto_1.4fr] justify-items-center px-4 py-10">
      <div className="row-start-2 flex w-full max-w-[25rem] flex-col gap-6">
        <header className="px-1">
          <Logo />
        </header>
        <main id="main" className="flex flex-col gap-5 rounded-xl border bg-surface p-5 shadow-card sm:p-6">
          <div>
            <h1 className="font-semibold text-lg">{title}</h1>
            {description ? <p className="mt-0.5 text-pretty text-muted text-sm">{description}</p> : null}
          </div>
          {children}
        </main>
      </div>
    </div>
  );
}
