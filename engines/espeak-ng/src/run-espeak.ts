import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { readWav } from '@svc-audio/core/audio'
import { EngineFailedError, EngineStuckError } from '@svc-audio/engine-ports'
import { BACKGROUND_PRIORITY, ENGINE_PRIORITY, lowerPriority } from '@svc-audio/engine-ports/driver'

/** Maximum output of one run: ten minutes at 24 kHz. A sentence has seconds. */
const MAX_BYTES = 30 * 1024 * 1024

/** Maximum characters of an error message of the program. */
const MAX_MESSAGE = 300

/** Time without output after which a run is ended, in milliseconds. The program needs some for a sentence. */
const PATIENCE = 60_000

/** One run of the program. */
export interface EspeakRun {
  /** Name or path of the program. */
  readonly program: string
  readonly args: readonly string[]
  /** The text, which goes to standard input: a command line is visible to every user of the machine. */
  readonly input?: string
  readonly signal: AbortSignal
  /** Whether other work comes before. @default false */
  readonly background?: boolean
  /** @default one minute */
  readonly patience?: number
}

/**
 * Runs the program to its end.
 * @returns What it wrote to standard output.
 * @throws The signal's reason when it aborts: the program is then killed; EngineStuckError when it writes nothing for
 * {@link EspeakRun.patience}; EngineFailedError when it is missing or fails.
 */
export async function runEspeak(run: EspeakRun): Promise<Buffer<ArrayBuffer>> {
  const { program, args, input = '', signal, background = false, patience = PATIENCE } = run
  signal.throwIfAborted()
  const child = spawn(program, args, { cwd: tmpdir(), env: environment(), stdio: 'pipe', windowsHide: true })
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure ??= error
    child.kill('SIGKILL')
  }
  const watch = setTimeout(() => fail(new EngineStuckError(`${program} wrote nothing and was ended`)), patience)
  const stop = (): void => {
    child.kill('SIGKILL')
  }
  signal.addEventListener('abort', stop, { once: true })
  lowerPriority(child.pid, background ? BACKGROUND_PRIORITY : ENGINE_PRIORITY)
  const output: Buffer[] = []
  let bytes = 0
  let message = ''
  child.stdout.on('data', (chunk: Buffer) => {
    watch.refresh()
    bytes += chunk.length
    if (bytes > MAX_BYTES) fail(new EngineFailedError(`${program} wrote more than ${MAX_BYTES} bytes for a sentence`))
    else output.push(chunk)
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (message = `${message}${chunk}`.slice(0, MAX_MESSAGE)))
  // The exit reports a program that ended before it read its input.
  child.stdin.on('error', () => undefined).end(input)
  try {
    const exit = await new Promise<string>((resolve, reject) => {
      child.on('error', (error) => reject(startError(program, error)))
      child.on('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`))
    })
    signal.throwIfAborted()
    if (failure !== undefined) throw failure
    if (exit !== 'code 0') throw new EngineFailedError(`${program} ended with ${exit}: ${message.trim()}`)
    return Buffer.concat(output)
  } finally {
    clearTimeout(watch)
    signal.removeEventListener('abort', stop)
  }
}

/** Nothing of the service's environment but what a program needs to start and to find its data. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, ESPEAK_DATA_PATH } = process.env
  return {
    ...(PATH !== undefined && { PATH }),
    ...(SystemRoot !== undefined && { SystemRoot }),
    ...(ESPEAK_DATA_PATH !== undefined && { ESPEAK_DATA_PATH }),
  }
}

function startError(program: string, error: Error): EngineFailedError {
  const missing = 'code' in error && error.code === 'ENOENT'
  const remedy = 'install it (Debian: apt-get install espeak-ng), or name its path in `program`'
  const text = missing
    ? `${program} is not on this machine: ${remedy}`
    : `${program} cannot be started: ${error.message}`
  return new EngineFailedError(text, { cause: error })
}

/** Sound of a sentence. */
interface Sound {
  /** One channel, signed 16-bit little-endian. */
  readonly pcm: Uint8Array
  /** In Hz. */
  readonly sampleRate: number
}

/**
 * Reads the WAV that the program writes to a pipe. Its header has placeholders for the lengths, so the sound goes to
 * the end.
 * @throws EngineFailedError when it is no such WAV
 */
export function readSound(file: Buffer<ArrayBuffer>): Sound {
  const wav = readWav(file)
  if (wav === undefined) throw new EngineFailedError('espeak-ng wrote no WAV')
  const { channels, bitDepth, sampleRate, samples } = wav
  if (channels !== 1 || bitDepth !== 16)
    throw new EngineFailedError(`espeak-ng wrote ${channels} channels with ${bitDepth} bits, not 1 with 16`)
  return { pcm: samples.subarray(0, samples.length - (samples.length % 2)), sampleRate }
}

/**
 * What the program would read as a command: control characters begin commands, some of which play files, and `[[`
 * begins the names of phonemes.
 */
const CONTROL = /\p{Cc}/gu
const PHONEMES = /\[(?=\[)/g

/** A letter, a digit, or a sign that is read as a word. */
const SPOKEN = /[\p{L}\p{N}%&+=@#$€£¥§©®°]/u

/**
 * Converts a text to the program's input.
 * @returns The empty string when nothing would be heard.
 */
export function toSpeakable(text: string): string {
  if (!SPOKEN.test(text)) return ''
  return text.toWellFormed().replaceAll(CONTROL, ' ').replaceAll(PHONEMES, '[ ').trim()
}
