import {
  ApiError,
  ConnectionError,
  InvalidRequestError,
  StreamTruncatedError,
  SvcAudioError,
} from '@svc-audio/core/pure'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useStore } from './store.ts'
import { connection } from '../shell/connection.ts'
import { useStop } from '../shell/panel-context.ts'

/** A failed call, for the page. */
export interface Failure {
  /** One or two sentences: the service's own where it has one. */
  readonly message: string
  /** The service's code, e.g. `invalid_range`. */
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** Whether the connection failed. Such a failure is over when the service is back. */
  readonly lost: boolean
}

/** Codes of the playground's own server. */
const LOST_CODES: ReadonlySet<string | undefined> = new Set(['service_unreachable', 'service_unavailable'])

/** Describes an error of a call. */
export function failureOf(error: unknown): Failure {
  const value: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  const code = typeof value === 'string' ? value : undefined
  const requestId = SvcAudioError.isInstance(error) ? error.requestId : undefined
  const isLost = ConnectionError.isInstance(error) || StreamTruncatedError.isInstance(error) || LOST_CODES.has(code)
  return { message: messageOf(error), code, requestId, lost: isLost }
}

function messageOf(error: unknown): string {
  if (StreamTruncatedError.isInstance(error)) return 'The connection was lost before the response was complete.'
  if (ConnectionError.isInstance(error)) return 'The connection was lost.'
  const text = error instanceof Error ? error.message : String(error)
  // The client names the call first. The user of the page knows it.
  const own = ApiError.isInstance(error) ? /^\S+ \S+ answered \d+: (.*)$/s.exec(text)?.[1] : undefined
  return sentence(own !== undefined || InvalidRequestError.isInstance(error) ? inWords(own ?? text) : text)
}

/** Fields of requests, as the page names them. */
const LABELS: Readonly<Record<string, string>> = { input: 'text', url: 'address', voice_id: 'voice', file: 'file' }

/** A message about a field, for people who see a form: `url: must be public` is `Address must be public`. */
function inWords(message: string): string {
  const [, field, said] = /^([a-z_]+)(?:\[\d+\]|\.[a-z_]+)*: (\S.*)$/s.exec(message) ?? []
  if (field === undefined || said === undefined) return message
  const words = said.startsWith('must ') ? `${LABELS[field] ?? field.replaceAll('_', ' ')} ${said}` : said
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function sentence(text: string): string {
  return /[.!?…。]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}

/** A failure on the screen. */
export interface FailureControl {
  /** `undefined` when there is none, or when the connection that caused it is back. */
  readonly failure: Failure | undefined
  /** Shows an error. `context` goes before the message, e.g. the name of the file. */
  readonly fail: (error: unknown, context?: string) => void
  readonly clear: () => void
}

/** Holds the failure of a panel. One of a lost connection disappears when the service is back. */
export function useFailure(): FailureControl {
  const { epoch } = useStore(connection)
  const [held, setHeld] = useState<{ readonly failure: Failure; readonly epoch: number }>()
  const fail = useCallback((error: unknown, context?: string) => {
    const failure = failureOf(error)
    const message = context === undefined ? failure.message : `${context}: ${failure.message}`
    setHeld({ failure: { ...failure, message }, epoch: connection.get().epoch })
  }, [])
  const clear = useCallback(() => setHeld(undefined), [])
  const over = held !== undefined && held.failure.lost && held.epoch !== epoch
  return { failure: over ? undefined : held?.failure, fail, clear }
}

/** One call at a time. */
export interface Job extends FailureControl {
  readonly busy: boolean
  /** What happened last, for screen readers. */
  readonly status: string
  /** Replaces the status. */
  readonly say: (status: string) => void
  /**
   * Runs a call, which aborts a running one.
   * @param work Returns the sentence for its success.
   * @param context Goes before the message of its failure, e.g. the name of the file.
   */
  readonly run: (work: (signal: AbortSignal) => Promise<string>, context?: string) => void
  /** Aborts the call, in the service too. Escape does the same. */
  readonly stop: () => void
}

/** Runs one call at a time, with its failure, and aborts it on Escape and with the component. */
export function useJob(): Job {
  const [busy, setBusy] = useState(false)
  const [status, say] = useState('')
  const { failure, fail, clear } = useFailure()
  const running = useRef<AbortController>(undefined)
  const stop = useCallback(() => running.current?.abort(), [])
  useStop(busy, stop)
  useEffect(() => stop, [stop])
  const run = useCallback(
    async (work: (signal: AbortSignal) => Promise<string>, context?: string): Promise<void> => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      clear()
      say('')
      setBusy(true)
      try {
        const done = await work(signal)
        if (!signal.aborted) say(done)
      } catch (error) {
        if (running.current !== controller) return
        if (signal.aborted) say('Stopped.')
        else fail(error, context)
      } finally {
        if (running.current === controller) setBusy(false)
      }
    },
    [clear, fail],
  )
  return { busy, status, say, failure, fail, clear, stop, run: (work, context) => void run(work, context) }
}

/** Something that loads: show a `<Loading>`, a `<FailureBox>` with `reload`, or the data. */
export interface Loaded<T> {
  readonly phase: 'loading' | 'ready' | 'failed'
  /** The last data. Stays during a reload. */
  readonly data: T | undefined
  readonly failure: Failure | undefined
  readonly reload: () => void
}

/**
 * Loads something when the component appears, when `key` changes, on `reload()`, and when the service is back after it
 * failed.
 * @param key Names what `load` loads, if that changes.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, key?: string | number): Loaded<T> {
  const { epoch } = useStore(connection)
  const first = { phase: 'loading', data: undefined, failure: undefined } as const
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>(first)
  const [round, setRound] = useState(0)
  const reload = useCallback(() => setRound((before) => before + 1), [])
  // A service that came back may have another state: load again in any case.
  useEffect(() => {
    const controller = new AbortController()
    setState(({ data }) => ({ phase: 'loading', data, failure: undefined }))
    const show = (next: Partial<typeof state>): void => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, failure: undefined, ...next }))
    }
    load(controller.signal).then(
      (data) => show({ phase: 'ready', data }),
      (error: unknown) => show({ phase: 'failed', failure: failureOf(error) }),
    )
    return () => controller.abort()
    // `load` is a new function in each render. Its key says what it loads.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, round, epoch])
  return { ...state, reload }
}
