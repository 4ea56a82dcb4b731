import { encodeWav, type Open, type PcmFormat, type PureAudioClient, type TranscriptionModel } from '@svc-audio/core'
import { type VoiceEvent, voiceEvent } from './events.ts'

/**
 * What the user says in one go: a complete recording, or its pieces while the user speaks. What ends it (a button, a
 * detector of silence) is the application's.
 */
export type Utterance = Uint8Array | Blob | AsyncIterable<Uint8Array>

/** Options of {@link transcribeStage}. */
export interface TranscribeStageOptions {
  readonly client: PureAudioClient
  /** @default 'svc-transcribe-1.0' */
  readonly model?: Open<TranscriptionModel>
  /** Format of utterances that are raw PCM. @default utterances are audio files, such as WAV or WebM */
  readonly format?: PcmFormat
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

/** Longest utterance, in bytes: ten minutes of 48 kHz stereo. */
const MAX_BYTES = 128 * 1024 * 1024

/**
 * Speech to text: `user_input` when the user begins to speak, `stt_output` when the utterance has been transcribed. A
 * failed transcription is an `error` event. Utterances with no words give no `stt_output`.
 */
export async function* transcribeStage(
  utterances: AsyncIterable<Utterance>,
  options: TranscribeStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  const { client, model = 'svc-transcribe-1.0', signal } = options
  for await (const utterance of utterances) {
    signal?.throwIfAborted()
    const pieces = piecesOf(utterance)
    const first = await pieces.next()
    if (first.done === true) continue
    yield voiceEvent({ type: 'user_input' })
    try {
      const file = await collect(first.value, pieces, options)
      const { text } = await client.transcriptions.create({ model, file }, signal === undefined ? {} : { signal })
      if (text.trim() !== '') yield voiceEvent({ type: 'stt_output', transcript: text.trim() })
    } catch (error) {
      signal?.throwIfAborted()
      yield voiceEvent({ type: 'error', stage: 'transcribe', error })
    }
  }
}

async function* piecesOf(utterance: Utterance): AsyncGenerator<Uint8Array, void, undefined> {
  if (utterance instanceof Uint8Array) yield utterance
  else if (utterance instanceof Blob) yield* utterance.stream()
  else yield* utterance
}

/** The whole utterance: the first byte of a request cannot wait for a user who is still speaking. */
async function collect(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  { format, signal }: TranscribeStageOptions,
): Promise<Uint8Array> {
  const chunks = [first]
  let bytes = first.byteLength
  for await (const chunk of rest) {
    signal?.throwIfAborted()
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new RangeError(`An utterance is longer than ${MAX_BYTES} bytes`)
  }
  return format === undefined ? Buffer.concat(chunks) : encodeWav(format, chunks)
}
