import { form } from './form.ts'
import type { HttpClient } from './http-client.ts'

/** What requests can name on this service. */
export interface Context {
  readonly voices: readonly string[]
  readonly tasks: readonly string[]
  /** Paths of results, with their signatures. */
  readonly results: readonly string[]
  /** Empty where files are not offered. */
  readonly files: readonly string[]
  /** Formats that cost little enough to be asked for often. */
  readonly formats: readonly string[]
  /** A short file that holds audio. */
  readonly audio: Buffer
}

const MANY = 40

/** Asks the service what there is, and makes what requests can name. */
export async function readContext(client: HttpClient, formats: readonly string[]): Promise<Context> {
  const voices = await idsAt(client, '/v1/audio/voices')
  const speak = async (more: object): Promise<Record<string, unknown>> => {
    const fields = { model: 'svc-tts-1.5-flash', input: 'Hi', voice_id: voices[0], response_format: 'wav', ...more }
    const headers = { 'content-type': 'application/json' }
    const body = Buffer.from(JSON.stringify(fields))
    return read((await client.send({ method: 'POST', path: '/v1/audio/speech', headers, body })).text)
  }
  const results = [new URL(String((await speak({ delivery_method: 'url' }))['url']))]
  const audio = silentWav()
  const { body, contentType } = form([{ name: 'file', value: audio, filename: 'a.wav' }])
  for (let count = 0; count < MANY; count += 1) {
    // Refused where files are not offered.
    await client.send({ method: 'POST', path: '/v1/files', headers: { 'content-type': contentType }, body })
  }
  return {
    voices,
    tasks: [String((await speak({ async: true }))['id'])],
    results: results.map(({ pathname, search }) => `${pathname}${search}`),
    files: await idsAt(client, `/v1/files?limit=${MANY}`),
    formats,
    audio,
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

/** A tenth of a second of nothing: 16 kHz, mono, 16 bit. */
function silentWav(): Buffer {
  const data = Buffer.alloc(3200)
  const head = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \u0010\0\0\0\u0001\0\u0001\0\0\0\0\0\0\0\0\0\u0002\0\u0010\0data\0\0\0\0',
    'latin1',
  )
  head.writeUInt32LE(36 + data.byteLength, 4)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.writeUInt32LE(data.byteLength, 40)
  return Buffer.concat([head, data])
}
