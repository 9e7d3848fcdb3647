import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Tracer } from "./tracing.ts";

const fromHeaders = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};

const FIRST_WORD = /^\s*([a-z]+)/i;

/** The libraries read all of OpenTelemetry's variables themselves: address, headers, sampler, name of the service. */
export function createTracer(version: string): Tracer {
  const resource = resourceFromAttributes({ "service.name": "switchyard", "service.version": version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const spans = trace.getTracer("switchyard", version);

  /** Errors are marked, not described: what they say may be about people. */
  const follow = async <T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> => {
    try {
      return await context.with(trace.setSpan(parent, span), work);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    request({ headers, method }, work, route) {
      const parent = propagation.extract(ROOT_CONTEXT, headers, fromHeaders);
      const attributes = { "http.request.method": method };
      const span = spans.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      return follow(span, parent, async () => {
        const response = await work();
        const { status } = response;
        span.updateName(`${method} ${route()}`);
        span.setAttributes({ "http.route": route(), "http.response.status_code": status });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      });
    },
    background(name, attributes, work) {
      return follow(spans.startSpan(name, { attributes }, ROOT_CONTEXT), ROOT_CONTEXT, work);
    },
    statement(text, work) {
      const parent = context.active();
      if (!trace.getSpan(parent)?.isRecording()) return work();
      const operation = FIRST_WORD.exec(text)?.[1]?.toUpperCase() ?? "statement";
      const attributes = { "db.system.name": "postgresql", "db.operation.name": operation };
      return follow(spans.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, parent), parent, work);
    },
    end: () => provider.shutdown(),
  };
}
