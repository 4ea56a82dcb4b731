// Calls the functions of this folder with events of API Gateway and with requests, without a port.
import { WavMeter } from '@svc-audio/core/audio'
import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from '../run.ts'
import { injectUpload } from './inject.ts'

const TEXT = 'We will meet at the old bridge tomorrow morning.'

/** What a function returns to API Gateway. */
interface Result {
  readonly statusCode: number
  readonly body: string
  readonly isBase64Encoded: boolean
}

type Handler = (event: never, context: never) => Promise<unknown>

/** Transcribes speech by each function, has each refuse a long file, and speaks by those on AWS Lambda. */
export async function run({ baseUrl, apiKey }: ExampleContext): Promise<ExampleOutcome> {
  process.env['SVC_AUDIO_API_KEY'] = apiKey
  process.env['SVC_AUDIO_BASE_URL'] = baseUrl
  await using client = new AudioClient()
  const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: 'wav' } as const
  const speech = await client.speech.create(body)
  const audio = await speech.bytes()
  const meter = new WavMeter()
  meter.add(audio)
  const { handler: express } = await import('./lambda-express.ts')
  const { handler: hono } = await import('./lambda-hono.ts')
  const transcripts: string[] = []
  for (const handler of [express, hono]) {
    transcripts.push(textOf(await invoke(handler, '/transcribe', formOf(audio))))
    expectStatus(await invoke(handler, '/transcribe', formOf(new Uint8Array(5_000_000))), 413)
    const spoken = await invoke(handler, '/speak', Response.json({ text: TEXT }))
    if (!spoken.isBase64Encoded) throw new Error('The audio is no binary body')
  }
  const { POST } = await import('./vercel.ts')
  const answered = await POST(
    new Request('http://localhost/', { method: 'POST', body: await formOf(audio).formData() }),
  )
  transcripts.push(textOf({ statusCode: answered.status, body: await answered.text() }))
  const injected = [await injectUpload(2000), await injectUpload(200_000)].map(({ status }) => status)
  if (injected.join() !== '200,413') throw new Error(`Injected uploads have the statuses ${injected.join()}`)
  return {
    audioSeconds: meter.durationSeconds ?? 0,
    transcript: transcripts[0] ?? '',
    wordErrorRate: Math.max(...transcripts.map((text) => wordErrorRate(TEXT, text))),
    summary: 'Express and Hono on AWS Lambda, a function of Vercel, Fastify by inject()',
  }
}

function formOf(file: Uint8Array): Response {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'bridge.wav')
  return new Response(form)
}

/** Calls a function with an event of API Gateway, payload version 2. */
async function invoke(handler: Handler, path: string, form: Response): Promise<Result> {
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: Object.fromEntries(form.headers),
    requestContext: { http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.1', userAgent: '' } },
    body: Buffer.from(await form.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
  }
  return Reflect.apply(handler, undefined, [event, {}])
}

function textOf(result: Pick<Result, 'statusCode' | 'body'>): string {
  expectStatus(result, 200)
  return String(Reflect.get(Object(JSON.parse(result.body)), 'text'))
}

function expectStatus({ statusCode, body }: Pick<Result, 'statusCode' | 'body'>, wanted: number): void {
  if (statusCode !== wanted) throw new Error(`The function answered ${statusCode} in the place of ${wanted}: ${body}`)
}
