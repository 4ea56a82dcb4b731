import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { UploadSource } from '@svc-audio/core'
import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import { type OpenAudio, openingLine } from './open-audio.ts'
import { findRecordings, type Recording, recordMicrophone, sameName } from './recordings.ts'
import { clockTime, describeError, isThere, Progress, type Terminal, UsageError } from './terminal.ts'

/** What a command needs of its process. */
export interface Surroundings {
  /** Opens the service or the bundled engines. Called after all checks of the command line. */
  readonly open: () => Promise<OpenAudio>
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its streams. */
  readonly terminal: Terminal
  /** Ends the work. */
  readonly signal: AbortSignal
}

/** Options of {@link transcribe}, checked. */
export interface TranscribeOptions {
  /** Arguments: files, folders, patterns or `-`. */
  readonly files: readonly string[]
  /** Formats of the results. None stands for text. */
  readonly formats: readonly Format[]
  /** Whether it is told who speaks. */
  readonly speakers: boolean
  /** Folder of the results. `undefined` for standard output. */
  readonly out: string | undefined
  /** Whether files that exist are replaced. */
  readonly force: boolean
  /** Names and terms that are said. */
  readonly keyterms: readonly string[]
  /** Whether the microphone is recorded. */
  readonly mic: boolean
}

/** A format of a transcript: its option and the extension of its file. */
export const FORMATS: readonly ['txt', 'srt', 'vtt', 'json', 'md'] = ['txt', 'srt', 'vtt', 'json', 'md']

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number]

