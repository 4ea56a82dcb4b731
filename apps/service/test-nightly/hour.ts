// An hour of speech as one recording: the memory of the service is flat, the times of the segments do not drift, and the
// last words are heard as well as the first ones. `--seconds 600` takes ten minutes.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import { wordErrorRate } from '@svc-audio/testing'
import { startBuiltService } from './built-service.ts'

const SENTENCES = join(import.meta.dirname, '../../../engines/bundled/test-nightly/sentences.txt')
const RATE = 16_000

/** Silence behind each sentence, in seconds. */
const PAUSE = 1.2

/** Share by which the memory of the last third may exceed that of the second third. */
const MAX_GROWTH = 0.1

/** Longest median distance of a segment's start from the truth, in seconds. */
const MAX_DRIFT = 0.15

/** Points by which the word errors of the last part may exceed those of the first. */
const MAX_WORSE = 0.02

interface Spoken {
  readonly text: string
  readonly start: number
}

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3600' } } })
const wanted = Number(values.seconds)
if (!(wanted >= 300 && wanted <= 14_400)) throw new Error('--seconds must be from 300 to 14400')

await main()

async function main(): Promise<void> {
  await using service = await startBuiltService()
  const client = new AudioClient({ apiKey: service.apiKey, baseUrl: service.baseUrl, timeout: 4 * 3_600_000 })
  const { wav, spoken, seconds } = await speak(client)
  console.error(`${Math.round(seconds)} s of speech, ${spoken.length} sentences`)
  const memory: number[] = []
  const clock = setInterval(() => memory.push(memoryOf(service.pid)), 1000)
  const began = performance.now()
  const { segments } = await client.transcriptions.createAndWait({
    model: 'svc-transcribe-diarize-pro',
    file: { data: wav, name: 'hour.wav' },
  })
  clearInterval(clock)
  const took = (performance.now() - began) / 1000
  await client.close()
  process.exitCode = report({ spoken, segments: segments ?? [], memory, seconds, took }) ? 0 : 1
}

/** Speaks the sentences again and again. Each has its own pause, so that its start is known. */
async function speak(client: AudioClient): Promise<{ wav: Uint8Array; spoken: readonly Spoken[]; seconds: number }> {
  const lines = readFileSync(SENTENCES, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\|.*/, ''))
  const clips = new Map<string, Uint8Array>()
  const parts: Uint8Array[] = []
  const spoken: Spoken[] = []
  let bytes = 0
  const pause = new Uint8Array(Math.round(PAUSE * RATE) * 2)
  for (let index = 0; bytes < wanted * RATE * 2; index += 1) {
    const text = lines[index % lines.length] ?? ''
    const clip = clips.get(text) ?? (await speakOne(client, text))
    clips.set(text, clip)
    spoken.push({ text, start: bytes / 2 / RATE })
    parts.push(clip, pause)
    bytes += clip.byteLength + pause.byteLength
  }
  return { wav: encodeWav({ sampleRate: RATE, channels: 1, bitDepth: 16 }, parts), spoken, seconds: bytes / 2 / RATE }
}

async function speakOne(client: AudioClient, input: string): Promise<Uint8Array> {
  const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input, voice_id: 'slt' })
  if (speech.format.sampleRate !== RATE) throw new Error(`The voice has ${speech.format.sampleRate} Hz, not ${RATE}`)
  const parts: Uint8Array[] = []
  for await (const chunk of speech) parts.push(chunk)
  return Buffer.concat(parts)
}

/** Resident memory of a process and its children, in MB. */
function memoryOf(pid: number): number {
  const rows = spawnSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const family = new Set([pid])
  let size = 0
  while (size !== family.size) {
    size = family.size
    for (const [own = 0, parent = 0] of rows) if (family.has(parent)) family.add(own)
  }
  return rows.reduce((sum, [own = 0, , kilobytes = 0]) => sum + (family.has(own) ? kilobytes / 1024 : 0), 0)
}

interface Outcome {
  readonly spoken: readonly Spoken[]
  readonly segments: readonly { readonly start: number; readonly end: number; readonly text: string }[]
  /** MB, each second. */
  readonly memory: readonly number[]
  readonly seconds: number
  readonly took: number
}

/** @returns Whether every bar holds. */
function report({ spoken, segments, memory, seconds, took }: Outcome): boolean {
  const third = Math.floor(memory.length / 3)
  const [before, after] = [Math.max(...memory.slice(third, 2 * third)), Math.max(...memory.slice(2 * third))]
  const part = (from: number, to: number): { errors: number; drift: number } => {
    const said = spoken.filter(({ start }) => start >= from && start < to)
    const heard = segments.filter(({ start }) => start >= from - 0.5 && start < to - 0.5)
    const text = (list: readonly { readonly text: string }[]): string => list.map((one) => one.text).join(' ')
    const distances = heard.map(({ start }) => Math.min(...said.map((one) => Math.abs(one.start - start))))
    return {
      errors: wordErrorRate(text(said), text(heard)),
      drift: distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? Infinity,
    }
  }
  const [first, last] = [part(0, seconds / 6), part((seconds * 5) / 6, seconds)]
  const rows = [
    ['memory, second third', `${before.toFixed(0)} MB`, ''],
    ['memory, last third', `${after.toFixed(0)} MB`, after <= before * (1 + MAX_GROWTH) ? 'ok' : 'GROWS'],
    ['word errors, first sixth', `${(first.errors * 100).toFixed(1)} %`, ''],
    [
      'word errors, last sixth',
      `${(last.errors * 100).toFixed(1)} %`,
      last.errors <= first.errors + MAX_WORSE ? 'ok' : 'WORSE',
    ],
    ['start of a segment, first sixth', `${(first.drift * 1000).toFixed(0)} ms`, ''],
    [
      'start of a segment, last sixth',
      `${(last.drift * 1000).toFixed(0)} ms`,
      last.drift <= MAX_DRIFT ? 'ok' : 'DRIFTS',
    ],
    ['time', `${took.toFixed(0)} s, ${(took / seconds).toFixed(2)} of the recording`, ''],
  ]
  for (const [name = '', value = '', verdict = ''] of rows)
    console.log(`${name.padEnd(34)}${value.padEnd(30)}${verdict}`)
  return rows.every(([, , verdict = '']) => verdict === '' || verdict === 'ok')
}
