import { ClientDisconnectedError } from '../client-disconnected-error.ts'
import { errorFrame, eventFrame, HEARTBEAT, type SentEvent } from '../send-events.ts'

/** An event stream as the body of a response. */
export interface EventsBody {
  readonly body: ReadableStream<Uint8Array>
  /** Resolves when the client has read the last event. Rejects with the failure, or when the client disconnects. */
  readonly ended: Promise<void>
}

/**
 * Makes the body of a response with server-sent events, read at the client's pace. A failure ends it with a safe `error`
 * event. Silence of 15 seconds is filled with a comment.
 * @param abort Stops the call when the client disconnects.
 */
export function eventsBody(events: AsyncIterable<SentEvent>, abort: (reason: unknown) => void): EventsBody {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  const ended = Promise.withResolvers<void>()
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = (): void => clearInterval(timer)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': keep-alive\n\n'))
      }, HEARTBEAT)
    },
    async pull(controller) {
      try {
        const { done = false, value } = await iterator.next()
        if (done) {
          stop()
          controller.close()
          ended.resolve()
        } else controller.enqueue(encoder.encode(eventFrame(value)))
      } catch (error) {
        stop()
        controller.enqueue(encoder.encode(errorFrame(error)))
        controller.close()
        ended.reject(error)
      }
    },
    cancel() {
      stop()
      const reason = new ClientDisconnectedError()
      // The iterator may wait for its next event: only the signal of the call ends that.
      abort(reason)
      ended.reject(reason)
    },
  })
  return { body, ended: ended.promise }
}
