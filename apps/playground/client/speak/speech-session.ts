import { type PcmFormat, pcmSeconds } from '@svc-audio/core/streaming'
import type { SpeakRequest } from '../../shared/api.ts'
import { type SpeechPiece, streamSpeech } from '../api/stream-speech.ts'
import { Envelope } from '../audio/envelope.ts'
import type { Level } from '../audio/level.ts'
import { pcmToFloats } from '../audio/pcm-floats.ts'
import { Playback } from '../audio/player.ts'
import { WAVEFORM_BARS } from '../components/waveform.tsx'
import type { Speech } from './speech.ts'

/** Events of a speech. */
export interface SpeechListener {
  /** Another piece has arrived. */
  readonly onReceived: (received: ReceivedSpeech) => void
  /** All audio has arrived. It may still play. */
  readonly onComplete: (speech: Speech) => void
  /** The first sample plays. */
  readonly onStart: () => void
  readonly onLevel: (level: Level, playedSeconds: number) => void
}

/** The received audio. */
export interface ReceivedSpeech {
  readonly bytes: number
  readonly seconds: number
  /** Peaks for a `Waveform`. */
  readonly bars: readonly number[]
}

/**
 * Plays a text during its synthesis. Resolves when playback ends.
 * @throws RequestError when the stream fails; the signal's reason after an abort, which silences playback at once
 */
export async function speakAloud(request: SpeakRequest, signal: AbortSignal, listener: SpeechListener): Promise<void> {
  await playPieces(streamSpeech(request, signal), request.text, signal, listener)
}

/** Plays received speech again. */
export async function replay(speech: Speech, signal: AbortSignal, listener: SpeechListener): Promise<void> {
  await playPieces(piecesOf(speech), speech.text, signal, listener)
}

function* piecesOf({ format, chunks }: Speech): Generator<SpeechPiece, void, undefined> {
  yield { type: 'format', format }
  for (const pcm of chunks) yield { type: 'audio', pcm }
}

async function playPieces(
  pieces: AsyncIterable<SpeechPiece> | Iterable<SpeechPiece>,
  text: string,
  signal: AbortSignal,
  listener: SpeechListener,
): Promise<void> {
  const played = Promise.withResolvers<void>()
  let playback: Playback | undefined
  const stop = (): void => {
    playback?.stop()
    played.resolve()
  }
  signal.addEventListener('abort', stop)
  try {
    const received = new Received(text)
    for await (const piece of pieces) {
      signal.throwIfAborted()
      if (piece.type === 'format') {
        received.format = piece.format
        playback = await Playback.begin(piece.format, { ...listener, onEnd: () => played.resolve() })
        signal.throwIfAborted()
      } else {
        const channels = pcmToFloats(received.format, piece.pcm)
        listener.onReceived(received.add(piece.pcm, channels))
        playback?.write(channels)
      }
    }
    listener.onComplete(received.speech())
    playback?.end()
    await played.promise
    signal.throwIfAborted()
  } catch (error) {
    playback?.stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The audio received so far. */
class Received {
  readonly #text: string
  readonly #chunks: Uint8Array[] = []
  #format: PcmFormat | undefined
  #envelope: Envelope | undefined
  #bytes = 0

  constructor(text: string) {
    this.#text = text
  }

  get format(): PcmFormat {
    if (this.#format === undefined) throw new Error('The stream ended before its format')
    return this.#format
  }

  set format(format: PcmFormat) {
    this.#format = format
    this.#envelope = new Envelope(format.sampleRate)
  }

  add(pcm: Uint8Array, [first]: readonly Float32Array[]): ReceivedSpeech {
    if (first !== undefined) this.#envelope?.push(first)
    this.#chunks.push(pcm)
    this.#bytes += pcm.byteLength
    const seconds = pcmSeconds(this.format, this.#bytes)
    return { bytes: this.#bytes, seconds, bars: this.#envelope?.bars(WAVEFORM_BARS) ?? [] }
  }

  speech(): Speech {
    return { text: this.#text, format: this.format, chunks: this.#chunks }
  }
}
