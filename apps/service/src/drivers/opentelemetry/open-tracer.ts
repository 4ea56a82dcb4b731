import { readTraceparent } from '../../domain/task-trace.ts'
import type { Span, Tracer } from '../../ports/tracer.ts'
import { errorCode } from '../../domain/error-code.ts'

/** Records nothing, and passes the trace of its parent on unchanged. */
export const passingTracer: Tracer = {
  records: false,
  current: () => ({}),
  start(_name, { parent = {} }): Span {
    const trace = readTraceparent(parent.traceparent) === undefined ? {} : parent
    return { trace, recorded: false, set: () => {}, run: (work) => work(), end: () => {} }
  },
}

/**
 * The tracer of OpenTelemetry's API. Anyone who installs an SDK has the API with it. Without, nobody can record a span, and
 * traces are passed on.
 * @param load Loads the tracer of the API.
 */
export async function openTracer(
  load: () => Promise<Pick<typeof import('./tracer.ts'), 'createTracer'>> = () => import('./tracer.ts'),
): Promise<Tracer> {
  try {
    return (await load()).createTracer()
  } catch (error) {
    if (errorCode(error) === 'ERR_MODULE_NOT_FOUND') return passingTracer
    throw error
  }
}
