"use client";

import { saveFile } from "#components/charts/save_file.ts";
import { toast } from "#components/ui/toaster.tsx";
import { callFromBrowser } from "#components/use-endpoint.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import { ApiError } from "#lib/http/errors.ts";

/** Saves the flags as a JSON file, each as the API answers it now. */
export async function exportFlags(projectId: string, flags: readonly { id: number }[]): Promise<void> {
  try {
    const records = await Promise.all(
      flags.map(({ id }) =>
        callFromBrowser(flagContract.retrieve, { params: { project_id: projectId, id: String(id) } }),
      ),
    );
    const text = `${JSON.stringify(records, null, 2)}\n`;
    saveFile("feature_flags.json", new Blob([text], { type: "application/json" }));
  } catch (error) {
    toast.error("The flags were not exported", {
      description: error instanceof ApiError ? error.message : "The service did not answer.",
    });
  }
}
