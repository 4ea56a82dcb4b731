import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { glob } from 'tinyglobby'
import which from 'which'
import { clockTime, type Progress, type Terminal, UsageError } from './terminal.ts'

/** A recording to transcribe. */
export interface Recording {
  /** Its name for people. */
  readonly label: string
  /** Name of its results, without extension. */
  readonly name: string
  /** A path, or the stream of standard input. */
  readonly source: string | NodeJS.ReadableStream
}

/** Extensions of the files that a folder stands for. A file that is named itself may have any. */
const EXTENSIONS =
  'aac,aif,aiff,amr,avi,caf,flac,m4a,m4b,m4v,mka,mkv,mov,mp2,mp3,mp4,mpeg,mpg,oga,ogg,opus,ts,wav,weba,webm,wma,wmv'

/**
 * The recordings that arguments name: files, folders, patterns and `-`, each once, in order.
 * @throws UsageError for an argument that names nothing
 */
export async function findRecordings(args: readonly string[], stdin: Terminal['stdin']): Promise<readonly Recording[]> {
  const found = new Map<string, Recording>()
  for (const arg of args) {
    if (arg === '-') {
      if (stdin.isTTY === true)
        throw new UsageError('Standard input is the keyboard: pipe a recording into it, or use --mic')
      found.set('-', { label: 'standard input', name: 'stdin', source: stdin })
      continue
    }
    for (const path of await pathsOf(arg)) {
      found.set(resolve(path), { label: path, name: basename(path, extname(path)), source: path })
    }
  }
  return withOwnNames([...found.values()])
}

async function pathsOf(arg: string): Promise<readonly string[]> {
  const entry = await stat(arg).catch(() => undefined)
  if (entry?.isDirectory() === true) {
    const inside = await glob([`**/*.{${EXTENSIONS}}`], { cwd: arg, caseSensitiveMatch: false })
    if (inside.length === 0) throw new UsageError(`${arg} has no recordings. Name the files themselves`)
    return inside.toSorted().map((path) => join(arg, path))
  }
  if (entry !== undefined) return [arg]
  const matches = /[*?[{]/.test(arg) ? await glob([arg.replaceAll('\\', '/')], { absolute: isAbsolute(arg) }) : []
  if (matches.length > 0) return matches.toSorted()
  throw new UsageError(/[*?[{]/.test(arg) ? `No file matches ${arg}` : `${arg} does not exist`)
}

/** Recordings of the same name would write the same file: they keep their extension. */
function withOwnNames(recordings: readonly Recording[]): readonly Recording[] {
  const named = Map.groupBy(recordings, ({ name }) => name)
  return recordings.map((recording) =>
    named.get(recording.name)?.length === 1 ? recording : { ...recording, name: basename(recording.label) },
  )
}

/** Two recordings whose results would have one name, if any. */
export function sameName(recordings: readonly Recording[]): readonly [Recording, Recording] | undefined {
  for (const group of Map.groupBy(recordings, ({ name }) => name).values()) {
    const [first, second] = group
    if (first !== undefined && second !== undefined) return [first, second]
  }
  return undefined
}

/** Programs that record WAV to a file, with the arguments around it, in the order of preference. */
const RECORDERS: Readonly<Partial<Record<NodeJS.Platform, readonly (readonly [string, readonly string[]])[]>>> = {
  linux: [
    ['pw-record', ['--rate', '16000', '--channels', '1']],
    ['parecord', ['--file-format=wav', '--rate=16000', '--channels=1']],
    ['arecord', ['-q', '-f', 'S16_LE', '-r', '16000', '-c', '1', '-t', 'wav']],
    ['rec', ['-q', '-r', '16000', '-c', '1']],
  ],
  darwin: [
    ['rec', ['-q', '-r', '16000', '-c', '1']],
    ['ffmpeg', ['-loglevel', 'error', '-nostdin', '-f', 'avfoundation', '-i', ':0', '-ar', '16000', '-ac', '1']],
  ],
}

/**
 * Records from the microphone until Enter is pressed, or standard input ends.
 * @returns the recording, in `folder`
 * @throws UsageError without a program that records, or if it fails
 */
export async function recordMicrophone(
  folder: string,
  {
    stdin,
    progress,
    signal,
  }: { readonly stdin: Terminal['stdin']; readonly progress: Progress; readonly signal: AbortSignal },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Recording> {
  const known = RECORDERS[process.platform] ?? []
  for (const [program, args] of known) {
    const path = await which(program, { path: env['PATH'] ?? '', nothrow: true })
    if (path === null) continue
    const file = join(folder, 'microphone.wav')
    const child = spawn(path, [...args, file], { stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-300)))
    const ended = once(child, 'close')
    const begin = Date.now()
    const show = (): void =>
      progress.show(`Recording ${clockTime((Date.now() - begin) / 1000)}. Press Enter to end it.`)
    show()
    const clock = setInterval(show, 500)
    const lines = createInterface({ input: stdin })
    const abort = (): void => void child.kill('SIGINT')
    signal.addEventListener('abort', abort, { once: true })
    lines.once('line', abort)
    // Ctrl+D.
    lines.once('close', abort)
    try {
      // The code of a recorder that was told to stop differs. What counts is the file.
      await ended
    } finally {
      clearInterval(clock)
      lines.close()
      signal.removeEventListener('abort', abort)
      progress.clear()
    }
    signal.throwIfAborted()
    const entry = await stat(file).catch(() => undefined)
    // 44 bytes are a WAV header without sound.
    if (entry === undefined || entry.size <= 44) {
      throw new UsageError(
        `${program} recorded nothing${said.trim() === '' ? '' : `: ${said.trim()}`}. Check the microphone`,
      )
    }
    return { label: 'microphone', name: 'microphone', source: file }
  }
  const names = known.map(([program]) => program).join(', ')
  throw new UsageError(
    names === ''
      ? 'No program that records is known on this system: record a file, and name it'
      : `No program that records: install one of ${names}, or name a file`,
  )
}
