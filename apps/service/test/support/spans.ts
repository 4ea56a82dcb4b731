import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { createTracer } from '../../src/drivers/opentelemetry/tracer.ts'
import type { Tracer } from '../../src/ports/tracer.ts'

/** A tracer that records, as an operator sets one up. */
export interface Recorder {
  readonly tracer: Tracer
  /** The spans that have ended, in this order. */
  spans(): readonly ReadableSpan[]
  /** Removes the recorder from this process. */
  stop(): void
}

/** Starts to record spans. */
export function recordSpans(): Recorder {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const storage = new AsyncLocalStorage<Context>()
  // What the SDK for Node installs.
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (current, work, self, ...args) => storage.run(current, () => work.apply(self, args)),
    bind: (_current, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager)
  return {
    tracer: createTracer(provider.getTracer('test')),
    spans: () => exporter.getFinishedSpans(),
    stop: () => context.disable(),
  }
}
