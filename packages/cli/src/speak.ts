import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { ApiError, TaskFailedError } from '@svc-audio/core'
import { readAdts, readMp3 } from '@svc-audio/core/adapter'
import { wavStream } from '@svc-audio/core/audio'
import { narratePlainText, splitText } from '@svc-audio/core/text'
import { readHtml, readMarkdown, readPlainText } from '@svc-audio/text'
import { AUDIO_FORMATS } from './commands.ts'
import { type OpenAudio, openingLine } from './open-audio.ts'
import { findPlayer, playWav } from './programs.ts'
import { clockTime, drained, isThere, Progress, UsageError } from './terminal.ts'
import type { Surroundings } from './transcribe.ts'

/** Options of {@link speak}. */
export interface SpeakOptions {
  /** A file, a text in one or more words, or `-`. */
  readonly words: readonly string[]
  /** Id of the voice. `undefined` for joe, or the first voice of the service. */
  readonly voice: string | undefined
  /** Audio file, `-` for standard output, `undefined` for the loudspeaker. */
  readonly out: string | undefined
  /** Whether a file that exists is replaced. */
  readonly force: boolean
}

const MODEL = 'svc-tts-1.5-flash'
const DEFAULT_VOICE = 'joe'

/**
 * Speaks a text.
 * @returns the exit code
 * @throws UsageError before anything is spent
 */
export async function speak({ words, voice, out, force }: SpeakOptions, surroundings: Surroundings): Promise<number> {
  const { terminal, signal, env } = surroundings
  const progress = new Progress(terminal.stderr)
  const format = await checkTarget(out, { force, isTerminal: terminal.stdout.isTTY === true })
  const input = await readText(words, terminal.stdin)
  const target = out ?? (await findPlayer(env))
  if (input.trim() === '') throw new UsageError('The text has nothing to speak')
  try {
    progress.show(openingLine(env))
    await using audio = await surroundings.open()
    const { client } = audio
    const voice_id = voice ?? (await chooseVoice(client, signal))
    progress.show(`${voice_id} speaks …`)
    if (typeof target === 'string' && format !== 'wav') {
      const bytes = joined(await speakParts({ client, signal, voice_id, format }, input), format)
      await writeWhole(target, bytes, force)
      progress.say(`${target}  ${size(bytes.byteLength)}`)
      return 0
    }
    // Sentence by sentence: a text may have any length.
    const narration = await narratePlainText(client, { model: MODEL, input, voice_id }, { signal })
    if (typeof target !== 'string') {
      progress.show(`${voice_id} speaks: Ctrl+C ends it`)
      await playWav(target, wavStream(narration.format, narration[Symbol.asyncIterator]()), signal)
    } else if (target === '-') {
      for await (const chunk of wavStream(narration.format, narration[Symbol.asyncIterator]())) {
        if (!terminal.stdout.write(chunk)) await drained(terminal.stdout)
      }
    } else {
      const { bytes, durationSeconds } = await narration.saveTo(target)
      progress.say(`${target}  ${clockTime(durationSeconds)}  ${size(bytes)}`)
    }
    return 0
  } finally {
    progress.clear()
  }
}

/** How a text becomes files. */
interface Speaking {
  readonly client: OpenAudio['client']
  readonly signal: AbortSignal
  readonly voice_id: string
  readonly format: Exclude<(typeof AUDIO_FORMATS)[number], 'wav'>
}

/** What a service says that takes shorter texts. It has not begun then. */
const TOO_LONG: ReadonlySet<string | undefined> = new Set(['input_too_long', 'output_too_long', 'request_too_large'])

/** Most of a refused text that one part may have: two parts then hold it, wherever sentences end. */
const PART = 0.6

/**
 * Speaks a text as a task. Of a text that the service refuses for its length, it speaks the parts.
 * @returns the files of the parts, in order
 * @throws UsageError if it is refused, and files of this format cannot be joined
 */
async function speakParts(speaking: Speaking, input: string): Promise<readonly Uint8Array[]> {
  const { client, signal, voice_id, format } = speaking
  try {
    const body = { model: MODEL, input, voice_id, response_format: format } as const
    const task = await client.speech.createAndWait(body, { signal })
    return [await (await client.download(task, { signal })).bytes()]
  } catch (error) {
    const isRefused = (ApiError.isInstance(error) || TaskFailedError.isInstance(error)) && TOO_LONG.has(error.code)
    const parts = isRefused ? splitText(input, { maxCharacters: Math.max(32, Math.ceil(PART * input.length)) }) : []
    if (parts.length < 2) throw error
    if (JOINS[format] === undefined) {
      const able = Object.keys(JOINS).map((name) => `.${name}`)
      throw new UsageError(
        `The service does not speak a text of this length at once, and .${format} cannot be joined: choose ${able.join(', ')} or .wav`,
        { cause: error },
      )
    }
    const files: Uint8Array[] = []
    for (const part of parts) files.push(...(await speakParts(speaking, part)))
    return files
  }
}

