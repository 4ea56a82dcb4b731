import {
  type DriverOptions,
  type EngineParts,
  type EngineVoice,
  type RecognitionEngine,
  type SpeechEngine,
  type SynthesisRequest,
} from '@svc-audio/engine-ports'
import type { Clock } from '../../domain/clock.ts'
import { Fingerprint } from '../../domain/fingerprint.ts'
import {
  type EngineClient,
  type EngineHooks,
  type EngineName,
  type EngineState,
  EngineUnavailableError,
  type EngineWork,
  isEngineFailure,
  type NamedEngineState,
  type ServedDiarization,
  type ServedRecognition,
  type ServedSpeech,
  type ServedVoice,
} from '../../ports/engines.ts'
import type { Span, Tracer } from '../../ports/tracer.ts'
import type { Log } from '../../services.ts'
import { anyOf, chooseRecognizer, firstUp, languagesOfAll, requireUp } from './choice.ts'
import { spokenWord } from './spoken-word.ts'
import { EngineSupervisor } from './supervisor.ts'
import { Trust } from './trust.ts'
import { diarize, type EngineWorkHooks, recognize, synthesize } from './work.ts'

/** Engines that belong together: an entry of the file of engines, or the bundled ones. */
export interface PoolEntry {
  readonly name: string
  readonly parts: EngineParts
  /** Requests at the same time. */
  readonly workers: Readonly<Record<EngineName, number>>
  /** Transcription models that it serves. @default all */
  readonly models?: readonly string[] | undefined
  /** Languages that it recognizes, as primary tags. @default those of the engine, or all */
  readonly languages?: readonly string[] | undefined
  /**
   * Whether these are the bundled engines. The log names their work alone, and a start waits for speech and diarization.
   * @default false
   */
  readonly isBundled?: boolean
}

/** Options of {@link EnginePool}. */
export interface PoolOptions {
  readonly clock: Clock
  readonly log: Log
  /** Records a span of each piece of work. */
  readonly tracer: Tracer
  /** Folder for files that engines can make again. @default none is stored */
  readonly cacheDir?: string
}

/** A member as the pool starts and ends it. */
interface Managed extends Pick<NamedEngineState, 'port'> {
  readonly entry: PoolEntry
  readonly supervisor: Pick<EngineSupervisor<never>, 'start' | 'close' | 'lose' | 'recheck'>
}

/** Makes an engine. */
interface Driver<Engine> {
  readonly name: string
  create(options: DriverOptions): Promise<Engine>
}

/** An engine of an entry: supervised, and its work counted. */
interface Member<Engine extends { close(): Promise<void> }> extends Pick<NamedEngineState, 'port' | 'state'> {
  readonly entry: PoolEntry
  /** Name of the driver. */
  readonly name: string
  readonly work: { -readonly [Name in keyof EngineWork]: EngineWork[Name] }
  readonly supervisor: EngineSupervisor<Engine>
  readonly trust: Trust
}

/**
 * The engines of a service as one for each port. A supervisor creates and probes each engine. Its work is counted, for
 * metrics, spans and {@link EngineHooks}; probes are not.
 */
export class EnginePool {
  readonly speech: ServedSpeech
  readonly recognition: ServedRecognition
  readonly diarization: ServedDiarization
  /** The state of each port: up while one of its engines is. */
  readonly states: Readonly<Record<EngineName, EngineState>>
  /** The state and the work of each engine. Empty without a file of engines. */
  readonly named: readonly NamedEngineState[]
  readonly #options: PoolOptions
  readonly #members: readonly Managed[]
  readonly #hooks: EngineHooks[] = []
  /** Whether hooks learn of the work: only with a file of engines. */
  readonly #isTold: boolean
  #starting: Promise<unknown> = Promise.resolve()

  /** Nothing starts yet. @param entries The first choice first */
  constructor(entries: readonly PoolEntry[], options: PoolOptions) {
    this.#options = options
    this.#isTold = entries.some(({ isBundled }) => isBundled !== true)
    const speech = entries.flatMap((entry) => this.#member(entry, 'speech', entry.parts.speech, probeSpeech))
    const recognition = entries.flatMap((entry) =>
      this.#member(entry, 'recognition', entry.parts.recognition, (engine, signal) =>
        engine.recognize(spokenWord(), { signal }),
      ),
    )
    const diarization = entries.flatMap((entry) =>
      this.#member(entry, 'diarization', entry.parts.diarization, (engine, signal) =>
        engine.diarize(spokenWord(), { signal }),
      ),
    )
    this.speech = this.#serveSpeech(speech)
    this.recognition = this.#serveRecognition(recognition)
    this.diarization = {
      diarize: async (pcm, { client, ...given } = {}) =>
        diarize(this.#work(requireUp('diarization', diarization), client), pcm, given),
    }
    this.states = { speech: anyOf(speech), recognition: anyOf(recognition), diarization: anyOf(diarization) }
    const all = entries.flatMap((entry) =>
      [speech, recognition, diarization].flatMap((of) => of.filter((one) => one.entry === entry)),
    )
    this.named = this.#isTold ? all.map(({ entry: { name }, port, state, work }) => ({ name, port, state, work })) : []
    this.#members = all
  }

