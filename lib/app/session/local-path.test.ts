import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localPath } from "./local-path.ts";

describe("localPath", () => {
  it.each([
    ["/project/1/feature_flags?search=new+checkout", "/project/1/feature_flags?search=new+checkout"],
    ["/project/1/persons#top", "/project/1/persons#top"],
    ["/project/1/feature_flags?_rsc=1a2b&search=x", "/project/1/feature_flags?search=x"],
    ["/sign-installer", "/sign-installer"],
  ])("keeps %s", (given, kept) => {
    expect(localPath(given)).toBe(kept);
  });

  it.each([
    undefined,
    null,
    "",
    "project/1",
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "/.//evil.example",
    "/a\\b",
    "javascript:alert(1)",
    "/sign-in",
    "/sign-in?next=/sign-in",
    "/x/../sign-in",
    "/api/users/@me/",
    "/bff/api/projects/",
  ])("refuses %j", (given) => {
    expect(localPath(given)).toBe("/");
  });

  it("never leaves the site, whatever it is given", () => {
    const text = fc.array(
      fc.constantFrom("/", "\\", ".", "@", ":", "?", "#", "\t", "\n", "%", "a", "evil.example"),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const path = localPath(`/${parts.join("")}`);
        expect(new URL(path, "https://here.example").origin).toBe("https://here.example");
        expect(path.startsWith("//")).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});
