import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type NativeRecognizer,
  type NativeResult,
  type NativeSegment,
  type NativeVector,
  type PocketSphinxModule,
  type RunningModule,
  startModule,
  type StartModuleOptions,
} from './emscripten.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'

/** A file that the decoder reads while it loads. */
export interface ModelFile {
  readonly name: string
  readonly content: Uint8Array
}

/** Reads the files of a model: the English one has 37 MB, on this thread. */
export function readModelFiles(folder: string): ModelFile[] {
  return readdirSync(folder).map((name) => ({ name, content: readFileSync(join(folder, name)) }))
}

/** The parts of a decoder. */
export interface DecoderOptions extends Omit<StartModuleOptions, 'log'> {
  /** The acoustic model's files, the dictionary and the language model, the latter two named as in {@link MODEL}. */
  readonly files: readonly ModelFile[]
}

/** Names of the two files outside the acoustic model, as in `@svc-audio/pocketsphinx-en`, which is optional. */
export const MODEL = { dictionary: 'words.dict', language: 'language.lm.bin' } as const

const FOLDER = '/model'

/*
 * Compared with PocketSphinx's defaults, the weights of the language model are lower and the beams wider. Measured over
 * 160 sentences of four flite voices, word errors fall from 12.7 to 11.1 %, over read human speech from 27 to 20 %. The
 * two limits change none of those words. They bound time and memory for simultaneous speakers and loud noise.
 */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['-hmm', FOLDER],
  ['-dict', `${FOLDER}/${MODEL.dictionary}`],
  ['-lm', `${FOLDER}/${MODEL.language}`],
  ['-samprate', '16000'],
  ['-lw', '6'],
  ['-fwdflatlw', '7.5'],
  ['-bestpathlw', '7.5'],
  ['-beam', '1e-60'],
  ['-pbeam', '1e-60'],
  ['-wbeam', '1e-35'],
  ['-maxhmmpf', '3000'],
  ['-maxwpf', '10'],
]

/** Samples in one call: a quarter of a second. Other work of the thread runs between the calls. */
const STEP_SAMPLES = 4000

/** Log lines stored for the message of an error. */
const KEPT_LINES = 5

/** The search with the language model: the first one that was made. */
const WORDS_SEARCH = 0

/** Lets other work of the thread run. It throws to abort. */
export type Pause = () => Promise<void>

/**
 * PocketSphinx with its English model, on this thread. After an error other than that of a `Pause` its memory is not
 * reliable: discard the decoder.
 */
export class Decoder {
  readonly #api: PocketSphinxModule
  readonly #memoryEnd: () => number
  /** The memory before loading. */
  readonly #blank: Uint8Array<ArrayBuffer>
  readonly #image: Uint8Array<ArrayBuffer>
  readonly #usual: Session
  #session: Session

  private constructor({ api, memoryEnd }: RunningModule, files: readonly ModelFile[]) {
    this.#api = api
    this.#memoryEnd = memoryEnd
    this.#blank = api.HEAPU8.slice(0, memoryEnd())
    this.#usual = startSession(api, files)
    this.#session = this.#usual
    this.#image = api.HEAPU8.slice(0, memoryEnd())
  }

  /**
   * Loads the model: about 0.4 s, 100 MB of memory for the decoder and 87 MB for an image of it.
   * @throws EngineFailedError when the decoder refuses it; its message has the decoder's last log lines.
   */
  static async load({ files, ...options }: DecoderOptions): Promise<Decoder> {
    const lines: string[] = []
    const log = (line: string): void => {
      if (!/ERROR|FATAL|abort/i.test(line)) return
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
    }
    try {
      const running = await startModule({ ...options, log })
      return new Decoder(running, files)
    } catch (error) {
      const reason = [String(error), ...lines].join(' | ')
      throw new EngineFailedError(`PocketSphinx cannot be loaded: ${reason}`, { cause: error })
    }
  }