  /** Adds hooks for the life of the service. */
  addHooks(hooks: EngineHooks): void {
    this.#hooks.push(hooks)
  }

  /**
   * Starts every engine. Resolves after the first probe of bundled speech and diarization: the bundled recognizer loads
   * for seconds, and a server of the file may load its model for minutes. An engine that fails is retried until it works.
   */
  async start(): Promise<void> {
    const starts = this.#members.map(({ entry, port, supervisor }) => ({
      started: supervisor.start(),
      isAwaited: entry.isBundled === true && port !== 'recognition',
    }))
    this.#starting = Promise.all(starts.map(({ started }) => started))
    await Promise.all(starts.flatMap(({ started, isAwaited }) => (isAwaited ? [started] : [])))
  }

  /** Stops the retries and closes every engine. */
  async close(): Promise<void> {
    await Promise.all([...this.#members.map(({ supervisor }) => supervisor.close()), this.#starting])
  }

  #member<Engine extends { close(): Promise<void> }>(
    entry: PoolEntry,
    port: EngineName,
    driver: Driver<Engine> | undefined,
    probe: (engine: Engine, signal: AbortSignal) => Promise<unknown>,
  ): Member<Engine>[] {
    if (driver === undefined) return []
    const { clock, log, cacheDir } = this.#options
    const label = entry.isBundled === true ? port : `${entry.name} ${port}`
    const supervisor = new EngineSupervisor<Engine>({
      name: port,
      label,
      create: (signal) => driver.create({ workers: entry.workers[port], cacheDir, signal }),
      probe,
      siblings: () =>
        this.#members.flatMap((one) => (one.entry === entry && one.port !== port ? [one.supervisor] : [])),
      clock,
      log,
    })
    const trust = new Trust({ label, clock, log })
    const state: EngineState = {
      get up() {
        return supervisor.up
      },
      get retryAfterSeconds() {
        return supervisor.retryAfterSeconds
      },
      get isDoubted() {
        return trust.isDoubted
      },
    }
    return [{ entry, port, name: driver.name, state, work: { seconds: 0, failures: 0 }, supervisor, trust }]
  }

  #serveSpeech(members: readonly Member<SpeechEngine>[]): ServedSpeech {
    const voices = (): readonly ServedVoice[] => {
      const [only] = members
      if (only !== undefined && members.length === 1) return voicesOf(only)
      return firstOfEachId(members.flatMap((one) => voicesOf(one).map((voice) => servedBy(one, voice))))
    }
    return {
      get voices() {
        return voices()
      },
      get bases() {
        return firstOfEachId(members.flatMap((one) => voicesOf(one).filter(({ traits }) => traits !== undefined)))
      },
      synthesize: async (given, { client, ...options } = {}) => {
        const isBuiltIn = members.some((one) => voicesOf(one).some(({ id }) => id === given.voiceId))
        const request = isBuiltIn ? given : await this.#inOwnVoice(given)
        const member = chooseSpeaker(members, request)
        return synthesize(this.#work(member, client, request.text), request, options)
      },
    }
  }

  /** A tenant's own voice is a changed voice of an engine. */
  async #inOwnVoice(request: SynthesisRequest): Promise<SynthesisRequest> {
    const [find] = this.#hooks.flatMap(({ ownVoice }) => ownVoice ?? [])
    if (find === undefined) return request
    const { base, ...manner } = await find(request.voiceId)
    return { ...request, voiceId: base, manner }
  }

  #serveRecognition(members: readonly Member<RecognitionEngine>[]): ServedRecognition {
    const { language, languages } = languagesOfAll(members)
    return {
      language,
      languages,
      featuresFor: (options) => chooseRecognizer(members, options).entry.parts.recognition?.features ?? [],
      recognize: async (pcm, { client, ...options } = {}) =>
        recognize(this.#work(chooseRecognizer(members, options), client), pcm, options),
    }
  }

  /**
   * Follows a piece of work of an engine. A failure is an error of the engine: aborts and texts that nobody can speak are
   * none. Speech counts as it is read, a recording when it was heard to its end.
   */
  #work<Engine extends { close(): Promise<void> }>(
    { entry, port, name, work, supervisor, trust }: Member<Engine>,
    client: EngineClient | undefined,
    text: string = '',
  ): EngineWorkHooks<Engine> {
    const { tracer } = this.#options
    const hooks = client !== undefined && this.#isTold ? this.#hooks : []
    const used = { engine: entry.name, port }
    const isSpeech = port === 'speech'
    // Speech begins with its first read, where another span may be the current one.
    const parent = tracer.current()
    let phase: 'accepted' | 'begun' | 'ended' = 'accepted'
    let span: Span | undefined
    let seconds = 0
    const { length: characters } = text
    const fingerprint = new Fingerprint()
    fingerprint.add(text)
    let settle: ReturnType<Trust['begin']> | undefined
    const settled = (error?: unknown): void => settle?.(fingerprint.value, error)
    const step = async <T>(run: () => Promise<T>): Promise<T> => {
      try {
        return await (span === undefined ? run() : span.run(run))
      } catch (error) {
        if (isEngineFailure(error)) work.failures += 1
        settle ??= trust.begin()
        settled(error)
        throw error
      }
    }
    return {
      use: (call) => step(() => supervisor.use(call)),
      read: (next) => step(() => supervisor.watch(next)),
      onBegin() {
        phase = 'begun'
        settle = trust.begin()
        const attributes = { 'svc_audio.engine': name, ...(isSpeech ? { 'svc_audio.characters': characters } : {}) }
        const options = { kind: 'internal', attributes, ...(isSpeech ? { parent } : {}) } as const
        if (!isSpeech || parent.traceparent !== undefined) span = tracer.start(`${port} engine`, options)
        if (client !== undefined) for (const hook of hooks) hook.begun?.(used, client)
      },
      onSound: (pcm) => fingerprint.add(pcm),
      onAudio(more) {
        seconds += more
        if (isSpeech) work.seconds += more
      },
      onEnd(error, recordingSeconds) {
        if (phase !== 'begun') return
        phase = 'ended'
        settled(error)
        if (recordingSeconds !== undefined) {
          work.seconds += recordingSeconds
          span?.set('svc_audio.recording.seconds', recordingSeconds)
        }
        span?.end(error)
        if (client === undefined) return
        const use = { ...used, client, failed: isEngineFailure(error), characters, seconds }
        for (const hook of hooks) hook.ended?.(use)
      },
    }
  }
}

