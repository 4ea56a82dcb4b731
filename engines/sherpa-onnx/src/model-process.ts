import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { EngineFailedError, EngineStuckError } from '@svc-audio/engine-ports'
import { ENGINE_PRIORITY, lowerPriority, type PooledThread, ThreadPool } from '@svc-audio/engine-ports/driver'
import { type AnyModelOptions, modelSettings } from './options.ts'
import type { LoadedModel, ModelSettings, Reply, Request, Work } from './native-config.ts'

const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url)

/** How long a model may load, and how long it may work on one sentence or utterance, in milliseconds. */
const LOAD_PATIENCE = 600_000
const WORK_PATIENCE = 300_000

/** Maximum characters of the process's messages in an error. */
const MAX_MESSAGE = 500

/** Most memory pages are of this size. */
const PAGE_BYTES = 4096

/** A process with one model, which does one piece of work at a time. */
export class ModelProcess implements PooledThread {
  readonly #child: ChildProcess
  readonly #exited: Promise<undefined>
  #message = ''
  #failure: Error | undefined
  #alive = true
  #work: Promise<unknown> = Promise.resolve()
  #settle: ((reply: Reply | Error) => void) | undefined
  #model: LoadedModel | undefined

  private constructor() {
    this.#child = fork(ENTRY, [], {
      cwd: tmpdir(),
      env: environment(),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#message = `${this.#message}${chunk}`.slice(-MAX_MESSAGE)
    })
    this.#child.on('message', (reply: Reply) => this.#settle?.(reply))
    this.#child.on('error', (error) => this.#lose(error))
    const exit = Promise.withResolvers<undefined>()
    this.#exited = exit.promise
    this.#child.on('close', (code, signal) => {
      // After loading, its messages have words of the texts.
      const why = this.#model === undefined ? `: ${this.#message.trim()}` : ''
      this.#lose(new EngineFailedError(`The model's process ended (${signal ?? code})${why}`))
      exit.resolve(undefined)
    })
    lowerPriority(this.#child.pid, ENGINE_PRIORITY)
  }

  /**
   * Starts a process and loads a model.
   * @throws EngineFailedError when the model is broken or sherpa-onnx-node is missing; the signal's reason.
   */
  static async start(settings: ModelSettings, signal: AbortSignal): Promise<ModelProcess> {
    signal.throwIfAborted()
    const made = new ModelProcess()
    const stop = (): void => void made.end()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const reply = await made.#ask({ load: settings }, LOAD_PATIENCE)
      if (!('loaded' in reply)) throw unexpected(reply)
      made.#model = reply.loaded
      return made
    } catch (error) {
      await made.end()
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** The model. */
  get model(): LoadedModel {
    if (this.#model === undefined) throw new Error('The process has no model')
    return this.#model
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Memory of the process, in bytes. 0 where the system does not tell. */
  get residentBytes(): number {
    try {
      const [, pages] = readFileSync(`/proc/${this.#child.pid}/statm`, 'utf8').split(' ')
      return this.#alive ? Number(pages) * PAGE_BYTES : 0
    } catch {
      return 0
    }
  }

  /**
   * Does a piece of work. After an abort the process finishes it, and nobody gets its result.
   * @throws EngineFailedError when the process ends or the model cannot compute; the signal's reason.
   */
  async run(work: Work, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted()
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const asked = this.#ask(work, WORK_PATIENCE)
    this.#work = asked.catch(() => undefined)
    try {
      const reply = await Promise.race([promise, asked])
      if ('heard' in reply && reply.heard.text === '') await this.#checkEmpty()
      return reply
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async free(): Promise<void> {
    await this.#work
  }

  async end(): Promise<void> {
    this.#alive = false
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** A model that cannot compute has an empty result, and sherpa-onnx only writes so to its standard error. */
  async #checkEmpty(): Promise<void> {
    // What the process wrote before its response is read in the same turn.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#message.includes('Caught exception'))
      throw new EngineFailedError('The model cannot compute: its inputs are not those of its family. Check `family`')
  }

  /** What sherpa-onnx wrote while it loaded. Later messages have words of the texts. */
  async #details(): Promise<string> {
    if (this.#model !== undefined) return ''
    await new Promise((resolve) => setImmediate(resolve))
    const message = this.#message.trim()
    return message === '' ? '' : ` (${message})`
  }

  async #ask(request: Request, patience: number): Promise<Reply> {
    if (this.#failure !== undefined) throw this.#failure
    this.#message = ''
    const reply = await new Promise<Reply | Error>((resolve) => {
      const watch = setTimeout(() => {
        this.#lose(new EngineStuckError(`The model's process gave no response for ${patience / 1000} s and was killed`))
        this.#child.kill('SIGKILL')
      }, patience)
      this.#settle = (response) => {
        clearTimeout(watch)
        resolve(response)
      }
      // The exit reports a closed channel.
      this.#child.send(request, undefined, undefined, () => undefined)
    })
    this.#settle = undefined
    if (reply instanceof Error) throw reply
    if ('failure' in reply) throw new EngineFailedError(`sherpa-onnx failed: ${reply.failure}${await this.#details()}`)
    return reply
  }

  #lose(reason: Error): void {
    this.#alive = false
    this.#failure ??= reason
    this.#settle?.(this.#failure)
  }
}

/** No variable of the service, which may be a secret: only those that find programs and libraries. */
function environment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'SystemRoot', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

function unexpected(reply: Reply): EngineFailedError {
  return new EngineFailedError(`The model's process gave an unexpected answer: ${Object.keys(reply).join(', ')}`)
}

/** Processes that have the same model loaded. */
export class ModelPool {
  readonly #pool: ThreadPool<ModelProcess>
  readonly #processes = new Set<ModelProcess>()

  /**
   * @param settings What each process loads.
   * @param instances Number of processes. Each holds the model in memory.
   * @param label Name in messages for the operator.
   */
  constructor(settings: ModelSettings, instances: number, label: string) {
    this.#pool = new ThreadPool({
      size: instances,
      // A model takes seconds to load.
      keep: 1,
      label,
      spawn: async (signal) => {
        const made = await ModelProcess.start(settings, signal)
        for (const old of this.#processes) if (!old.alive) this.#processes.delete(old)
        this.#processes.add(made)
        return made
      },
    })
  }

  /** Aborts when the pool is closed. */
  get closing(): AbortSignal {
    return this.#pool.closing
  }

  /** Memory of all processes, in bytes. */
  get residentBytes(): number {
    return [...this.#processes].reduce((bytes, { residentBytes }) => bytes + residentBytes, 0)
  }

  /** Loads the model, if no process has it yet. */
  load(signal?: AbortSignal): Promise<LoadedModel> {
    return this.#pool.use(signal, async ({ model }) => model)
  }

  /** Does a piece of work in the next free process. */
  run(work: Work, signal?: AbortSignal): Promise<Reply> {
    return this.#pool.use(signal, (free, either) => free.run(work, either))
  }

  /** Ends every process. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}

/**
 * Makes the engine of a model once a process has loaded it.
 * @param language Language of the speech, for a recognizer of one language.
 * @param make Makes the engine. It throws for a model that does not fit.
 * @throws MissingFilesError; EngineFailedError when the model is broken or the package sherpa-onnx-node is missing; the
 * signal's reason when it aborts
 */
export async function openModel<Engine>(
  options: AnyModelOptions,
  language: string | undefined,
  make: (pool: ModelPool, model: LoadedModel) => Engine,
): Promise<Engine> {
  const { name = 'sherpa-onnx', instances = 1, signal } = options
  const pool = new ModelPool(modelSettings(options, language), instances, name)
  try {
    return make(pool, await pool.load(signal))
  } catch (error) {
    await pool.close()
    throw error
  }
}
