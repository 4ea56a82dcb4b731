import type { RecognitionDriver, SpeechDriver } from '@svc-audio/engine-ports'
import { createFliteEngine } from '@svc-audio/engines'
import type { FileEngine } from '../engines-file/engines.ts'
import type { ServiceOptions } from '../service-options.ts'
import type { Finding } from './doctor-check.ts'
import { enginesOfFile } from './engines-of-file.ts'
import { jsonText, type ListFormat, table } from './list-format.ts'

/** A sentence that every engine can say. */
const PHRASE = 'The train to the coast leaves at seven in the morning.'

/** Longest trial of an engine, in milliseconds: a server may load its model first. */
const TRIAL_MS = 180_000

/** What an engine of the file did with a sentence. */
export interface EngineTrial {
  readonly name: string
  readonly driver: string
  readonly engine: 'speech' | 'recognition' | 'diarization'
  readonly works: boolean
  /** Why it does not work, or what it did. */
  readonly about: string
  readonly voices?: readonly { readonly id: string; readonly name: string; readonly language: string }[]
  /** Seconds to the first audio. */
  readonly firstAudioSeconds?: number
  /** Seconds of work for a second of audio. */
  readonly realTimeFactor?: number
  /** What is wrong with an engine that works. */
  readonly warning?: string
}

/** Tries each engine of the file with a sentence, which is billed where the engine is. @throws UsageError */
export async function tryEngines(options: ServiceOptions): Promise<EngineTrial[]> {
  const engines = await enginesOfFile(options)
  const trials: EngineTrial[] = []
  for (const entry of engines) {
    try {
      trials.push(...(await tryEntry(entry)))
    } finally {
      await entry.parts.close?.()
    }
  }
  return trials
}

/** {@link tryEngines} as a table, or as JSON with the voices, and whether every engine works. */
export async function listEngines(
  options: ServiceOptions,
  { json = false }: ListFormat,
): Promise<{ readonly list: string; readonly works: boolean }> {
  const trials = await tryEngines(options)
  return { list: json ? jsonText(trials) : tableOf(trials), works: trials.every(({ works }) => works) }
}

function tableOf(trials: readonly EngineTrial[]): string {
  const rows = trials.map(({ name, driver, engine, works, voices, firstAudioSeconds, realTimeFactor, about }) => [
    name,
    driver,
    engine,
    works ? 'works' : 'fails',
    voices === undefined ? '' : String(voices.length),
    seconds(firstAudioSeconds),
    realTimeFactor?.toFixed(2) ?? '',
    about,
  ])
  const warnings = trials.flatMap(({ warning }) => (warning === undefined ? [] : [`${warning}\n`]))
  const head = ['NAME', 'DRIVER', 'ENGINE', 'STATE', 'VOICES', 'FIRST AUDIO', 'REAL TIME', 'ABOUT']
  return `${table([head, ...rows])}${warnings.length === 0 ? '' : `\n${warnings.join('')}`}`
}

/** Warns of an engine that does not keep up. @param factor Seconds of work for a second of audio. */
export function speedWarning(
  name: string,
  engine: EngineTrial['engine'],
  factor: number | undefined,
): string | undefined {
  if (factor === undefined || factor <= 1) return undefined
  const happens = engine === 'speech' ? 'a listener waits for its words' : 'long recordings wait for each other'
  return `${name} needs ${factor.toFixed(1)} s for a second of audio, and ${happens}: choose a smaller model or a machine with more cores (which-engine.md)`
}

/** The check of `doctor`: a line for each engine. */
export async function checkEngines(options: ServiceOptions): Promise<Finding[]> {
  const trials = await tryEngines(options)
  return trials.map(({ name, engine, works, about, realTimeFactor, firstAudioSeconds, warning }) => {
    const figures = [
      ...(firstAudioSeconds === undefined ? [] : [`first audio after ${seconds(firstAudioSeconds)}`]),
      ...(realTimeFactor === undefined ? [] : [`${realTimeFactor.toFixed(2)} s of work a second`]),
    ]
    const level = works ? (warning === undefined ? 'ok' : 'warn') : 'fail'
    return {
      level,
      name: `${name} ${engine}`,
      text: [about, ...figures, ...(warning === undefined ? [] : [warning])].join(', '),
    }
  })
}

