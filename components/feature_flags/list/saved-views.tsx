"use client";

import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";

/** The menu of saved views; its code comes after the page. */
export const SavedViews = later(
  async () => (await import("./saved-views-menu.tsx")).SavedViewsMenu,
  () => (
    <Button size="sm" disabled>
      Views
    </Button>
  ),
);