  /**
   * Forgets all audio by restoring the memory to its state after loading (20 ms). Otherwise the decoder's adaptation to
   * the speaker, and the memory that it frees and leaks, would accumulate.
   */
  reset(): void {
    this.#restore(this.#image)
    this.#session = this.#usual
  }

  /**
   * Loads another model until the next {@link Decoder.reset}: 0.5 s. The two models share no state.
   * @throws EngineFailedError when the decoder refuses it
   */
  load(files: readonly ModelFile[]): void {
    this.#restore(this.#blank)
    this.#session = startSession(this.#api, files)
  }

  /**
   * Adapts to the speaker and the microphone without recognizing the speech, at a sixth of the cost. The decoder
   * subtracts the average spectrum of all audio since the last reset, from one utterance to the next. Without
   * adaptation the first sentence of a recording has twice the errors of the others.
   */
  async adapt(samples: Int16Array, pause: Pause): Promise<void> {
    const { recognizer, keywordSearch } = this.#session
    check(this.#api, recognizer.switchSearch(keywordSearch))
    await this.#listen(samples, pause)
    check(this.#api, recognizer.switchSearch(WORDS_SEARCH))
  }

  /** Recognizes one utterance. */
  async decode(samples: Int16Array, pause: Pause): Promise<NativeSegment[]> {
    await this.#listen(samples, pause)
    const segments = new this.#api.Segmentation()
    check(this.#api, this.#session.recognizer.getHypseg(segments))
    const copy = Array.from({ length: segments.size() }, (_, index) => segments.get(index))
    segments.delete()
    return copy
  }

  async #listen(samples: Int16Array, pause: Pause): Promise<void> {
    const { recognizer, buffer } = this.#session
    check(this.#api, recognizer.start())
    for (let at = 0; at < samples.length; at += STEP_SAMPLES) {
      fill(buffer, samples.subarray(at, at + STEP_SAMPLES))
      check(this.#api, recognizer.process(buffer))
      await pause()
    }
    check(this.#api, recognizer.stop())
  }

  #restore(image: Uint8Array<ArrayBuffer>): void {
    const heap = this.#api.HEAPU8
    heap.fill(0, image.length, this.#memoryEnd())
    heap.set(image)
  }
}

/** The objects of a model in the module's memory. */
interface Session {
  readonly recognizer: NativeRecognizer
  readonly buffer: NativeVector<number>
  readonly keywordSearch: number
}

function startSession(api: PocketSphinxModule, files: readonly ModelFile[]): Session {
  const recognizer = makeRecognizer(api, files)
  return { recognizer, buffer: new api.AudioBuffer(), keywordSearch: addKeyword(api, recognizer) }
}

/** Any word works. This search is much cheaper than the one for words. */
function addKeyword(api: PocketSphinxModule, recognizer: NativeRecognizer): number {
  const ids = new api.Integers()
  check(api, recognizer.addKeyword(ids, 'hello'))
  check(api, recognizer.switchSearch(WORDS_SEARCH))
  const search = ids.get(0)
  ids.delete()
  return search
}

function fill(buffer: NativeVector<number>, samples: Int16Array): void {
  buffer.resize(samples.length, 0)
  for (let index = 0; index < samples.length; index += 1) buffer.set(index, samples[index] ?? 0)
}

function check(api: PocketSphinxModule, result: NativeResult): void {
  if (result !== api.ReturnType.SUCCESS) throw new EngineFailedError('PocketSphinx refused a call')
}

function makeRecognizer(api: PocketSphinxModule, files: readonly ModelFile[]): NativeRecognizer {
  api.FS_createPath('/', FOLDER.slice(1), true, true)
  for (const { name, content } of files) api.FS_createDataFile(FOLDER, name, content, true, true, true)
  const config = new api.Config()
  for (const setting of SETTINGS) config.push_back(setting)
  const recognizer = new api.Recognizer(config)
  config.delete()
  // The module's memory has their content; this frees 37 MB.
  for (const { name } of files) api.FS_unlink(`${FOLDER}/${name}`)
  return recognizer
}
