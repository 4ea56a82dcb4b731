import { END, streamOver } from '@svc-audio/engine-ports/driver'
import type { ServedDiarization, ServedRecognition, ServedSpeech } from '../../ports/engine-use.ts'
import { inSpan, type Span, type Tracer } from '../../ports/tracer.ts'

/** Makes a span of each text that an engine speaks, from the first read to the last. */
export function tracedSpeech(engine: ServedSpeech, tracer: Tracer): ServedSpeech {
  return {
    name: engine.name,
    get voices() {
      return engine.voices
    },
    async synthesize(request, options) {
      const synthesis = await engine.synthesize(request, options)
      const parent = tracer.current()
      if (parent.traceparent === undefined) return synthesis
      const attributes = { 'svc_audio.engine': engine.name, 'svc_audio.characters': request.text.length }
      const start = (): Span => tracer.start('speech engine', { kind: 'internal', parent, attributes })
      return { ...synthesis, chunks: within(synthesis.chunks, start) }
    },
    close: () => engine.close(),
  }
}

/** A text that is only checked is never read, and has no span. */
function within(chunks: AsyncIterable<Uint8Array>, start: () => Span): AsyncIterable<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  let span: Span | undefined
  let ended = false
  const end = (error?: unknown): void => {
    if (!ended) span?.end(error)
    ended = true
  }
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    span ??= start()
    try {
      const result: IteratorResult<Uint8Array, unknown> = await span.run(() => source.next())
      if (result.done !== true) return result
      end()
      return END
    } catch (error) {
      end(error)
      throw error
    }
  }
  return streamOver(source, next, async () => end())
}

/** Makes a span of each recording that an engine recognizes. */
export function tracedRecognition(engine: ServedRecognition, tracer: Tracer): ServedRecognition {
  return {
    name: engine.name,
    language: engine.language,
    languages: engine.languages,
    recognize: (pcm, options) =>
      inSpan(
        tracer,
        'recognition engine',
        { kind: 'internal', attributes: { 'svc_audio.engine': engine.name } },
        async (span) => {
          const recognition = await engine.recognize(pcm, options)
          span.set('svc_audio.recording.seconds', recognition.durationSeconds)
          return recognition
        },
      ),
    close: () => engine.close(),
  }
}

/** Makes a span of each recording whose speakers an engine separates. */
export function tracedDiarization(engine: ServedDiarization, tracer: Tracer): ServedDiarization {
  return {
    name: engine.name,
    diarize: (pcm, options) =>
      inSpan(
        tracer,
        'diarization engine',
        { kind: 'internal', attributes: { 'svc_audio.engine': engine.name } },
        async (span) => {
          const diarization = await engine.diarize(pcm, options)
          span.set('svc_audio.recording.seconds', diarization.durationSeconds)
          return diarization
        },
      ),
    close: () => engine.close(),
  }
}
