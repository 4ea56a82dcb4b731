import { wavHeader } from '@svc-audio/core/adapter'
import { form } from './form.ts'
import type { HttpClient } from './http-client.ts'

/** Ids and paths of this service, for requests. */
export interface Context {
  readonly voices: readonly string[]
  readonly tasks: readonly string[]
  /** Paths of results, with their signatures. */
  readonly results: readonly string[]
  /** Empty without the files endpoint. */
  readonly files: readonly string[]
  /** Formats cheap enough for many requests. */
  readonly formats: readonly string[]
  /** Files to delete, none of them in `files`. */
  readonly spareFiles: readonly string[]
  /** A short file that holds audio. */
  readonly audio: Buffer
  /** A file that is accepted as a voice sample. */
  readonly sample: Buffer
}

/** Half of them may be deleted. */
const MANY = 200

/** Reads the ids of the service, and creates things to refer to. */
export async function readContext(client: HttpClient, formats: readonly string[]): Promise<Context> {
  const voices = await idsAt(client, '/v1/audio/voices')
  const speak = async (more: object): Promise<Record<string, unknown>> => {
    const fields = { model: 'svc-tts-1.5-flash', input: 'Hi', voice_id: voices[0], response_format: 'wav', ...more }
    const headers = { 'content-type': 'application/json' }
    const body = Buffer.from(JSON.stringify(fields))
    return read((await client.send({ method: 'POST', path: '/v1/audio/speech', headers, body })).text)
  }
  const results = [new URL(String((await speak({ delivery_method: 'url' }))['url']))]
  const audio = wavOf(Buffer.alloc(RATE / 5))
  const { body, contentType } = form([{ name: 'file', value: audio, filename: 'a.wav' }])
  for (let count = 0; count < MANY; count += 1) {
    // Refused without the files endpoint.
    await client.send({ method: 'POST', path: '/v1/files', headers: { 'content-type': contentType }, body })
  }
  const files = await idsAt(client, `/v1/files?limit=${MANY}`)
  return {
    voices,
    tasks: [String((await speak({ async: true }))['id'])],
    results: results.map(({ pathname, search }) => `${pathname}${search}`),
    files: files.slice(MANY / 2),
    spareFiles: files.slice(0, MANY / 2),
    formats,
    audio,
    sample: wavOf(voiced(1.5)),
  }
}

async function idsAt(client: HttpClient, path: string): Promise<string[]> {
  const { status, text } = await client.send({ method: 'GET', path, headers: {} })
  const { data } = status === 200 ? read(text) : {}
  return Array.isArray(data) ? data.map((one: { readonly id: string }) => one.id) : []
}

function read(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>
}

const RATE = 16_000

/** A buzz of 120 Hz that swells four times per second, as syllables do. */
function voiced(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * RATE * 2)
  for (let frame = 0; frame < seconds * RATE; frame += 1) {
    const time = frame / RATE
    let wave = 0
    for (let harmonic = 1; harmonic <= 10; harmonic += 1) {
      wave += Math.sin(2 * Math.PI * 120 * harmonic * time) / harmonic
    }
    samples.writeInt16LE(Math.round(4000 * Math.sin(Math.PI * 4 * time) ** 2 * wave), frame * 2)
  }
  return samples
}

/** A file of these samples: 16 kHz, mono, 16 bit. */
function wavOf(samples: Buffer): Buffer {
  return Buffer.concat([wavHeader({ sampleRate: RATE, channels: 1, bitDepth: 16 }, samples.byteLength), samples])
}
