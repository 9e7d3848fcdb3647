export type Attributes = Record<string, string | number>;

/** Writes down what a request or a job does, step by step; see opentelemetry.ts. */
export type Tracer = {
  /** Follows a request, as part of the trace that its headers name. `route` is asked when it is over. */
  request(request: Request, work: () => Promise<Response>, route: () => string): Promise<Response>;
  /** Follows work that no request waits for: a trace of its own. */
  background<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Follows a statement of what is being followed already; others are not worth a trace. */
  statement<T>(text: string, work: () => Promise<T>): Promise<T>;
  /** Sends what has not been sent yet. */
  end(): Promise<void>;
};

let current: Tracer | null = null;

/** What follows the work of this process; null where nobody asked for traces. */
export const tracer = (): Tracer | null => current;

/** Does work that no request waits for, as a trace of its own where traces are wanted. */
export const inBackground = <T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> =>
  current ? current.background(name, attributes, work) : work();

/** Follows the work of this process from now on. */
export function followWith(tracer: Tracer): void {
  current = tracer;
}
