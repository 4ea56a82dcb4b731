import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The recordings of one person. */
interface Source {
  /** Package of Debian, or of Python with its version. */
  readonly from: { readonly debian: string } | { readonly python: string }
  /** Which of its files. */
  readonly files: RegExp
  /** Format of files that do not say it, for ffmpeg. */
  readonly format?: string
  /** Whether the recordings have the telephone band alone. */
  readonly narrow?: boolean
}

const prompts = (language: string): Source => ({
  from: { debian: `asterisk-core-sounds-${language}-g722` },
  files: /\.g722$/,
  format: 'g722',
})

/** Prompts of telephone systems in five languages, and readers of books. */
const SOURCES: Readonly<Record<string, Source>> = {
  allison: prompts('en'),
  spanish: prompts('es'),
  june: prompts('fr'),
  carlo: prompts('it'),
  russian: prompts('ru'),
  paola: { from: { debian: 'asterisk-prompt-it-menardi-wav' }, files: /\.wav$/ },
  july: { from: { debian: 'asterisk-prompt-es-co' }, files: /\.gsm$/, format: 'gsm', narrow: true },
  armelle: { from: { debian: 'asterisk-prompt-fr-armelle' }, files: /\.gsm$/, format: 'gsm', narrow: true },
  austen: { from: { debian: 'pocketsphinx-testdata' }, files: /librivox.*\.wav$/ },
  dickens: { from: { python: 'moonshine-voice==0.0.59' }, files: /two_cities\.wav$/ },
}

/** A person of whom there are recordings. */
export interface Person {
  readonly name: string
  /** Recordings of one to many seconds, at 16 kHz, equally loud. */
  readonly clips: readonly Float32Array[]
  readonly narrow: boolean
}

/** Recordings of each person that are used. */
const CLIPS = 40

/** Bytes of a recording of a second or so in the densest of the formats. */
const LEAST_BYTES = 4000

/**
 * Reads the recordings of people. The first call fetches them, 210 MB, into the folder for temporary files.
 * @throws Error that names the program when apt-get, pip or ffmpeg is missing
 */
export async function fetchPeople(): Promise<readonly Person[]> {
  const folder = join(tmpdir(), 'svc-audio-people')
  const people: Person[] = []
  for (const [name, source] of Object.entries(SOURCES)) {
    const decoded = await make(join(folder, name), async (part) => {
      const files = await filesOf(await unpack(folder, source), source.files)
      await decode(files.slice(0, CLIPS), source.format, part)
    })
    const clips: Float32Array[] = []
    for (const file of (await readdir(decoded)).toSorted()) clips.push(levelled(await read(join(decoded, file))))
    people.push({ name, clips: clips.filter(({ length }) => length > 0), narrow: source.narrow ?? false })
  }
  return people
}

/** Returns the folder with the files of a package. */
function unpack(folder: string, { from }: Source): Promise<string> {
  const name = 'debian' in from ? from.debian : from.python
  return make(join(folder, name), async (part) => {
    const [fetch, open] =
      'debian' in from
        ? [
            ['apt-get', 'download', name],
            ['dpkg-deb', '-x'],
          ]
        : [
            ['pip', 'download', '--no-deps', '--only-binary', ':all:', name],
            ['unzip', '-q'],
          ]
    await need(fetch, part)
    const [archive = ''] = await readdir(part)
    await need([...open, archive, ...('debian' in from ? ['.'] : [])], part)
  })
}

/** Returns a folder, and fills it when it does not exist. */
async function make(target: string, fill: (part: string) => Promise<void>): Promise<string> {
  if (existsSync(target)) return target
  const part = `${target}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(part, { recursive: true })
  await fill(part)
  await rename(part, target)
  return target
}

async function need([program = '', ...options]: readonly string[], folder: string): Promise<void> {
  try {
    await run(program, options, { cwd: folder })
  } catch (error) {
    throw new Error(`The recordings of people need ${program} ${options.join(' ')}`, { cause: error })
  }
}

/** The files in the order of their names, without very short ones. */
async function filesOf(folder: string, pattern: RegExp): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const path = join(folder, name)
    if (pattern.test(path) && (await stat(path)).size >= LEAST_BYTES) found.push(path)
  }
  return found
}

/** Writes the samples of the files to numbered files. */
async function decode(files: readonly string[], format: string | undefined, folder: string): Promise<void> {
  const kind = format === undefined ? [] : ['-f', format]
  const inputs = files.flatMap((file) => [...kind, '-i', file])
  const outputs = files.flatMap((_, index) => {
    const name = `${String(index).padStart(3, '0')}.s16`
    return ['-map', `${index}:a`, '-ar', '16000', '-ac', '1', '-f', 's16le', name]
  })
  await need(['ffmpeg', '-v', 'error', ...inputs, ...outputs], folder)
}

async function read(file: string): Promise<Float32Array> {
  const bytes = await readFile(file)
  return Float32Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at))
}

const FRAME = 160

/** Root of the mean square of the level. */
const LEVEL = 3000

/** Removes the silence at both ends, and sets the level. Returns nothing of a silent recording. */
function levelled(samples: Float32Array): Float32Array {
  const levels = frameLevels(samples)
  const limit = Math.max(...levels) / 50
  const start = levels.findIndex((level) => level > limit)
  const end = levels.findLastIndex((level) => level > limit) + 1
  const spoken = samples.subarray(start * FRAME, end * FRAME)
  const factor = LEVEL / levelOf(spoken)
  return start < 0 ? new Float32Array() : spoken.map((sample) => sample * factor)
}

/** The level of each 10 ms. */
export function frameLevels(samples: Float32Array): number[] {
  return Array.from({ length: Math.floor(samples.length / FRAME) }, (_, frame) =>
    levelOf(samples.subarray(frame * FRAME, (frame + 1) * FRAME)),
  )
}

/** Root of the mean square. */
export function levelOf(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}
