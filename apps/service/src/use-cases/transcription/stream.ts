import type { TranscriptionStreamEvent } from '@svc-audio/core/interface'
import { ClientDisconnectedError, LeaseLostError } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { isInternalError } from '../../domain/service-error.ts'
import { type TaskTrace, traceFields } from '../../domain/task-trace.ts'
import { WorkMeter } from '../../domain/usage.ts'
import type { Services } from '../../services.ts'
import { succeedSurely } from '../store-outages.ts'
import { LEASE_MS, renewLease } from '../tasks/lease.ts'
import { taskError, toServiceError } from '../to-service-error.ts'
import {
  type TimedTranscription,
  type TranscribeOptions,
  transcribeTimed,
  type Utterance,
  viewEarlyEnd,
  viewTranscription,
} from './transcribe.ts'
import type { WorkOptions } from '../tasks/task.ts'
import type { TranscriptionWork } from './source.ts'

/** A file of this machine and its transcription options. */
export interface StreamedWork<Last extends object> {
  readonly path: string
  readonly model: string
  readonly work: TranscriptionWork
  /** Language of the speech. @default unknown */
  readonly language?: string | undefined
  /** As {@link TranscribeOptions.prompt}. */
  readonly prompt?: string | undefined
  /** As {@link TranscribeOptions.temperature}. */
  readonly temperature?: number | undefined
  /** The request of the stream. */
  readonly trace?: TaskTrace
  /** Whether the same request has succeeded before. Its work is not counted again. @default false */
  readonly isRepeated?: boolean
  /** Makes the events of an utterance. @default a delta: together they are the text */
  readonly eventsOfUtterance?: (utterance: Utterance) => readonly (Last | TranscriptionStreamEvent)[]
  /** Makes the events after the whole recording. @default those of the interface */
  readonly lastEvents?: (result: TimedTranscription) => readonly Last[]
}

/** Longest time before a response begins, in milliseconds. Most undecodable files fail earlier. */
const LATEST_BEGIN_MS = 2000

/**
 * Transcribes with a task and events (interface: Transcription events). `respond` receives the events and the task's id
 * after the first decoded sound, or after 2 s when the recognizer is busy. An earlier error is thrown and becomes an
 * HTTP error. A later error is the last event. Both fail the task. A disconnect stops the work.
 * @returns Whether the transcription has succeeded. Resolves when the work has ended. Unread events stay readable.
 */
export async function streamTranscription<Last extends object = TranscriptionStreamEvent>(
  services: Services,
  { path, work, trace, isRepeated = false, ...given }: StreamedWork<Last | TranscriptionStreamEvent>,
  options: WorkOptions,
  respond: (events: AsyncIterable<Last | TranscriptionStreamEvent>, taskId: string) => void,
): Promise<boolean> {
  const { tasks } = services.stores
  const { clock } = services.runtime
  const { model, language, prompt, temperature, lastEvents = eventsOf, eventsOfUtterance = deltas() } = given
  const taskId = newId('task')
  const { tenant, signal } = options
  const task = {
    id: taskId,
    tenant,
    kind: 'audio.transcription',
    model,
    ...(trace === undefined ? {} : { trace }),
  } as const
  const lease = await tasks.begin(task, LEASE_MS)
  const held = renewLease(services, lease)
  const meter = isRepeated ? undefined : new WorkMeter(services.runtime.totals)
  const events = new EventQueue<Last | TranscriptionStreamEvent>()
  events.push({ type: 'task.created', task_id: taskId, object: 'audio.transcription', status: 'PROCESSING', model })
  let begun = false
  const begin = (): void => {
    if (!begun) respond(events, taskId)
    begun = true
  }
  const cancel = clock.setTimer(LATEST_BEGIN_MS, begin)
  try {
    const either = AbortSignal.any([signal, held.lost])
    let endsEarly = false
    const told: TranscribeOptions = {
      onEarlyEnd: () => void (endsEarly = true),
      tenant,
      id: taskId,
      model,
      language,
      prompt,
      temperature,
      signal: either,
      meter,
      onSound: begin,
      onUtterance: (utterance) => events.push(...eventsOfUtterance(utterance)),
    }
    const result = await transcribeTimed(services, path, work, told)
    const end = { lease, tenant, signal: either, work: meter?.work }
    const stored = { ...viewTranscription(result), ...viewEarlyEnd(endsEarly) }
    if (!(await succeedSurely(services, end, stored))) throw new LeaseLostError()
    events.push(...lastEvents(result))
    begin()
    return true
  } catch (error) {
    await tasks.fail(lease, taskError(error), meter?.work)
    if (!begun) throw error
    const failure = toServiceError(error)
    if (isInternalError(failure) && !(error instanceof ClientDisconnectedError)) {
      const fields = { err: failure.cause ?? error, task: taskId, ...traceFields(trace) }
      services.runtime.log.error(fields, 'a stream failed')
    }
    events.push({ type: 'error', error: { code: failure.code, message: failure.message } })
    return false
  } finally {
    cancel()
    held.stop()
    events.end()
  }
}

/** Makes deltas that together are the text. Each utterance except the first starts with a space. */
export function deltas(): (utterance: Pick<Utterance, 'text'>) => TranscriptionStreamEvent[] {
  let space = ''
  return ({ text }) => {
    const delta = space + text
    space = ' '
    return [{ type: 'transcript.text.delta', delta }]
  }
}

/** Returns the last events. Speakers are known only after the whole recording, and all segments come together. */
function eventsOf({ segments = [], text }: TimedTranscription): TranscriptionStreamEvent[] {
  return [
    ...segments.map((segment, index) => {
      const { speaker, text: spoken } = segment
      return { type: 'transcript.segment.done', content_index: index, speaker, text: spoken } as const
    }),
    { type: 'transcript.text.done', text },
  ]
}

/**
 * A queue of events for one reader with its own pace. It stores unread events without a limit. Use it only for few and
 * small events.
 */
export class EventQueue<Event> implements AsyncIterable<Event> {
  #waiting: Event[] = []
  #over = false
  #wake: () => void = () => undefined

  /** Adds an event. */
  push(...events: readonly Event[]): void {
    this.#waiting.push(...events)
    this.#wake()
  }

  /** Ends the events. */
  end(): void {
    this.#over = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const events = this.#waiting
      this.#waiting = []
      yield* events
      if (this.#waiting.length > 0) continue
      if (this.#over) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
