import type {
  DiarizationDriver,
  DiarizationEngine,
  DriverOptions,
  RecognitionDriver,
  RecognitionEngine,
  SpeechDriver,
  SpeechEngine,
} from '@svc-audio/engine-ports'
import type { Clock } from './domain/clock.ts'
import type { FileEngine } from './engines-file/file-engines.ts'
import type {
  EngineName,
  EngineUseListener,
  EngineWork,
  NamedEngineState,
  ServedDiarization,
  ServedSpeech,
} from './ports/engine-state.ts'
import type { Tracer } from './ports/tracer.ts'
import type { Log } from './services.ts'
import {
  countedDiarization,
  countedRecognition,
  countedSpeech,
  WorkCount,
} from './use-cases/engines/counted-engines.ts'
import { EngineSupervisor, type SupervisedEngineOptions } from './use-cases/engines/engine-supervisor.ts'
import { probeSpeech, silence } from './use-cases/engines/probes.ts'
import type { RankedEngine, RankedRecognizer } from './use-cases/engines/routed-engines.ts'
import {
  supervisedDiarization,
  supervisedRecognition,
  supervisedSpeech,
} from './use-cases/engines/supervised-engines.ts'

/** Options of {@link superviseEntry}. */
export interface SuperviseOptions {
  readonly clock: Clock
  readonly log: Log
  /** Folder for files that engines can make again. */
  readonly cacheDir: string
  readonly tracer: Tracer
  /** Whether the log and messages name the work alone, as `speech`. @default false, they name the entry too */
  readonly isBundled?: boolean
  /** Learns what the engine does for clients. @default nobody does */
  readonly uses?: EngineUseListener | undefined
}

/** The parts of an entry, each with a supervisor. */
export interface SupervisedEntry {
  readonly speech: (RankedEngine<ServedSpeech> & Supervised) | undefined
  readonly recognition: (RankedRecognizer & Supervised) | undefined
  readonly diarization: (RankedEngine<ServedDiarization> & Supervised) | undefined
  readonly states: readonly NamedEngineState[]
  close(): Promise<void>
}

interface Supervised {
  readonly work: EngineWork
  readonly supervisor: { start(): Promise<void>; close(): Promise<void> }
}

/**
 * Creates a supervisor for each part of an entry. Nothing starts yet.
 * @param workers Requests at the same time. @default `atOnce` of the entry
 */
export function superviseEntry(
  { name, parts, atOnce, models, languages }: Pick<FileEngine, 'name' | 'parts' | 'atOnce' | 'models' | 'languages'>,
  { clock, log, cacheDir, tracer, isBundled = false, uses }: SuperviseOptions,
  workers: Readonly<Record<EngineName, number>> = { speech: atOnce, recognition: atOnce, diarization: atOnce },
): SupervisedEntry {
  const common = (port: EngineName): Common => ({
    name: port,
    label: isBundled ? port : `${name} ${port}`,
    clock,
    log,
    work: new WorkCount({ used: { engine: name, port }, listener: uses, tracer }),
  })
  const given = (port: EngineName): Given => ({ workers: workers[port], cacheDir })
  const { speech, recognition, diarization } = parts
  const entry = {
    speech: speech && overSpeech(speech, common('speech'), given('speech')),
    recognition: recognition && {
      ...overRecognition(recognition, common('recognition'), given('recognition')),
      models,
      languages,
    },
    diarization: diarization && overDiarization(diarization, common('diarization'), given('diarization')),
  }
  const states = (['speech', 'recognition', 'diarization'] as const).flatMap((port): NamedEngineState[] => {
    const part = entry[port]
    return part === undefined ? [] : [{ name, port, state: part.state, work: part.work }]
  })
  return {
    ...entry,
    states,
    async close() {
      await Promise.all(
        [entry.speech, entry.recognition, entry.diarization].map(async (part) => part?.supervisor.close()),
      )
    },
  }
}

type Common = Pick<SupervisedEngineOptions<SpeechEngine>, 'name' | 'label' | 'clock' | 'log'> & {
  readonly work: WorkCount
}
type Given = Omit<DriverOptions, 'signal'>

function overSpeech(
  driver: SpeechDriver,
  { work, ...common }: Common,
  given: Given,
): RankedEngine<ServedSpeech> & Supervised {
  let made: SpeechEngine | undefined
  const supervisor = new EngineSupervisor({
    ...common,
    create: async (signal) => {
      made = await driver.create({ ...given, signal })
      return made
    },
    probe: probeSpeech,
  })
  const known = {
    name: driver.name,
    get voices() {
      return made?.voices ?? driver.voices
    },
  }
  const engine = countedSpeech(supervisedSpeech(supervisor, known), work)
  return { engine, state: supervisor, supervisor, work }
}

function overRecognition(
  driver: RecognitionDriver,
  { work, ...common }: Common,
  given: Given,
): RankedRecognizer & Supervised {
  const supervisor = new EngineSupervisor({
    ...common,
    create: (signal) => driver.create({ ...given, signal }),
    probe: (engine: RecognitionEngine, signal) => engine.recognize(silence(), { signal }),
  })
  const { name, language, languages } = driver
  const engine = countedRecognition(supervisedRecognition(supervisor, { name, language, languages }), work)
  return { engine, state: supervisor, supervisor, work }
}

function overDiarization(
  driver: DiarizationDriver,
  { work, ...common }: Common,
  given: Given,
): RankedEngine<ServedDiarization> & Supervised {
  const supervisor = new EngineSupervisor({
    ...common,
    create: (signal) => driver.create({ ...given, signal }),
    probe: (engine: DiarizationEngine, signal) => engine.diarize(silence(), { signal }),
  })
  const engine = countedDiarization(supervisedDiarization(supervisor, { name: driver.name }), work)
  return { engine, state: supervisor, supervisor, work }
}
