import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { launchChromium } from '@svc-audio/kit/hosts'
import { serverUrl } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { disconnectSignal, failureAnswer, receiveUpload } from '../src/index.ts'
import { RECORDERS, settingsOfDocs } from '../test/support/recorders.ts'

// MediaRecorder of a real Chromium with a microphone and a camera that it simulates.

const FLAGS = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
const CONTAINERS = ['webm', 'mp4', 'x-matroska', 'ogg', 'wav', 'aac', 'mpeg', '3gpp']
const AUDIO_CODECS = ['opus', 'pcm', 'mp4a.40.2', 'flac', 'vorbis']
const VIDEO_CODECS = ['vp8', 'vp9', 'av01.0.04M.08', 'avc1', 'avc1.42E01E', 'hvc1.1.6.L93.B0']

/** Every type that some recorder may offer, with and without codecs. */
function candidates(family: 'audio' | 'video', codecs: readonly string[]): readonly string[] {
  const suffixes = ['', ...codecs.map((codec) => `;codecs=${codec}`)]
  return CONTAINERS.flatMap((container) => suffixes.map((suffix) => `${family}/${container}${suffix}`))
}

/** What support/record-in-page.mjs returns of a recording: whether each upload was accepted. */
interface Result {
  readonly type: string
  /** How it was recorded and sent. */
  readonly how: string
  readonly accepted: readonly boolean[]
}

/** A recording that was uploaded once for each setting. */
interface Uploaded extends Pick<Result, 'type' | 'how'> {
  /** Whether the upload was accepted, by setting. */
  readonly accepted: Readonly<Record<string, boolean>>
}

let server: Server
type Browser = Awaited<ReturnType<typeof launchChromium>>
let browser: Browser
let page: Awaited<ReturnType<Browser['newPage']>>
const settings = settingsOfDocs()

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accept = new URL(request.url ?? '/', 'http://localhost').searchParams.getAll('accept')
  const signal = disconnectSignal(response)
  try {
    const upload = await receiveUpload(request, { maxFileSize: 50_000_000, accept, signal })
    for await (const _ of upload.stream);
    response.end()
  } catch (error) {
    response.writeHead(failureAnswer(error)?.status ?? 500).end(String(error))
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === 'GET') response.setHeader('content-type', 'text/html').end('<!doctype html>')
    else void respond(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  browser = await launchChromium(FLAGS)
  page = await browser.newPage()
  // A page may use the microphone over HTTPS, and from this machine.
  await page.goto(serverUrl(server))
  await page.addScriptTag({ path: join(import.meta.dirname, '../test-hosts/support/record-in-page.mjs') })
})
afterAll(async () => {
  await browser?.close()
  server.close()
})

/** Records in every type that Chromium offers, and uploads each recording once for each setting. */
async function recordAll(
  devices: { readonly audio: boolean; readonly video: boolean },
  types: readonly string[],
): Promise<readonly Uploaded[]> {
  const routes = settings.map(
    ({ accept }) => `/?${accept.map((type) => `accept=${encodeURIComponent(type)}`).join('&')}`,
  )
  const given = JSON.stringify({ devices, types, routes })
  // As text: Node's types have no MediaRecorder.
  const results = await page.evaluate<readonly Result[]>(`recordAll(${given})`)
  return results.map(({ type, how, accepted }) => ({
    type,
    how,
    accepted: Object.fromEntries(settings.map(({ accept }, index) => [accept.join(', '), accepted[index] ?? false])),
  }))
}

/** What the docs say of a column of Chromium. */
function documented(column: string): Readonly<Record<string, boolean>> {
  return Object.fromEntries(settings.map(({ accept, cells }) => [accept.join(', '), cells[column] === 'yes']))
}

const columnOf = (type: string): string => (type.includes('mp4') ? RECORDERS.chromiumMp4 : RECORDERS.chromiumWebm)

test.each([
  ['audio', candidates('audio', AUDIO_CODECS)],
  // A page that records sound alone may still choose a type of video.
  ['video', candidates('video', [...AUDIO_CODECS, ...VIDEO_CODECS])],
])('recordings of a microphone in every %s type of Chromium are accepted as the docs say', async (_family, types) => {
  const uploaded = await recordAll({ audio: true, video: false }, types)
  expect(new Set(uploaded.map(({ type }) => type)).size).toBeGreaterThan(3)
  expect(uploaded).toEqual(uploaded.map(({ type, how }) => ({ type, how, accepted: documented(columnOf(type)) })))
})

test('recordings of a camera in Chromium are video in every type', async () => {
  const uploaded = await recordAll({ audio: true, video: true }, candidates('video', VIDEO_CODECS))
  expect(new Set(uploaded.map(({ type }) => type)).size).toBeGreaterThan(3)
  const isVideo: unknown = expect.objectContaining({ 'audio/*': false, 'audio/webm': false, 'video/*': true })
  expect(uploaded).toEqual(uploaded.map(({ type, how }) => ({ type, how, accepted: isVideo })))
})