interface Segment {
  readonly speaker?: string | undefined
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Transcript {
  readonly text: string
  readonly segments: readonly Segment[]
}

/**
 * Transcribes recordings. A recording that fails is told, and the others continue.
 * @returns the exit code: 1 if a recording failed
 * @throws UsageError before anything is spent
 */
export async function transcribe(options: TranscribeOptions, surroundings: Surroundings): Promise<number> {
  const { terminal, signal, env } = surroundings
  const progress = new Progress(terminal.stderr)
  const { files, mic } = options
  if (!mic && files.length === 0) throw new UsageError('Name a recording, e.g. svc-audio transcribe talk.mp4')
  if (mic && files.length > 0) throw new UsageError('--mic records: leave out the files')
  const named = await findRecordings(files, terminal.stdin)
  await checkResults(mic ? [{ label: 'microphone', name: 'microphone', source: '-' }] : named, options)
  const temporary = mic ? await mkdtemp(join(tmpdir(), 'svc-audio-')) : undefined
  try {
    const recordings =
      temporary === undefined
        ? named
        : [await recordMicrophone(temporary, { stdin: terminal.stdin, progress, signal }, env)]
    progress.show(openingLine(env))
    await using audio = await surroundings.open()
    const failed = await new Transcribing(audio, { options, surroundings, progress }).all(recordings)
    return failed === 0 ? 0 : 1
  } finally {
    progress.clear()
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
}

/** The recordings of one command line, on their way to their results. */
class Transcribing {
  readonly #client: OpenAudio['client']
  readonly #options: TranscribeOptions
  readonly #progress: Progress
  readonly #signal: AbortSignal
  readonly #stdout: Terminal['stdout']

  constructor(
    { client }: OpenAudio,
    given: { readonly options: TranscribeOptions; readonly surroundings: Surroundings; readonly progress: Progress },
  ) {
    this.#client = client
    this.#options = given.options
    this.#progress = given.progress
    this.#signal = given.surroundings.signal
    this.#stdout = given.surroundings.terminal.stdout
  }

  /**
   * Transcribes them, several at a time if each has a file of its own.
   * @returns how many failed
   */
  async all(recordings: readonly Recording[]): Promise<number> {
    const { out } = this.#options
    const waiting = [...recordings]
    let failed = 0
    const next = async (): Promise<void> => {
      for (let recording = waiting.shift(); recording !== undefined; recording = waiting.shift()) {
        try {
          if (out === undefined) await this.#print(recording, recordings.length > 1)
          else
            this.#progress.say(
              (await save(recording, await this.#measure(recording), { ...this.#options, out })).join('\n'),
            )
        } catch (error) {
          this.#signal.throwIfAborted()
          failed += 1
          this.#progress.say(`${recording.label}: ${describeError(error)}`)
        }
      }
    }
    const atOnce = out === undefined ? 1 : availableParallelism()
    await Promise.all(Array.from({ length: Math.min(atOnce, recordings.length) }, next))
    return failed
  }

  async #print(recording: Recording, isOneOfMany: boolean): Promise<void> {
    const [format] = formatsOf(this.#options)
    if (isOneOfMany) this.#stdout.write(`== ${recording.label}\n`)
    if (format === 'txt' && !this.#options.speakers) await this.#printLive(recording)
    else this.#stdout.write(render(format, recording.label, await this.#measure(recording), this.#options.speakers))
  }

  /** Text goes to standard output while it is recognized. */
  async #printLive(recording: Recording): Promise<void> {
    this.#progress.show(`${recording.label} …`)
    const body = { ...bodyOf(recording, this.#options), diarize: false }
    const stream = await this.#client.transcriptions.stream(body, { signal: this.#signal })
    let isEmpty = true
    for await (const delta of stream.deltas()) {
      this.#progress.clear()
      this.#stdout.write(isEmpty ? delta.trimStart() : delta)
      isEmpty = false
    }
    if (isEmpty) this.#progress.say(noSpeech(recording))
    else this.#stdout.write('\n')
  }

  /** A transcript with times. Shows the time that passes: a task does not tell how far it is. */
  async #measure(recording: Recording): Promise<Transcript> {
    const begin = Date.now()
    const show = (): void => this.#progress.show(`${recording.label} … ${clockTime((Date.now() - begin) / 1000)}`)
    show()
    const clock = setInterval(show, 1000)
    try {
      // Without speakers, the service answers no segments and no times.
      const body = { ...bodyOf(recording, this.#options), diarize: true }
      const { text, segments = [] } = await this.#client.transcriptions.createAndWait(body, { signal: this.#signal })
      if (text.trim() === '') this.#progress.say(noSpeech(recording))
      return { text, segments }
    } finally {
      clearInterval(clock)
      this.#progress.clear()
    }
  }
}

/** The formats of a command line. Text if none is named. */
function formatsOf({ formats }: TranscribeOptions): readonly [Format, ...Format[]] {
  const [first = 'txt', ...others] = formats
  return [first, ...others]
}

/** @throws UsageError if the results have no place, or would replace a file */
async function checkResults(recordings: readonly Recording[], options: TranscribeOptions): Promise<void> {
  const { out, force, speakers } = options
  const formats = formatsOf(options)
  const results = Math.max(1, recordings.length) * formats.length
  const isText = formats.length === 1 && formats[0] === 'txt' && !speakers
  if (out === undefined) {
    if (results > 1 && !isText) {
      throw new UsageError(`These are ${results} results, and standard output takes one: add --out DIR`)
    }
    return
  }
  const same = sameName(recordings)
  if (same !== undefined) {
    const [first, second] = same.map(({ label }) => label)
    throw new UsageError(`${first} and ${second} would write the same file: transcribe them into two folders`)
  }
  if (force) return
  for (const path of recordings.flatMap((recording) => pathsOf(recording, formats, out))) {
    if (await isThere(path)) throw new UsageError(`${path} exists: add --force to replace it, or choose another --out`)
  }
}

function pathsOf({ name }: Recording, formats: readonly Format[], out: string): readonly string[] {
  return formats.map((format) => join(out, `${name}.${format}`))
}

function noSpeech({ label }: Recording): string {
  return `${label}: no speech was found`
}

/** Only this model has the times of segments, and streams. */
const MODEL = 'svc-transcribe-diarize-pro'

interface Body {
  readonly model: typeof MODEL
  readonly file: UploadSource
  readonly keyterms?: readonly string[]
}

function bodyOf({ source, name }: Recording, { keyterms }: TranscribeOptions): Body {
  const file = typeof source === 'string' ? source : { data: Readable.from(source), name }
  return { model: MODEL, file, ...(keyterms.length === 0 ? {} : { keyterms }) }
}

async function save(
  recording: Recording,
  transcript: Transcript,
  options: TranscribeOptions & { readonly out: string },
): Promise<readonly string[]> {
  const { out, force, speakers } = options
  await mkdir(out, { recursive: true })
  const formats = formatsOf(options)
  const paths = pathsOf(recording, formats, out)
  for (const [index, path] of paths.entries()) {
    const content = render(formats[index] ?? 'txt', recording.label, transcript, speakers)
    // Another program may have made it since the check.
    await writeFile(path, content, { flag: force ? 'w' : 'wx' })
  }
  return paths
}

/**
 * A transcript in a format. Turns have names if it was asked who speaks, and there are several people.
 * @param label Title of the minutes
 */
export function render(format: Format, label: string, { text, segments }: Transcript, speakers: boolean): string {
  const names = speakers && new Set(segments.map(({ speaker }) => speaker)).size > 1
  if (format === 'srt') return toSrt({ text, segments }, { speakers: names })
  if (format === 'vtt') return toVtt({ text, segments }, { speakers: names })
  const turns = segments.map(({ speaker, start, end, text: said }) => ({
    ...(names && speaker !== undefined ? { speaker } : {}),
    start,
    end,
    text: said,
  }))
  if (format === 'json') return `${JSON.stringify({ file: label, text, segments: turns }, undefined, 2)}\n`
  if (format === 'md') {
    const lines = turns.map(
      ({ speaker, start, text: said }) =>
        `${speaker === undefined ? '' : `**${speaker}** `}[${clockTime(start)}] ${said}\n`,
    )
    return `# ${label}\n\n${lines.join('\n')}`
  }
  if (!names) return `${text}\n`
  return turns.map(({ speaker, text: said }) => `${speaker === undefined ? '' : `${speaker}: `}${said}\n`).join('')
}
