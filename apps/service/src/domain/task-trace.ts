/** The request that a task comes from, for logs and traces. It is stored with the task. */
export interface TaskTrace {
  /** The id of the request that was accepted: `x-request-id` of its response. */
  readonly requestId: string
  /** The trace of the request (W3C Trace Context), if it has one. */
  readonly traceparent?: string
  /** The `tracestate` header of the same trace. */
  readonly tracestate?: string
}

const TRACE = /^(?!ff)[\da-f]{2}-(?<trace>[\da-f]{32})-(?<span>[\da-f]{16})-(?<flags>[\da-f]{2})$/

/** The parts of a `traceparent`. */
export interface TraceParts {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
}

/** Reads a `traceparent` (W3C Trace Context). `undefined` for an invalid one. */
export function readTraceparent(traceparent: unknown): TraceParts | undefined {
  const { trace, span, flags } = TRACE.exec(typeof traceparent === 'string' ? traceparent : '')?.groups ?? {}
  if (trace === undefined || span === undefined || flags === undefined) return undefined
  if (/^0+$/.test(trace) || /^0+$/.test(span)) return undefined
  return { traceId: trace, spanId: span, flags: Number.parseInt(flags, 16) }
}

/** The fields of a task's log lines: the ids of its request and of its trace. */
export function traceFields(trace: TaskTrace | undefined): { readonly reqId?: string; readonly trace?: string } {
  if (trace === undefined) return {}
  const id = readTraceparent(trace.traceparent)?.traceId
  return { reqId: trace.requestId, ...(id === undefined ? {} : { trace: id }) }
}
