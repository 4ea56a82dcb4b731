import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { WriteStream } from 'node:tty'
import {
  ApiError,
  AudioClient,
  StreamFailedError,
  StreamTruncatedError,
  SvcAudioError,
  TimeoutError,
} from '@svc-audio/core'
import { encodeWav, pcmSeconds } from '@svc-audio/core/audio'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import type { DemoOptions } from './options.ts'

const VOICE = 'joe'

/** Output and cancellation of the demo. */
export interface DemoContext {
  readonly progress: Progress
  /** Prints a line. */
  readonly print: (line: string) => void
  /** Stops the demo. */
  readonly signal: AbortSignal
}

/**
 * Starts a service, converts text to speech and back, and compares the texts. Stops the service and removes its data
 * in every case. The audio stays in `out`.
 *
 * @throws ApiError when the service refuses the text or the recording
 * @throws SlowStepError when the machine is too slow for a step
 * @throws the signal's reason after an abort
 */
export async function runDemo(options: DemoOptions, context: DemoContext): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-demo-'))
  let service: RunningService | undefined
  let audio: AudioClient | undefined
  try {
    await context.progress.step('Service', async () => {
      service = await startService({
        dataDir,
        port: options.port,
        openaiApi: true,
        // A person reads the output: an error says what the log would.
        logLevel: 'silent',
        apiKeys: new Map([['demo-key', 'demo']]),
      })
      audio = new AudioClient({ apiKey: 'demo-key', baseUrl: service.url })
      return service.url
    })
    context.signal.throwIfAborted()
    if (audio === undefined) throw new Error('The service did not start')
    if (options.file === undefined) await speakAndCompare(audio, options, context)
    else await transcribeFile(audio, options.file, context)
  } finally {
    await audio?.close()
    await service?.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function speakAndCompare(audio: AudioClient, { text, out }: DemoOptions, context: DemoContext): Promise<void> {
  const folder = resolve(out)
  const wav = join(folder, 'speech.wav')
  const mp3 = join(folder, 'speech.mp3')
  const { progress, print, signal } = context
  await progress.step('Warm-up', () =>
    withinTime('The first sentence', undefined, async () => {
      const body = { model: 'svc-tts-1.5-flash', input: 'Ready.', voice_id: VOICE } as const
      await audio.speech.stream(body, { signal }).then((stream) => stream.toWav())
      return 'engine loaded'
    }),
  )
  await progress.step('Speech', (update) =>
    withinTime('Speech', undefined, () => speak(audio, { text, path: wav, signal }, update)),
  )
  await progress.step('MP3', () =>
    withinTime('The MP3 file', relative('.', wav), async () => {
      const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input: text, voice_id: VOICE }, { signal })
      return kilobytes(await speech.saveTo(mp3))
    }),
  )
  const transcript = await transcribe(audio, wav, context)
  print('')
  print(`  spoken  ${text}`)
  print(`  heard   ${transcript}`)
  print('')
  print(`  word error rate  ${(wordErrorRate(text, transcript) * 100).toFixed(1)} %`)
  print(`  files            ${relative('.', wav)}, ${relative('.', mp3)}`)
}

/** The text and the path of its audio. */
interface SpeechJob {
  readonly text: string
  readonly path: string
  readonly signal: AbortSignal
}

/** Streams speech, measures it, and writes it to a WAV file. */
async function speak(audio: AudioClient, job: SpeechJob, update: (status: string) => void): Promise<string> {
  const { text, path, signal } = job
  const began = performance.now()
  const stream = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id: VOICE }, { signal })
  const chunks: Uint8Array[] = []
  let firstMs = 0
  let seconds = 0
  for await (const chunk of stream) {
    if (chunks.length === 0) firstMs = performance.now() - began
    chunks.push(chunk)
    seconds += pcmSeconds(stream.format, chunk.byteLength)
    update(`${seconds.toFixed(1)} s of audio`)
  }
  const factor = (performance.now() - began) / 1000 / seconds
  // Create the folder here, after the service accepts the text: a refused text leaves no empty folder.
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, encodeWav(stream.format, chunks))
  return `${seconds.toFixed(1)} s of audio, first audio after ${firstMs.toFixed(0)} ms, real-time factor ${factor.toFixed(3)}`
}

async function transcribeFile(audio: AudioClient, file: string, context: DemoContext): Promise<void> {
  const transcript = await transcribe(audio, file, context)
  context.print('')
  context.print(`  heard   ${transcript === '' ? '(no speech)' : transcript}`)
}

async function transcribe(audio: AudioClient, file: string, context: DemoContext): Promise<string> {
  const { progress, signal } = context
  let text = ''
  await progress.step('Transcript', async () => {
    const began = performance.now()
    const result = await withinTime('The transcript', relative('.', file), () =>
      audio.transcriptions.create({ model: 'svc-transcribe-1.0', file }, { signal }),
    )
    text = result.text
    return `${text.split(/\s+/).filter(Boolean).length} words in ${((performance.now() - began) / 1000).toFixed(1)} s`
  })
  return text
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KB`
}

/** Shows the progress: one line per step. A terminal shows updates in place. */
interface Progress {
  /** Runs a step. `update` shows its progress. The returned text is its outcome. */
  step(label: string, run: (update: (status: string) => void) => Promise<string>): Promise<void>
}

const LABEL_WIDTH = 12

/** Creates the progress for a terminal, or line by line for a pipe. */
export function createProgress(output: WriteStream | NodeJS.WritableStream): Progress {
  const terminal = 'isTTY' in output && output.isTTY
  return {
    async step(label, run) {
      const rewrite = (mark: string, status: string): void => {
        if (terminal) output.write(`\r\u001B[K${line(mark, label, status)}`)
      }
      rewrite('·', '…')
      if (!terminal) output.write(`${line('·', label, '…')}\n`)
      try {
        const outcome = await run((status) => rewrite('·', status))
        rewrite('✓', outcome)
        output.write(terminal ? '\n' : `${line('✓', label, outcome)}\n`)
      } catch (error) {
        rewrite('✗', '')
        if (terminal) output.write('\n')
        throw error
      }
    },
  }
}

function line(mark: string, label: string, status: string): string {
  return `${mark} ${label.padEnd(LABEL_WIDTH)} ${status}`.trimEnd()
}

/** A step that this machine is too slow for. One line: what is slow, where the audio is, and what to do. */
export class SlowStepError extends Error {
  override readonly name = 'SlowStepError' as const

  /** @param audio Path of the audio, if it is stored. */
  constructor(step: string, audio: string | undefined, cause: SvcAudioError) {
    const stored = audio === undefined ? 'no audio is stored' : `the audio is in ${audio}`
    const again = audio === undefined ? 'run the demo again' : `run the demo with --file ${audio}`
    super(`${step} took too long on this busy machine: ${stored}. Close other programs, and ${again}`, { cause })
  }
}

/** Runs a step. @throws SlowStepError instead of an error that time alone explains */
export async function withinTime<T>(step: string, audio: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw isLate(error) ? new SlowStepError(step, audio, error) : error
  }
}

/** Codes of an engine that got no time: the service was just started, so nothing else is wrong with its engines. */
const LATE_CODES: ReadonlySet<string | undefined> = new Set(['engine_timeout', 'engine_unavailable'])

function isLate(error: unknown): error is SvcAudioError {
  if (ApiError.isInstance(error) || StreamFailedError.isInstance(error)) return LATE_CODES.has(error.code)
  return TimeoutError.isInstance(error) || StreamTruncatedError.isInstance(error)
}
