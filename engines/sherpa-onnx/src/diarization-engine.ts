import {
  type Diarization,
  type DiarizationDriver,
  type DiarizationEngine,
  DIARIZATION_SAMPLE_RATE,
  EngineFailedError,
} from '@svc-audio/engine-ports'
import {
  cutSpeech,
  joinPieces,
  type SpeechPiece,
  type Utterance,
  UtteranceSplitter,
} from '@svc-audio/engine-ports/listening'
import { type ModelPool, openModel } from './model-process.ts'
import type { SherpaDiarizationOptions } from './options.ts'
import { findSpans, readUtterances } from './utterances.ts'

/** Shortest pause before another speaker, in seconds. Few sounds inside a word contain such a long silence. */
const PAUSE_SECONDS = 0.15

/** Length of the parts of a turn that are attributed one by one, in samples: see {@link cutSpeech}. */
const PIECE_SAMPLES = 2 * DIARIZATION_SAMPLE_RATE

/** Cosine similarity from which two voices are one speaker. */
const SIMILARITY = 0.5

/** An engine that tells speakers apart, and the memory of its processes. */
export interface SherpaDiarizationEngine extends DiarizationEngine {
  /** In bytes. */
  readonly residentBytes: number
}

/** Makes a driver of a model that tells speakers apart. @param onEngine Called with each engine that it makes. */
export function sherpaDiarization(
  options: SherpaDiarizationOptions,
  onEngine?: (engine: SherpaDiarizationEngine) => void,
): DiarizationDriver {
  return {
    name: options.name ?? 'sherpa-onnx',
    async create({ signal }) {
      const engine = await createSherpaDiarization({ ...options, signal })
      onEngine?.(engine)
      return engine
    },
  }
}

/**
 * Makes an engine that tells speakers apart by embeddings of their voices. Resolves once a process has loaded its model.
 * @throws MissingFilesError; EngineFailedError when the model is broken or the package sherpa-onnx-node is missing; the
 * signal's reason when it aborts.
 */
export async function createSherpaDiarization(options: SherpaDiarizationOptions): Promise<SherpaDiarizationEngine> {
  return openModel(options, undefined, (pool) => new ModelDiarization(options, pool))
}

/** A piece of speech and the embedding of its voice. */
interface Piece extends SpeechPiece {
  readonly embedding: Float32Array
}

class ModelDiarization implements SherpaDiarizationEngine {
  readonly name: string
  readonly #similarity: number
  readonly #hasVad: boolean
  readonly #pool: ModelPool

  constructor({ name = 'sherpa-onnx', similarity = SIMILARITY, vad }: SherpaDiarizationOptions, pool: ModelPool) {
    this.name = name
    this.#similarity = similarity
    this.#hasVad = vad !== undefined
    this.#pool = pool
  }

  get residentBytes(): number {
    return this.#pool.residentBytes
  }

  async diarize(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Diarization> {
    const { signal } = options
    const either = AbortSignal.any([this.#pool.closing, ...(signal === undefined ? [] : [signal])])
    const splitter = new UtteranceSplitter({ pauseSeconds: PAUSE_SECONDS })
    const pieces: Piece[] = []
    const samples = await readUtterances(pcm, splitter, either, async (utterance) => {
      pieces.push(...(await this.#embed(utterance, either)))
    })
    const speakers = await this.#group(pieces, either)
    return { segments: joinPieces(pieces, speakers), durationSeconds: samples / DIARIZATION_SAMPLE_RATE }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #embed({ startSample, samples }: Utterance, signal: AbortSignal): Promise<Piece[]> {
    const pieces: Piece[] = []
    for (const span of await findSpans(samples, this.#hasVad ? this.#pool : undefined, signal)) {
      for (const { startSample: start, endSample: end } of cutSpeech(samples, span, PIECE_SAMPLES)) {
        const reply = await this.#pool.run({ type: 'embed', samples: samples.slice(start, end) }, signal)
        if (!('embedding' in reply)) throw new EngineFailedError(`${this.name} gave no embedding`)
        const { embedding } = reply
        if (embedding !== undefined)
          pieces.push({ startSample: startSample + start, endSample: startSample + end, embedding })
      }
    }
    return pieces
  }

  async #group(pieces: readonly Piece[], signal: AbortSignal): Promise<readonly number[]> {
    if (pieces.length === 0) return []
    const embeddings = pieces.map(({ embedding }) => embedding)
    const seconds = pieces.map(({ startSample, endSample }) => (endSample - startSample) / DIARIZATION_SAMPLE_RATE)
    const reply = await this.#pool.run({ type: 'group', embeddings, seconds, similarity: this.#similarity }, signal)
    if (!('speakers' in reply)) throw new EngineFailedError(`${this.name} gave no speakers`)
    return reply.speakers
  }
}
