import { ThreadPool } from '@svc-audio/engine-ports/driver'
import { ModelProcess } from './model-process.ts'
import type { ModelSettings } from './native-config.ts'
import type { LoadedModel, Reply, Work } from './protocol.ts'

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
