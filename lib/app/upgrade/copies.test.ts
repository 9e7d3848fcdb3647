import { expect, it } from "vitest";
import { parseConfig } from "#lib/platform/config.ts";
import { createTestDatabase } from "#testing/database.ts";
import { requireSpace } from "./copies.ts";

it("refuses a disk without room for the copies, and says how much it takes", async () => {
  const database = await createTestDatabase();
  await requireSpace(database, parseConfig({ DATA_DIR: "." }));
  // A file system without any blocks.
  await expect(requireSpace(database, parseConfig({ DATA_DIR: "/proc" }))).rejects.toThrow(
    /^A rehearsal needs \d+ MB on the disk of \/proc, and 0 MB are free\.$/,
  );
  await database.close();
});
