import { resolve } from 'node:path'
import {
  atOnce,
  EngineFailedError,
  type EngineVoice,
  type SpeechDriver,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { cancellable } from '@svc-audio/engine-ports/driver'
import { begun, planSpeech, renderNatural, speechLength } from '@svc-audio/engine-ports/speech'
import { innerFolder } from './model-files.ts'
import { type ModelPool, openModel } from './model-process.ts'
import type { SpokenVoice } from './native-config.ts'
import type { ModelVoice, SherpaSpeechOptions } from './options.ts'

/** Estimated processor time of one character, in milliseconds: a tenth to a half of real time on two cores. */
const COST = 20

/** Something that a model can say. */
const SPOKEN = /[\p{L}\p{N}]/u

/** A speech engine and the memory of its processes. */
export interface SherpaSpeechEngine extends SpeechEngine {
  /** In bytes. */
  readonly residentBytes: number
}

/** Makes a driver of a voice model. @param onEngine Called with each engine that it makes. */
export function sherpaSpeech(
  options: SherpaSpeechOptions,
  onEngine?: (engine: SherpaSpeechEngine) => void,
): SpeechDriver {
  const { name = 'sherpa-onnx', voices } = options
  return {
    name,
    voices: voices.map(publicVoice),
    async create({ signal }) {
      const engine = await createSherpaSpeech({ ...options, signal })
      onEngine?.(engine)
      return engine
    },
  }
}

/**
 * Makes a speech engine of a voice model. Resolves once a process has loaded it.
 * @throws MissingFilesError; EngineFailedError when the model is broken, has too few speakers, or the package
 * sherpa-onnx-node is missing; the signal's reason when it aborts.
 */
export async function createSherpaSpeech(options: SherpaSpeechOptions): Promise<SherpaSpeechEngine> {
  const { voices } = options
  return openModel(options, undefined, (pool, { sampleRate, speakers }) => {
    const beyond = voices.find(({ speaker = 0 }) => speaker >= speakers)
    if (beyond === undefined) return new ModelSpeech(options, pool, sampleRate)
    throw new EngineFailedError(
      `The voice ${beyond.id} is speaker ${beyond.speaker}, and the model has ${speakers}: from 0 to ${speakers - 1}`,
    )
  })
}

class ModelSpeech implements SherpaSpeechEngine {
  readonly name: string
  readonly voices: readonly EngineVoice[]
  readonly #own: readonly ModelVoice[]
  readonly #pool: ModelPool
  readonly #sampleRate: number
  readonly #folder: string

  constructor({ name = 'sherpa-onnx', voices, folder }: SherpaSpeechOptions, pool: ModelPool, sampleRate: number) {
    this.name = name
    this.voices = voices.map(publicVoice)
    this.#own = voices
    this.#folder = innerFolder(folder)
    this.#pool = pool
    this.#sampleRate = sampleRate
  }

  get residentBytes(): number {
    return this.#pool.residentBytes
  }

  async synthesize(request: SynthesisRequest, { signal, turns = atOnce }: SynthesisOptions = {}): Promise<Synthesis> {
    this.#pool.closing.throwIfAborted()
    signal?.throwIfAborted()
    const { text, voiceId, manner, pauses = false } = request
    const voice = this.#own.find(({ id }) => id === voiceId)
    if (voice === undefined) throw new RangeError(`${this.name} has no voice ${JSON.stringify(voiceId)}`)
    if (manner !== undefined) throw new RangeError(`The voice ${voiceId} cannot be changed`)
    const length = speechLength(request)
    const steps = planSpeech(text, pauses, toSpeakable, voice.language)
    if (steps.length === 0) throw new UnspeakableTextError('The input has no letters or digits to speak')
    const spoken = this.#spokenVoice(voice)
    const chunks = cancellable(
      [signal, this.#pool.closing],
      (stop) =>
        // Models follow a speed inexactly, and say a sentence with another length each time.
        renderNatural(
          steps,
          (sentence) => begun(turns(sentence.length * COST, stop, () => this.#speak(sentence, spoken, stop))),
          { sampleRate: this.#sampleRate, length },
        ),
      { once: true },
    )
    return { format: { sampleRate: this.#sampleRate, channels: 1, bitDepth: 16 }, chunks }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #spokenVoice({ speaker = 0, language, reference, referenceText }: ModelVoice): SpokenVoice {
    const path = reference === undefined ? undefined : resolve(this.#folder, reference)
    return { speaker, language, reference: path, referenceText }
  }

  async #speak(text: string, voice: SpokenVoice, signal: AbortSignal): Promise<Uint8Array> {
    const reply = await this.#pool.run({ type: 'speak', text, ...voice }, signal)
    if (!('spoken' in reply)) throw new EngineFailedError(`${this.name} gave no sound`)
    const { buffer, byteOffset, byteLength } = reply.spoken
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
}

function toSpeakable(text: string): string {
  return SPOKEN.test(text)
    ? text
        .toWellFormed()
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim()
    : ''
}

function publicVoice(given: ModelVoice): EngineVoice {
  const { speaker: _speaker, reference: _reference, referenceText: _text, name, ...voice } = given
  return { ...voice, name: name ?? voice.id }
}
