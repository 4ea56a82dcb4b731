import { EventChannel } from './event-channel.ts'
import type { VoiceEvent } from '@svc-audio/voice'

/**
 * Runs a stage's work beside its reader. Ending the reading aborts the work and ends the input that it reads.
 * @param work Reads `input` to its end and pushes into the channel.
 */
export async function* runStage<Item>(
  input: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
  work: (input: AsyncIterable<Item>, out: EventChannel, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<VoiceEvent, void, undefined> {
  const controller = new AbortController()
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal])
  const out = new EventChannel()
  const onAbort = (): void => out.end({ error: both.reason })
  both.addEventListener('abort', onAbort, { once: true })
  if (both.aborted) onAbort()
  const source = input[Symbol.asyncIterator]()
  const running = work({ [Symbol.asyncIterator]: () => source }, out, both).then(
    () => out.end(),
    (error: unknown) => out.end({ error }),
  )
  try {
    yield* out
  } finally {
    both.removeEventListener('abort', onAbort)
    controller.abort()
    // A source that waits for input cannot be awaited: it ends when its own input does.
    source.return?.()?.then(undefined, () => {})
    void running
  }
}
