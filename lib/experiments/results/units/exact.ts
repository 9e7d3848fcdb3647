/**
 * Sums of decimals in which nothing gets lost, whatever the order. A number counts as the decimal of 15 digits that
 * it stands for, as PostgreSQL's cast from float8 to numeric has it.
 */

/** `digits` / 10^`scale`. */
export type Decimal = { digits: number | bigint; scale: number };

/** Decimals of up to so many places are added up as whole numbers of their smallest unit. */
const SCALES = [0, 1, 2, 3, 4, 5, 6];
const POWERS = SCALES.map((scale) => 10 ** scale);
/** Products of such decimals have twice as many slots. */
const FAST = 2 * SCALES.length - 1;
/** Below it a number of smallest units is distinct from its neighbours. */
const ROOM = 1e15;

/** The decimal that a finite number stands for. */
export function decimalOf(value: number): Decimal {
  for (const [scale, power] of POWERS.entries()) {
    const digits = Math.round(value * power);
    if (Math.abs(digits) >= ROOM) break;
    if (digits / power === value) return { digits, scale };
  }
  const [, sign, whole = "0", part = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential(14)) ?? [];
  const scale = part.length - Number(exponent ?? 0);
  const digits = BigInt(`${sign ?? ""}${whole}${part}`);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function product(a: Decimal, b: Decimal): Decimal {
  const scale = a.scale + b.scale;
  if (typeof a.digits === "number" && typeof b.digits === "number") {
    const digits = a.digits * b.digits;
    if (Number.isSafeInteger(digits)) return { digits, scale };
  }
  return { digits: BigInt(a.digits) * BigInt(b.digits), scale };
}

/** A sum that grows. */
export type ExactSum = {
  add(term: Decimal, sign: 1 | -1): void;
  addProduct(a: Decimal, b: Decimal, sign: 1 | -1): void;
  /** As SQL reads it. */
  text(): string;
};

export function createExactSum(): ExactSum {
  const small = new Float64Array(FAST);
  const large = new Map<number, bigint>();
  const addLarge = (scale: number, digits: bigint) => large.set(scale, (large.get(scale) ?? 0n) + digits);
  const add = ({ digits, scale }: Decimal, sign: 1 | -1) => {
    if (typeof digits === "bigint" || scale >= FAST) {
      addLarge(scale, BigInt(digits) * BigInt(sign));
      return;
    }
    const before = small[scale] ?? 0;
    const sum = before + digits * sign;
    if (Number.isSafeInteger(sum)) {
      small[scale] = sum;
      return;
    }
    addLarge(scale, BigInt(before));
    small[scale] = digits * sign;
  };
  return {
    add,
    addProduct: (a, b, sign) => add(product(a, b), sign),
    text() {
      const parts = new Map(large);
      for (const [scale, digits] of small.entries())
        if (digits !== 0) parts.set(scale, (parts.get(scale) ?? 0n) + BigInt(digits));
      const most = Math.max(0, ...parts.keys());
      let sum = 0n;
      for (const [scale, digits] of parts) sum += digits * 10n ** BigInt(most - scale);
      return pointed(sum, most);
    },
  };
}

function pointed(digits: bigint, scale: number): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const sign = digits < 0n ? "-" : "";
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
