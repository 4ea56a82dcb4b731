import type { SpeechStreamEvent } from '@svc-audio/core/interface'
import { toServiceError } from '../use-cases/to-service-error.ts'
import type { StreamedSpeech } from '../use-cases/speech/stream-speech.ts'
import { END, eventFrame } from './send-events.ts'

/**
 * Turns streaming speech into frames (interface: Streaming speech events). A failure is the last frame. Not a
 * generator: a generator that is cancelled before its first read would not cancel the speech.
 */
export function speechFrames(speech: StreamedSpeech, model: string): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const source = speech.chunks[Symbol.asyncIterator]()
      let [begun, ended] = [false, false]
      return {
        async next() {
          if (ended) return END
          if (begun) {
            const event = await nextEvent(source)
            ended ||= event.type !== 'speech.audio.delta'
            return { done: false, value: eventFrame(event) }
          }
          begun = true
          return { done: false, value: firstFrames(speech, model) }
        },
        async return() {
          ended = true
          await source.return?.()
          return END
        },
      }
    },
  }
}

function firstFrames({ taskId, format }: StreamedSpeech, model: string): string {
  const { sampleRate, channels, bitDepth } = format
  return (
    eventFrame({ type: 'task.created', task_id: taskId, object: 'audio.speech', status: 'PROCESSING', model }) +
    eventFrame({ type: 'speech.created', format: 'pcm', sample_rate: sampleRate, channels, bit_depth: bitDepth })
  )
}

async function nextEvent(source: AsyncIterator<Uint8Array>): Promise<SpeechStreamEvent> {
  try {
    const { done, value } = await source.next()
    if (done === true) return { type: 'speech.audio.done' }
    const audio = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
    return { type: 'speech.audio.delta', audio }
  } catch (error) {
    const { code, message } = toServiceError(error)
    return { type: 'error', error: { code, message } }
  }
}
