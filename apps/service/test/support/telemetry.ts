import { AsyncLocalStorage } from 'node:async_hooks'
import { Writable } from 'node:stream'
import { context, type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
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

/** A measured value by name and labels, sorted, as `name{a="1",b="2"}`. */
export type Samples = ReadonlyMap<string, number>

const NAME = String.raw`[a-zA-Z_:][\w:]*`
const LABEL = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`
const HELP = new RegExp(`^# HELP (?<name>${NAME}) .+$`)
const TYPE = new RegExp(`^# TYPE (?<name>${NAME}) (?<type>counter|gauge|histogram|summary|untyped)$`)
const SAMPLE = new RegExp(String.raw`^(?<name>${NAME})(?:\{(?<labels>${LABEL}(?:,${LABEL})*)\})? (?<value>\S+)$`)

/**
 * Parses the text format of Prometheus (0.0.4) and checks its rules: HELP and TYPE once a metric and before its
 * samples, samples of a metric together, none twice, histograms with growing buckets that end with `+Inf`.
 * @throws Error with the faulty line
 */
export function parsePrometheus(text: string): Samples {
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  const done = new Set<string>()
  let current = ''
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { name = '', type = '' } = (HELP.exec(line) ?? TYPE.exec(line))?.groups ?? {}
    if (name !== '') {
      if (name !== current && done.has(name)) throw new Error(`A metric comes twice: ${line}`)
      if (type !== '' && types.has(name)) throw new Error(`A type comes twice: ${line}`)
      if (type !== '') types.set(name, type)
      done.add(name)
      current = name
      continue
    }
    const sample = SAMPLE.exec(line)?.groups
    if (sample === undefined) throw new Error(`Not a line of the format: ${line}`)
    if ((sample['name'] ?? '').replace(suffixOf(types.get(current)), '') !== current) {
      throw new Error(`Not a sample of ${current}: ${line}`)
    }
    const key = `${sample['name']}{${(sample['labels'] ?? '')
      .split(/(?<="),/)
      .toSorted()
      .join(',')}}`
    if (samples.has(key)) throw new Error(`A sample comes twice: ${line}`)
    const value = Number((sample['value'] ?? '').replace(/^([+-]?)Inf$/, '$1Infinity'))
    if (Number.isNaN(value)) throw new Error(`Not a number: ${line}`)
    samples.set(key.replace('{}', ''), value)
  }
  checkHistograms(samples, types)
  return samples
}

function suffixOf(type: string | undefined): RegExp {
  return type === 'histogram' ? /_(?:bucket|sum|count)$/ : /$/
}

function checkHistograms(samples: Samples, types: ReadonlyMap<string, string>): void {
  for (const [name] of [...types].filter(([, type]) => type === 'histogram')) {
    const last = new Map<string, number>()
    for (const [key, value] of samples) {
      if (!key.startsWith(`${name}_bucket{`)) continue
      const series = key.replace(/le="[^"]*",?/, '').replace(',}', '}')
      if (value < (last.get(series) ?? 0)) throw new Error(`A bucket is smaller than the one before: ${key}`)
      last.set(series, value)
    }
    for (const [series, value] of last) {
      const count = samples.get(series.replace('_bucket', '_count').replace('{}', ''))
      if (count !== value) throw new Error(`The buckets of ${series} do not end with its count`)
    }
  }
}

/** A log of this level, and its written lines. */
export function writtenLog(level: string): { log: FastifyBaseLogger; lines: () => Record<string, unknown>[] } {
  const written: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString())
      done()
    },
  })
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log: pino({ level }, stream), lines }
}
