import { readFile } from 'node:fs/promises'
import { EngineFailedError, RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import type { MoonshineFiles } from '@svc-audio/moonshine-en'
import type { Graph, OnnxRuntime, Tensor } from '../onnx/runtime.ts'
import { BEGIN, Tokens } from './tokens.ts'

/** Tokens in a second of the fastest speech. */
const TOKENS_PER_SECOND = 6.5

/** What the decoder knows of the tokens so far. It never changes, so several texts can continue it. */
export interface Memory {
  /** Keys and values of the layers, by the names of the decoder's inputs. */
  readonly past: Readonly<Record<string, Tensor>>
  /** Whether the decoder has heard the sound. */
  readonly begun: boolean
}

/** One step of the decoder. */
export interface Step {
  /** How likely each token is as the next one, as a logarithm that has no fixed zero. */
  readonly scores: Float32Array
  readonly memory: Memory
}

/** Moonshine with its weights, on this thread: an encoder of sound, and a decoder that gives one token after the other. */
export class Moonshine {
  readonly tokens: Tokens
  readonly #runtime: OnnxRuntime
  readonly #encoder: Graph
  readonly #decoder: Graph
  readonly #blank: Memory
  /** Outputs of the first step, and of a later one: what the decoder heard stays the same. */
  readonly #firstOutputs: readonly string[]
  readonly #laterOutputs: readonly string[]

  private constructor(runtime: OnnxRuntime, encoder: Graph, decoder: Graph, tokens: Tokens) {
    this.tokens = tokens
    this.#runtime = runtime
    this.#encoder = encoder
    this.#decoder = decoder
    const names = decoder.inputNames.filter((name) => name.startsWith(PAST))
    this.#blank = {
      past: Object.fromEntries(
        names.map((name) => [name, runtime.tensor('float32', new Float32Array(0), EMPTY_DIMS)] as const),
      ),
      begun: false,
    }
    this.#firstOutputs = [SCORES, ...names.map(presentName)]
    this.#laterOutputs = [SCORES, ...names.filter((name) => !isHeard(name)).map(presentName)]
  }

  /**
   * Loads the graphs: about 0.7 s, and 200 MB of memory.
   * @throws EngineFailedError when a file is not a graph
   */
  static async load(runtime: OnnxRuntime, { encoder, decoder, tokens }: MoonshineFiles): Promise<Moonshine> {
    const open = async (path: string): Promise<Graph> => runtime.open(await readFile(path))
    return new Moonshine(runtime, await open(encoder), await open(decoder), new Tokens(await readFile(tokens)))
  }

  /** Hears an utterance of at most 30 s. @param samples Between -1 and 1, at 16 kHz. */
  async hear(samples: Float32Array): Promise<Hearing> {
    const { length } = samples
    const mask = this.#runtime.tensor('int64', new BigInt64Array(length).fill(1n), [1, length])
    const input = this.#runtime.tensor('float32', samples, [1, length])
    const { last_hidden_state: sound } = await this.#encoder.run({ input_values: input, attention_mask: mask })
    if (sound === undefined) throw new EngineFailedError('The encoder of Moonshine gave no description.')
    return {
      maxTokens: Math.ceil((length / RECOGNITION_SAMPLE_RATE) * TOKENS_PER_SECOND),
      begin: () => this.#step(sound, mask, this.#blank, BEGIN),
      next: (memory, token) => this.#step(sound, mask, memory, token),
    }
  }

  async #step(sound: Tensor, mask: Tensor, { past, begun }: Memory, token: number): Promise<Step> {
    const inputs = {
      ...past,
      // As long as the samples, not as the description.
      encoder_attention_mask: mask,
      encoder_hidden_states: sound,
      input_ids: this.#runtime.tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
      use_cache_branch: this.#runtime.tensor('bool', Uint8Array.of(begun ? 1 : 0), [1]),
    }
    const outputs = await this.#decoder.run(inputs, begun ? this.#laterOutputs : this.#firstOutputs)
    const scores = outputs[SCORES]?.data
    if (!(scores instanceof Float32Array)) throw new EngineFailedError('The decoder of Moonshine gave no scores.')
    const next = Object.entries(past).map(([name, before]) => [name, outputs[presentName(name)] ?? before] as const)
    return { scores, memory: { past: Object.fromEntries(next), begun: true } }
  }
}

/** An utterance that was heard. */
export interface Hearing {
  /** More tokens than any speech of this length has. */
  readonly maxTokens: number
  /** Takes the first step. */
  begin(): Promise<Step>
  /** Takes the step after a token. */
  next(memory: Memory, token: number): Promise<Step>
}

const SCORES = 'logits'
const PAST = 'past_key_values'

/** 8 heads of 36 numbers, before the first token. */
const EMPTY_DIMS = [1, 8, 0, 36]

function presentName(past: string): string {
  return past.replace(PAST, 'present')
}

/** Whether keys and values are those of the sound. */
function isHeard(name: string): boolean {
  return name.includes('.encoder.')
}
