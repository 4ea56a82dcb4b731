import type { Clock } from '../domain/clock.ts'
import type { FairPlaces } from '../domain/fair-semaphore.ts'
import { DIARIZATION_COST } from '../domain/task-kinds.ts'
import type { TenantObjects } from '../ports/object-store.ts'
import type { Services } from '../services.ts'
import { diarize, recognize, synthesize } from '../use-cases/engines/work.ts'

/** A step may take this many times its estimated time beyond the patience. */
const COST_FACTOR = 10

/** Longest time in which an object store takes the last bytes of an object, with its retries, in milliseconds. */
const STORE_MS = 120_000

/**
 * The services for the work on one task. Everything that passes between them is progress. Waits for a place, a fetch and
 * a download do not count: they have limits of their own. A place is free soon after `lost` aborts, also if the work in
 * it does not end.
 */
export function watchedServices(services: Services, progress: Progress, lost: AbortSignal): Services {
  const { codec, semaphores } = services.engines
  const { fetcher } = services.runtime
  const note = (): void => progress.advance()
  const places = (one: FairPlaces): FairPlaces => watchedPlaces(one, { progress, lost, clock: services.runtime.clock })
  return {
    ...services,
    engines: {
      ...services.engines,
      ...watchedEngines(services.engines, progress),
      semaphores: {
        speech: places(semaphores.speech),
        recognition: places(semaphores.recognition),
        diarization: places(semaphores.diarization),
        analysis: places(semaphores.analysis),
        encoding: places(semaphores.encoding),
        fetching: places(semaphores.fetching),
        processing: places(semaphores.processing),
      },
      codec: {
        encode(chunks, options) {
          // Until it reads, an encoder waits for its place.
          const begun = progress.wait()
          return tapped(codec.encode(tapped(chunks, { onRead: begun, onValue: note }), options), {
            onValue: note,
            onEnd: begun,
          })
        },
        decode: (path, options) => tapped(codec.decode(path, options), { onValue: note }),
        close: () => codec.close(),
      },
    },
    runtime: {
      ...services.runtime,
      fetcher: {
        check: (...given) => fetcher.check(...given),
        fetch: (...given) => whileWaiting(progress, () => fetcher.fetch(...given)),
      },
    },
    objects: {
      ...services.objects,
      inputs: watchedObjects(services.objects.inputs, progress),
      uploads: watchedObjects(services.objects.uploads, progress),
      results: watchedObjects(services.objects.results, progress),
    },
  }
}

type ServedEngines = Pick<Services['engines'], 'speech' | 'recognition' | 'diarization'>

/** Speech that is read, sound that is taken and text that is recognized are progress. */
function watchedEngines({ speech, recognition, diarization }: ServedEngines, progress: Progress): ServedEngines {
  const note = (): void => progress.advance()
  return {
    speech: {
      get voices() {
        return speech.voices
      },
      get bases() {
        return speech.bases ?? speech.voices
      },
      synthesize: (request, options) => synthesize({ use: (call) => call(speech), onAudio: note }, request, options),
    },
    recognition: {
      ...recognition,
      recognize: (pcm, options) =>
        recognize({ use: (call) => call(recognition), onAudio: note, onText: note }, pcm, options),
    },
    diarization: {
      diarize(pcm, options) {
        let seconds = 0
        const onAudio = (more: number): void => {
          seconds += more
          note()
        }
        // At the end, the whole recording is one step.
        const onTaken = (): void => progress.advance(COST_FACTOR * DIARIZATION_COST * seconds)
        return diarize({ use: (call) => call(diarization), onAudio, onTaken }, pcm, options)
      },
    },
  }
}

function watchedPlaces(
  places: FairPlaces,
  { progress, lost, clock }: { readonly progress: Progress; readonly lost: AbortSignal; readonly clock: Clock },
): FairPlaces {
  return {
    get size() {
      return places.size
    },
    get busy() {
      return places.busy
    },
    get waiting() {
      return places.waiting
    },
    get tenants() {
      return places.tenants
    },
    overflows: (tenant) => places.overflows(tenant),
    hasOthers: (tenant) => places.hasOthers(tenant),
    async use(tenant, signal, work, cost) {
      const go = progress.wait()
      const start = (): ReturnType<typeof work> => {
        go()
        progress.advance(COST_FACTOR * (cost ?? 0))
        return withinGracePeriod(work(), lost, clock)
      }
      try {
        return await places.use(tenant, signal, start, cost)
      } finally {
        go()
        progress.advance()
      }
    },
    async acquire(tenant, signal, cost) {
      const release = await whileWaiting(progress, () => places.acquire(tenant, signal, cost))
      progress.advance(COST_FACTOR * (cost ?? 0))
      return release
    },
  }
}

