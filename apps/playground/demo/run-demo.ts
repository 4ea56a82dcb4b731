import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { AudioClient, encodeWav, pcmSeconds } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import type { DemoOptions } from './options.ts'
import type { Progress } from './progress.ts'

/** The voice the demo speaks with. */
const VOICE = 'rms'

/** What the demo needs from outside. */
export interface DemoContext {
  readonly progress: Progress
  /** Prints a line. */
  readonly print: (line: string) => void
}

/**
 * The whole round trip against a service of its own: text to speech, speech to text, comparison. The service and its
 * folder are gone afterwards, whatever happens; the audio stays in `out`.
 */
export async function runDemo(options: DemoOptions, context: DemoContext): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-demo-'))
  let service: RunningService | undefined
  let audio: AudioClient | undefined
  try {
    await context.progress.step('Service', async () => {
      service = await startService({ dataDir, port: options.port, apiKeys: new Map([['demo-key', 'demo']]) })
      audio = new AudioClient({ apiKey: 'demo-key', baseUrl: service.url })
      return service.url
    })
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
  await mkdir(folder, { recursive: true })
  const wav = join(folder, 'speech.wav')
  const mp3 = join(folder, 'speech.mp3')
  const { progress, print } = context
  await progress.step('Warm-up', async () => {
    await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Ready.', voice_id: VOICE }).then((s) => s.toWav())
    return 'engine loaded'
  })
  await progress.step('Speech', (update) => speak(audio, text, wav, update))
  await progress.step('MP3', async () => {
    const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input: text, voice_id: VOICE })
    return kilobytes(await speech.saveTo(mp3))
  })
  const transcript = await transcribe(audio, wav, progress)
  print('')
  print(`  spoken  ${text}`)
  print(`  heard   ${transcript}`)
  print('')
  print(`  word error rate  ${(wordErrorRate(text, transcript) * 100).toFixed(1)} %`)
  print(`  files            ${relative('.', wav)}, ${relative('.', mp3)}`)
}

/** Streams speech, says how fast it came, and keeps it as a WAV file. */
async function speak(
  audio: AudioClient,
  text: string,
  path: string,
  update: (status: string) => void,
): Promise<string> {
  const began = performance.now()
  const stream = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id: VOICE })
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
  await writeFile(path, encodeWav(stream.format, chunks))
  return `${seconds.toFixed(1)} s of audio, first audio after ${firstMs.toFixed(0)} ms, real-time factor ${factor.toFixed(3)}`
}

async function transcribeFile(audio: AudioClient, file: string, { progress, print }: DemoContext): Promise<void> {
  const transcript = await transcribe(audio, file, progress)
  print('')
  print(`  heard   ${transcript === '' ? '(no speech)' : transcript}`)
}

async function transcribe(audio: AudioClient, file: string, progress: Progress): Promise<string> {
  let text = ''
  await progress.step('Transcript', async () => {
    const began = performance.now()
    const result = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    text = result.text
    return `${text.split(/\s+/).filter(Boolean).length} words in ${((performance.now() - began) / 1000).toFixed(1)} s`
  })
  return text
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KB`
}
