import { describe, expect, it } from "vitest";
import { instrument } from "./mutants.ts";

/** Every change of a text, as the text that it becomes. */
function changesOf(source: string): string[] {
  return instrument("f.ts", source).mutants.map(({ original, replacement }) =>
    source.replace(original, () => replacement),
  );
}

describe("a mutant", () => {
  it.each([
    ["if (a < b) f();", ["if (true) f();", "if (false) f();", "if (a <= b) f();", "if (a < b) ;"]],
    ["while (a && b) break;", ["while (false) break;", "while (a) break;", "while (b) break;"]],
    ["x = a === b;", [";", "x = a !== b;"]],
    ["x = a ?? 5;", [";", "x = a;", "x = 5;"]],
    ["x = a?.b.c;", [";", "x = a.b.c;"]],
    ["x = a?.[0];", [";", "x = a[0];"]],
    ["await f(1 + 2);", [";", "await f(1 - 2);"]],
    ["const x = [1].some(f);", ["const x = [1].every(f);", "const x = [].some(f);"]],
    ["const x = list.filter(f).map(g);", ["const x = list.map(g);"]],
    ["const x = !a;", ["const x = a;"]],
    ["const x = and(a, b);", ["const x = and(b);", "const x = and(a);"]],
    ["const x = true;", ["const x = false;"]],
    [
      "for (; i < n; i++) f();",
      [
        "for (; false; i++) f();",
        "for (; i <= n; i++) f();",
        "for (; i < n; i--) f();",
        "for (; i < n; i++) ;",
      ],
    ],
  ])("of %s is one of a known few", (source, expected) => {
    expect(changesOf(source).toSorted()).toEqual(expected.toSorted());
  });

  it("takes the project out of a query's condition", () => {
    const source = `q = sql\`delete from t where t.project_id = \${project.id} and id = \${id}\`;`;
    expect(changesOf(source)).toContain(`q = sql\`delete from t where true and id = \${id}\`;`);
  });

  it.each([
    "import { a } from './a.ts';",
    "type A = { b: 'c' | true };",
    "const x: Record<'a', 5> = y;",
    "throw new Error('Two words');",
    "console.error('a', [1]);",
    "const x = z.string().meta({ description: 'a' });",
  ])("is not made of %s", (source) => {
    expect(changesOf(source)).toEqual([]);
  });
});

describe("instrumented code", () => {
  const source = "export const f = (a: number, b?: { c: number }): number => (a > 3 ? a + (b?.c ?? 1) : -a);";

  /** The function, with one of its mutants active. */
  async function withActive(active: number): Promise<(a: number, b?: { c: number }) => number> {
    const { code } = instrument("f.ts", source);
    const javascript = code
      .replace(/globalThis\.__mutation\?\.switches\("f\.ts"\)\?\?/, "")
      .replace("active:0", `active:${active},hit:()=>true`)
      .replace("(a: number, b?: { c: number }): number", "(a, b)");
    return (await import(`data:text/javascript,${encodeURIComponent(javascript)}`)).f;
  }

  it("does what the source does while no mutant is active", async () => {
    const f = await withActive(0);
    expect([f(3), f(4), f(4, { c: 5 })]).toEqual([-3, 5, 9]);
  });

  it("does what the active mutant says", async () => {
    const { mutants } = instrument("f.ts", source);
    const boundary = mutants.find(({ replacement }) => replacement === "a >= 3");
    const fallback = mutants.find(({ replacement }) => replacement === "b?.c");
    expect((await withActive(boundary?.id ?? 0))(3)).toBe(4);
    expect((await withActive(fallback?.id ?? 0))(4)).toBeNaN();
    expect((await withActive(fallback?.id ?? 0))(4, { c: 5 })).toBe(9);
  });

  it("says where each mutant is", () => {
    const [, second] = instrument("f.ts", "const a = 1;\n  const b = !c && d;").mutants;
    expect(second).toMatchObject({ line: 2, context: "const b = !c && d;" });
  });
});
