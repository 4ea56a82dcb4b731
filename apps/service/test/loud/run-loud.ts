import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startUpstream, upstreamEngines } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { createCodec } from '../../src/drivers/codec/create-codec.ts'
import { NameServer } from '../support/name-server.ts'
import { Program } from '../support/program.ts'
import { type Flood, type Loudness, startFloods } from './floods.ts'
import { type QuietCall, quietCalls, read } from './quiet-tenant.ts'

/** Options of {@link runLoud}. */
export interface LoudOptions {
  /** Calls of each kind, idle and under load. */
  readonly samples: number
  readonly loudness: Omit<Loudness, 'contents'>
  /** Length of the recordings of the loud tenant, in minutes. */
  readonly recordingMinutes: number
  /** Whether some are a day of silence in a small file. @default false */
  readonly day?: boolean
  /** Whether a server speaks and recognizes. @default the bundled engines do */
  readonly far?: boolean
  /** Measures only the calls with such names. @default all */
  readonly calls?: RegExp
  readonly log?: (line: string) => void
}

/** Times of one kind of call, in milliseconds. */
export interface CallTimes {
  readonly median: number
  /** 95th percentile. */
  readonly slow: number
}

/** Times of one kind of call, alone and beside the loud tenant. */
export interface LoudRow {
  readonly call: string
  readonly idle: CallTimes
  readonly loud: CallTimes
  /** Of the 95th percentiles. */
  readonly ratio: number
}

const KEYS = { loud: 'the-key-of-the-loud-tenant', quiet: 'the-key-of-the-quiet-tenant' }

/** Times of a quiet tenant, and what became of the requests of the loud one. */
export interface LoudResult {
  readonly rows: readonly LoudRow[]
  readonly ends: Flood['ends']
}

/** Measures the calls of a quiet tenant, first alone and then beside a loud one. */
export async function runLoud(options: LoudOptions): Promise<LoudResult> {
  const { samples, loudness, recordingMinutes, day = false, calls: wanted = /./, log = () => undefined } = options
  const contents = [recording(recordingMinutes), ...(day ? [await dayOfSilence()] : [])]
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-loud-'))
  const names = await NameServer.listen()
  names.silent = true
  const server = options.far === true ? await startUpstream() : undefined
  const engines = join(folder, 'engines.yaml')
  if (server !== undefined) await writeFile(engines, upstreamEngines(server, FAR))
  const file = server === undefined ? [] : ['--engines', engines]
  const args = ['--port', '0', '--data-dir', join(folder, 'data'), '--url-allow', '127.0.0.1', ...file]
  const program = new Program(folder, args, {
    ...names.environment,
    SVC_AUDIO_API_KEYS: `loud:${KEYS.loud},quiet:${KEYS.quiet}`,
    SVC_AUDIO_LOG_LEVEL: 'silent',
  })
  try {
    const url = await program.ready()
    const quiet = { url, key: KEYS.quiet }
    const sentence = { model: 'svc-tts-1.5-flash', voice_id: 'rms', response_format: 'wav' }
    const wav = await read(quiet, '/v1/audio/speech', { ...sentence, input: 'A few words to be recognized.' })
    const calls = quietCalls(quiet, wav).filter(({ name }) => wanted.test(name))
    // The first calls start threads and load models.
    for (const call of calls) await call.run()
    const idle = await measure(calls, samples, log)
    const flood = await startFloods({ url, key: KEYS.loud }, { ...loudness, contents })
    try {
      await sleep(3000)
      const loud = await measure(calls, samples, log)
      for (const [kind, ends] of flood.ends) log(`${kind}: ${JSON.stringify(Object.fromEntries(ends))}`)
      const rows = calls.map(({ name }, at) => rowOf(name, idle[at] ?? NONE, loud[at] ?? NONE))
      return { rows, ends: flood.ends }
    } finally {
      await flood.stop()
    }
  } finally {
    program.child.kill('SIGKILL')
    await program.exit()
    names.close()
    await server?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A server that has the voices of the calls. */
const FAR = { voices: { rms: 'af_bella', slt: 'af_sky' }, recognizes: true }

const NONE: CallTimes = { median: NaN, slow: NaN }

function rowOf(call: string, idle: CallTimes, loud: CallTimes): LoudRow {
  return { call, idle, loud, ratio: Math.round((10 * loud.slow) / idle.slow) / 10 }
}

/** The kinds take turns, so that each meets every state of the load. */
async function measure(
  calls: readonly QuietCall[],
  samples: number,
  log: (line: string) => void,
): Promise<CallTimes[]> {
  const times = calls.map((): number[] => [])
  for (let round = 0; round < samples; round += 1) {
    for (const [at, call] of calls.entries()) {
      const start = performance.now()
      await call.run()
      times[at]?.push(performance.now() - start)
    }
    log(`round ${round + 1} of ${samples}`)
  }
  return times.map((own) => {
    const sorted = own.toSorted((one, other) => one - other)
    return { median: sorted[own.length >> 1] ?? NaN, slow: sorted[Math.ceil(own.length * 0.95) - 1] ?? NaN }
  })
}

/** A FLAC of 24 hours: a few hundred kilobytes. */
async function dayOfSilence(): Promise<Uint8Array<ArrayBuffer>> {
  const second = new Uint8Array(16_000)
  async function* silence(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 24 * 3600; at += 1) yield second
  }
  const codec = await createCodec()
  const chunks: Uint8Array[] = []
  const pcm = { sampleRate: 8000, channels: 1, bitDepth: 16 }
  for await (const chunk of codec.encode(silence(), { format: 'flac', pcm })) chunks.push(chunk)
  await codec.close()
  return new Uint8Array(Buffer.concat(chunks))
}

/** A WAV of noise bursts, at 8 kHz: the recognizer takes them for speech. */
function recording(minutes: number): Uint8Array<ArrayBuffer> {
  const samples = minutes * 60 * 8000
  const wav = Buffer.alloc(44 + 2 * samples)
  wav.write('RIFF')
  wav.writeUInt32LE(36 + 2 * samples, 4)
  wav.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [20, 65_537],
    [24, 8000],
    [28, 16_000],
    [32, 1_048_578],
  ] as const)
    wav.writeUInt32LE(value, at)
  wav.write('data', 36)
  wav.writeUInt32LE(2 * samples, 40)
  for (let at = 0; at < samples; at += 1) {
    const voiced = Math.sin(at / 9) * Math.sin(at / 3100) * (1 + Math.sin(at / 41))
    wav.writeInt16LE(Math.round(6000 * voiced), 44 + 2 * at)
  }
  return new Uint8Array(wav)
}