/** What of a file is sound, for the formats whose sound may follow other sound. */
const JOINS: Readonly<Partial<Record<Speaking['format'], (file: Uint8Array) => Uint8Array | undefined>>> = {
  // Without the frame that counts the frames of this part alone.
  mp3: (file) => {
    const content = readMp3(file)
    return content && Buffer.concat(content.frames.map(({ bytes }) => bytes))
  },
  aac: (file) => {
    const content = readAdts(file)
    return content && file.subarray(content.start, content.end)
  },
}

function joined([first, ...more]: readonly Uint8Array[], format: Speaking['format']): Uint8Array {
  if (first === undefined) throw new TypeError('There is nothing to join')
  if (more.length === 0) return first
  return Buffer.concat([first, ...more].map((file) => JOINS[format]?.(file) ?? file))
}

/** Writes a file that appears only when it is complete, as `saveTo()` does. */
async function writeWhole(path: string, bytes: Uint8Array, force: boolean): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`
  try {
    await writeFile(temporary, bytes)
    await requireFree(path, force)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** @throws UsageError if the service lists no voice */
async function chooseVoice(client: OpenAudio['client'], signal: AbortSignal): Promise<string> {
  const { data } = await client.voices.list({}, { signal })
  const chosen = data.find(({ id }) => id === DEFAULT_VOICE) ?? data[0]
  if (chosen === undefined) throw new UsageError('The service has no voice in its list: name one with --voice')
  return chosen.id
}

/**
 * The format of the target.
 * @throws UsageError if it cannot be written
 */
async function checkTarget(
  out: string | undefined,
  { force, isTerminal }: { readonly force: boolean; readonly isTerminal: boolean },
): Promise<(typeof AUDIO_FORMATS)[number]> {
  if (out === undefined) return 'wav'
  if (out === '-') {
    if (isTerminal) throw new UsageError('--out - writes audio: pipe it into a program')
    return 'wav'
  }
  const extension = extname(out).slice(1).toLowerCase()
  const format = AUDIO_FORMATS.find((known) => known === extension)
  if (format === undefined) {
    throw new UsageError(`--out ${out} must end with one of ${AUDIO_FORMATS.map((known) => `.${known}`).join(', ')}`)
  }
  const folder = await stat(dirname(out)).catch(() => undefined)
  if (folder?.isDirectory() !== true) throw new UsageError(`--out ${out}: the folder ${dirname(out)} does not exist`)
  await requireFree(out, force)
  return format
}

/** @throws UsageError for a file that exists, without `--force` */
async function requireFree(path: string, force: boolean): Promise<void> {
  if (!force && (await isThere(path))) throw new UsageError(`${path} exists: add --force to replace it`)
}

/**
 * The text as it is spoken.
 * @throws UsageError for a file that does not exist
 */
export async function readText(words: readonly string[], stdin: Surroundings['terminal']['stdin']): Promise<string> {
  const [first] = words
  if (first === undefined) throw new UsageError('Give a text or a file, e.g. svc-audio speak README.md')
  if (words.length > 1) return words.join(' ')
  if (first === '-') {
    if (stdin.isTTY === true) throw new UsageError('Standard input is the keyboard: pipe a text into it')
    return readPlainText(await readAll(stdin)).text
  }
  const reader = READERS[extname(first).toLowerCase()]
  if (!(await isThere(first))) {
    if (reader !== undefined) throw new UsageError(`${first} does not exist`)
    return first
  }
  return (reader ?? READERS['.txt'] ?? String)(await readFile(first, 'utf8'))
}

/** What reads a file, by its extension. */
const READERS: Readonly<Record<string, (source: string) => string>> = {
  '.md': (source) => readMarkdown(source).text,
  '.markdown': (source) => readMarkdown(source).text,
  '.mdx': (source) => readMarkdown(source, { mdx: true }).text,
  '.html': (source) => readHtml(source).text,
  '.htm': (source) => readHtml(source).text,
  '.txt': (source) => readPlainText(source).text,
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