async function tryEntry({ name, driver, parts, atOnce }: FileEngine): Promise<EngineTrial[]> {
  const { speech, recognition, diarization } = parts
  const trials: EngineTrial[] = []
  const options = { signal: AbortSignal.timeout(TRIAL_MS), workers: atOnce }
  const add = async (engine: EngineTrial['engine'], run: () => Promise<Partial<EngineTrial> & { about: string }>) => {
    const outcome = await run().then(
      (result) => ({ works: true, ...result }),
      (error: unknown) => ({ works: false, about: error instanceof Error ? error.message : String(error) }),
    )
    const warning = 'realTimeFactor' in outcome ? speedWarning(name, engine, outcome.realTimeFactor) : undefined
    trials.push({ name, driver, engine, ...outcome, ...(warning !== undefined && { warning }) })
  }
  if (speech !== undefined) await add('speech', () => trySpeech(speech, options))
  if (recognition !== undefined) await add('recognition', () => tryRecognition(recognition, options))
  if (diarization !== undefined) {
    await add('diarization', async () => {
      const engine = await diarization.create(options)
      try {
        const { segments } = await engine.diarize(once(await bundledSpeech()), { signal: options.signal })
        const speakers = new Set(segments.map(({ speaker }) => speaker)).size
        if (speakers === 0) throw new Error('it heard no speaker in a spoken sentence')
        return { about: `heard ${speakers} ${speakers === 1 ? 'speaker' : 'speakers'} in a sentence` }
      } finally {
        await engine.close()
      }
    })
  }
  return trials
}

type TrialOptions = Parameters<SpeechDriver['create']>[0]

async function trySpeech(
  driver: SpeechDriver,
  options: TrialOptions,
): Promise<Partial<EngineTrial> & { about: string }> {
  const engine = await driver.create(options)
  try {
    const [voice] = engine.voices
    if (voice === undefined) throw new Error('it has no voice')
    const started = performance.now()
    const { format, chunks } = await engine.synthesize({ text: PHRASE, voiceId: voice.id }, { signal: options.signal })
    let [bytes, first] = [0, 0]
    for await (const chunk of chunks) {
      if (bytes === 0) first = performance.now() - started
      bytes += chunk.length
    }
    if (bytes === 0) throw new Error('it spoke no sound')
    const audio = bytes / format.sampleRate / 2 / format.channels
    return {
      about: `${voice.id} spoke ${audio.toFixed(1)} s`,
      voices: engine.voices.map(({ id, name, language }) => ({ id, name, language })),
      firstAudioSeconds: first / 1000,
      realTimeFactor: (performance.now() - started) / 1000 / audio,
    }
  } finally {
    await engine.close()
  }
}

async function tryRecognition(
  driver: RecognitionDriver,
  options: TrialOptions,
): Promise<Partial<EngineTrial> & { about: string }> {
  const pcm = await bundledSpeech()
  const engine = await driver.create(options)
  try {
    const started = performance.now()
    const { text, words, durationSeconds } = await engine.recognize(once(pcm), { signal: options.signal })
    if (text === '') throw new Error('it heard nothing in a spoken sentence')
    const times = words.length > 0 ? 'with times of words' : 'without times of words'
    const realTimeFactor = (performance.now() - started) / 1000 / durationSeconds
    return { about: `heard ${JSON.stringify(text)}, ${times}`, realTimeFactor }
  } finally {
    await engine.close()
  }
}

/** The sentence of the bundled voice: recognizers read its PCM as it is. */
async function bundledSpeech(): Promise<Uint8Array> {
  const engine = await createFliteEngine({ workers: 1 })
  try {
    const { chunks } = await engine.synthesize({ text: PHRASE, voiceId: engine.voices[0]?.id ?? '' })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts)
  } finally {
    await engine.close()
  }
}

async function* once(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  yield pcm
}

function seconds(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(2)} s`
}