function watchedObjects(objects: TenantObjects, progress: Progress): TenantObjects {
  return {
    ...objects,
    of: (tenant) => {
      const own = objects.of(tenant)
      return {
        ...own,
        put: (name, source) => own.put(name, tapped(source, { onEnd: () => progress.advance(STORE_MS) })),
      }
    },
    async withFile(name, use) {
      const arrived = progress.wait()
      try {
        return await objects.withFile(name, (path) => {
          arrived()
          return use(path)
        })
      } finally {
        arrived()
      }
    },
  }
}

async function whileWaiting<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  const go = progress.wait()
  try {
    return await work()
  } finally {
    go()
  }
}

/** What {@link tapped} tells of. */
interface Taps<T> {
  /** A value is asked for. */
  readonly onRead?: () => void
  readonly onValue?: (value: T) => void
  readonly onEnd?: () => void
}

/** Tells of a source's reads. Not a generator: one that is ended before its first read would not end its source. */
function tapped<T>(source: AsyncIterable<T>, { onRead, onValue, onEnd }: Taps<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const values = source[Symbol.asyncIterator]()
      return {
        async next() {
          onRead?.()
          const result = await values.next()
          if (result.done === true) onEnd?.()
          else onValue?.(result.value)
          return result
        },
        async return() {
          onEnd?.()
          return (await values.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}

/** Options of {@link Progress}. */
interface ProgressOptions {
  readonly clock: Clock
  /** Longest time without progress, in milliseconds that the engines were given. A stall is noticed up to a quarter later. */
  readonly patience: number
  /**
   * The share of the time since its last call that the engines were given. On a machine with other work they wait for a
   * processor, and that does not count.
   * @default all of the time
   */
  readonly share?: () => number
  /** Called once, when the time is over. */
  readonly onStall: () => void
}

/**
 * The time is counted in parts. When this thread blocks for long, or the process is paused, one timer fires late, which
 * counts as one part.
 */
const PARTS = 4

/**
 * Notices work that makes no progress although its process lives. Progress is anything that passes between two parts of
 * the work: a sentence, a piece of a recording, encoded bytes.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #part: number
  #left: number
  #waits = 0
  #cancel: (() => void) | undefined

  /** Starts the time. */
  constructor(options: ProgressOptions) {
    this.#options = options
    this.#part = options.patience / PARTS
    this.#left = options.patience
    this.#tick()
  }

  /**
   * Restarts the time.
   * @param extra Time of the next step beyond the patience, in milliseconds. @default 0
   */
  advance(extra: number = 0): void {
    this.#left = Math.max(this.#left, this.#options.patience + extra)
  }

  /**
   * Stops the time while the work waits for something with limits of its own: a place, a download.
   * @returns Restarts the time. A second call has no effect.
   */
  wait(): () => void {
    this.#waits += 1
    let waiting = true
    return () => {
      if (!waiting) return
      waiting = false
      this.#waits -= 1
      this.advance()
    }
  }

  /** Ends the watch. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #tick(): void {
    this.#cancel = this.#options.clock.setTimer(this.#part, () => {
      const share = this.#options.share?.() ?? 1
      if (this.#waits === 0) this.#left -= this.#part * share
      if (this.#left > this.#part / 100) return this.#tick()
      this.#cancel = undefined
      this.#options.onStall()
    })
  }
}

/** Time in which aborted work must end, in milliseconds. */
export const GRACE_MS = 5000

/**
 * Waits for work, but not for work that does not end in spite of its abort.
 * @returns The result of `work`.
 * @throws What `work` throws; the reason of `signal` {@link GRACE_MS} after its abort
 */
export async function withinGracePeriod<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  let cancel: (() => void) | undefined
  const onAbort = (): void => {
    cancel = clock.setTimer(GRACE_MS, () => reject(signal.reason))
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, over])
  } finally {
    cancel?.()
    signal.removeEventListener('abort', onAbort)
  }
}
