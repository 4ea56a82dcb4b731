import type { SpeechStreamEvent } from '@svc-audio/core/interface'
import { END, streamOver } from '@svc-audio/engine-ports/driver'
import { toServiceError } from '../use-cases/to-service-error.ts'
import type { StreamedSpeech } from '../use-cases/speech/stream-speech.ts'
import { eventFrame } from './send-events.ts'

/** Turns streaming speech into frames (interface: Streaming speech events). A failure is the last frame. */
export function speechFrames(speech: StreamedSpeech, model: string): AsyncIterable<string> {
  return audioFrames(speech.chunks, firstFrames(speech, model))
}

/**
 * Turns audio into frames: a delta for each chunk, then the end. A failure is the last frame.
 * @param first Frames before the audio. @default none
 */
export function audioFrames(chunks: AsyncIterable<Uint8Array>, first?: string): AsyncIterable<string> {
  const source = chunks[Symbol.asyncIterator]()
  let [begun, ended] = [first === undefined, false]
  return streamOver<string>(source, async () => {
    if (ended) return END
    if (begun || first === undefined) {
      const event = await nextEvent(source)
      ended = event.type !== 'speech.audio.delta'
      return { done: false, value: eventFrame(event) }
    }
    begun = true
    return { done: false, value: first }
  })
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
