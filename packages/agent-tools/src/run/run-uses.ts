/**
 * Names of one run. A framework may know the same run by several: a message before an interrupt, a signal after it.
 * Objects are compared by identity.
 */
export type RunKey = string | object | readonly (string | object)[]

/** What a run has used so far. */
export interface RunUse {
  characters: number
  audioSeconds: number
}

/** Largest number of runs that are counted by id. Runs that are named by objects end with their objects. */
const MAX_RUNS = 10_000

/** The use of each run of this process. */
export class RunUses {
  readonly #byObject = new WeakMap<object, RunUse>()
  readonly #byId = new Map<string, RunUse>()

  /** The use of a run, to read and to add to. All names of a run lead to the same one from now on. */
  of(run: RunKey | undefined): RunUse {
    const keys = namesOf(run)
    const [use = { characters: 0, audioSeconds: 0 }, ...others] = new Set(keys.flatMap((key) => this.#get(key) ?? []))
    // Calls of one run came under separate names until this call has shown that they belong together.
    for (const other of others) {
      use.characters += other.characters
      use.audioSeconds += other.audioSeconds
    }
    for (const key of keys) this.#set(key, use)
    return use
  }

  #get(key: string | object): RunUse | undefined {
    return typeof key === 'string' ? this.#byId.get(key) : this.#byObject.get(key)
  }

  #set(key: string | object, use: RunUse): void {
    if (typeof key !== 'string') return void this.#byObject.set(key, use)
    this.#byId.delete(key)
    this.#byId.set(key, use)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MAX_RUNS && oldest !== undefined) this.#byId.delete(oldest)
  }
}

/** Calls that name no run are one run. */
function namesOf(run: RunKey | undefined): readonly (string | object)[] {
  if (!Array.isArray(run)) return [run ?? '']
  return run.length === 0 ? [''] : run
}
