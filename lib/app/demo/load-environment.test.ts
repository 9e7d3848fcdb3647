import { afterAll, beforeAll, expect, it } from "vitest";
import { calling } from "#lib/app/api.ts";
import { flagCreate } from "#lib/flags/feature_flags/schema.ts";
import { create as createFlag } from "#lib/flags/feature_flags/service.ts";
import { type Service, startService } from "#testing/service.ts";
import { demoFlags } from "./flags.ts";
import { loadEnvironment } from "./load-environment.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it("makes a staging environment with some drift, once", async () => {
  const { directory } = service.runtime;
  const { projects, users } = await directory.current();
  const [project, user] = [projects.get(1), users.get(1)];
  const runtime = calling(service.runtime);
  const [key] = (await service.api("GET", "/api/personal_api_keys/")).json.results;
  if (!project || !user || !key) throw new Error("The service was not set up.");
  const context = {
    db: service.db,
    runtime,
    project,
    user,
    key: { ...key, user_id: user.id, scoped_teams: [], scoped_organizations: [] },
    now: new Date(),
    headers: new Headers(),
    url: new URL("http://switchyard.test/"),
  };
  const flags = demoFlags(Date.UTC(2026, 0, 1)).slice(0, 90);
  for (const { popularity: _, of_company: __, depends_on: ___, ...body } of flags)
    await createFlag(context, { params: { project_id: "" }, query: {}, body: flagCreate.parse(body) });
  let filled = 0;
  const load = () =>
    loadEnvironment(context, flags, async () => {
      filled += 1;
    });
  await load();
  await load();
  expect(filled).toBe(1);
  const read = (id: number) => service.api("GET", `/api/projects/${id}/environments/flags/`);
  const { environments, counts } = (await read(1)).json;
  expect(environments.map(({ name }: { name: string }) => name)).toEqual(["Staging", "Production"]);
  expect(counts.same + counts.differs).toBe(16);
  expect(counts.needs_attention).toBe(1);
  expect(counts.differs).toBeGreaterThan(2);
  expect(counts.missing_here).toBe(2);
});