/** Speaks a word up to its first samples. An engine without voices has nothing to probe. */
async function probeSpeech(engine: SpeechEngine, signal: AbortSignal): Promise<void> {
  const voiceId = engine.probeVoiceId ?? engine.voices[0]?.id
  if (voiceId === undefined) return
  const { chunks } = await engine.synthesize({ text: 'Yes.', voiceId }, { signal })
  for await (const chunk of chunks) if (chunk.length > 0) return
}

/** The voices of an engine, or those that its driver knows before it is created. */
function voicesOf({ supervisor, entry }: Member<SpeechEngine>): readonly EngineVoice[] {
  return supervisor.engine?.voices ?? entry.parts.speech?.voices ?? []
}

function servedBy({ name: engine, state: { up: isUp } }: Member<SpeechEngine>, voice: EngineVoice): ServedVoice {
  return { ...voice, engine, isUp }
}

/** Of the voices with one id, the first is listed. It works while one of them does. */
function firstOfEachId(voices: readonly ServedVoice[]): ServedVoice[] {
  const first = new Map<string, ServedVoice>()
  for (const voice of voices) {
    const listed = first.get(voice.id)
    if (listed === undefined) first.set(voice.id, voice)
    else if (listed.isUp === false && voice.isUp === true) first.set(voice.id, { ...listed, isUp: true })
  }
  return [...first.values()]
}

/**
 * Chooses by the voice: of two voices with one id, the first whose engine is up counts. A voice that was built on another
 * needs an engine that can change that one. A single engine refuses unknown voices itself.
 */
function chooseSpeaker(
  members: readonly Member<SpeechEngine>[],
  { voiceId, manner }: SynthesisRequest,
): Member<SpeechEngine> {
  const speaks = ({ id, traits }: EngineVoice): boolean =>
    id === voiceId && (manner === undefined || traits !== undefined)
  const [only] = members
  const able = members.filter((one) => voicesOf(one).some(speaks))
  const member = members.length === 1 ? only : (firstUp(able) ?? able[0])
  if (member === undefined) throw new RangeError(`No engine has the voice ${JSON.stringify(voiceId)}`)
  return member
}

/**
 * Refuses work whose engine is down.
 * @param engine The engine that all work of its kind needs.
 * @param request The request. With `diarize`, the work needs the diarizer too.
 * @throws EngineUnavailableError
 */
export function requireEngines(
  engine: EngineName,
  { diarize: isDiarized }: { readonly diarize?: unknown },
  states: Readonly<Record<EngineName, EngineState>>,
): void {
  const needed: readonly EngineName[] = isDiarized === true ? [engine, 'diarization'] : [engine]
  for (const name of needed) {
    const { up, retryAfterSeconds } = states[name]
    if (!up) throw new EngineUnavailableError(name, retryAfterSeconds)
  }
}
