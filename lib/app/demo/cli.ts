import { calling } from "#lib/app/api.ts";
import { createRuntime, type ServedRuntime } from "#lib/app/runtime.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import { config, StartError } from "#lib/platform/config.ts";
import { database } from "#lib/platform/db/connect.ts";
import type * as http from "#lib/platform/http/context.ts";
import { unstoredKey } from "#lib/platform/http/directory.ts";

type AccountContext = http.AccountContext<ServedRuntime>;

import { claim, runLoad } from "./service.ts";

const WIDTH = 40;

const bar = (percent: number) => {
  const full = Math.round((percent / 100) * WIDTH);
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${String(percent).padStart(3)}%`;
};

function show(percent: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${bar(percent)}`);
  else if (percent % 10 === 0) console.info(bar(percent));
}

/** Acts as the first organization's owner: a shell on the machine has the owner's rights. */
async function ownerContext(runtime: ServedRuntime): Promise<AccountContext> {
  const { users, levels, organizations } = await runtime.directory.current();
  const organization = [...organizations.keys()][0];
  const user = [...users.values()].find((u) => (levels.get(`${organization}/${u.id}`) ?? 0) >= 15);
  if (!user) throw new StartError("There is no owner in this database: run npm start once.");
  const now = new Date();
  const key = unstoredKey(user.id, now);
  const url = new URL("http://switchyard.internal/");
  return { db: runtime.db, runtime, user, key, now, url, headers: new Headers() };
}

async function main(): Promise<void> {
  const opened = await database();
  try {
    const made = await bootstrap(opened.db, {
      bootstrap_personal_api_key: config().bootstrapPersonalApiKey,
      bootstrap_project_token: config().bootstrapProjectToken,
    });
    if (made) console.info(`First personal API key, shown only now: ${made.personal_api_key}`);
    const runtime = calling(
      createRuntime(opened.db, { encryption_key: Buffer.from(config().encryptionKey) }),
    );
    const context = await ownerContext(runtime);
    const { row, mine } = await claim(context);
    if (mine) await runLoad(context, row, show);
    await runtime.events.drain();
    console.info(
      mine
        ? `\nThe demo is project ${row.project_id}.`
        : `The demo is there already: project ${row.project_id}.`,
    );
  } finally {
    await opened.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
