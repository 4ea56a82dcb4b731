// Live transcription: recordings that are streamed in real time through transcription sessions of the OpenAI API. Shows how
// long after each sentence its transcript comes, the word errors beside those of the file, many sessions at once, and what
// clients leave that vanish. `--sessions 10` takes fewer at once.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import { SENTENCES, wordErrorRate } from '@svc-audio/testing'
import { WebSocket } from 'ws'
import { startBuiltService } from './built-service.ts'

const RATE = 16_000
const COMPLETED = 'conversation.item.input_audio_transcription.completed'

/** Sentences of the recording of one session, and of each session at once. */
const ALONE = 20
const BESIDE = 4

/** Silence behind each sentence, and before the end, in seconds. */
const PAUSE = 1.5
const END = 2

/** Length of one event of audio, in seconds. */
const PIECE = 0.1

/** Amplitude below which the end of a clip is silence. */
const QUIET = 300

/** Longest 95th percentile of the time from the end of a sentence to its transcript, in seconds. */
const MAX_DELAY = 1

/** Points by which the word errors may exceed those of the file. */
const MAX_WORSE = 0.02

/** Longest time until a session at once has all transcripts after its last sound, in seconds. */
const MAX_LATE = 120

/** A client that answers no ping is cut after this time, in milliseconds. */
const CUT_MS = 45_000

/** A recording of sentences, and where the voice ends in each of them, in seconds. */
interface Recording {
  readonly text: string
  readonly sound: Buffer
  readonly ends: readonly number[]
}

const { values } = parseArgs({ options: { sessions: { type: 'string', default: '50' } } })
const sessions = Number(values.sessions)
if (!(sessions >= 1 && sessions <= 200)) throw new Error('--sessions must be from 1 to 200')

const limits = ['--requests-at-once-per-tenant', '400', '--connections-per-address', '400']
await using service = await startBuiltService(['--openai-api', 'true', ...limits])
await main()

async function main(): Promise<void> {
  const client = new AudioClient({ apiKey: service.apiKey, baseUrl: service.baseUrl, timeout: 600_000 })
  const clips = await speak(client)
  const rows = [...(await alone(client, clips)), ...(await atOnce(clips)), ...(await vanished(clips))]
  await client.close()
  for (const [name = '', value = '', verdict = ''] of rows)
    console.log(`${name.padEnd(58)}${value.padEnd(26)}${verdict}`)
  process.exitCode = rows.every(([, , verdict = '']) => verdict === '' || verdict === 'ok') ? 0 : 1
}

interface Clip {
  readonly text: string
  readonly sound: Buffer
}

async function speak(client: AudioClient): Promise<Clip[]> {
  const clips: Clip[] = []
  for (const text of SENTENCES.slice(0, ALONE)) {
    const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id: 'slt' })
    if (speech.format.sampleRate !== RATE) throw new Error(`The voice has ${speech.format.sampleRate} Hz, not ${RATE}`)
    const parts: Uint8Array[] = []
    for await (const chunk of speech) parts.push(chunk)
    clips.push({ text, sound: Buffer.concat(parts) })
  }
  return clips
}

/** Joins clips, with a pause behind each of them. */
function record(clips: readonly Clip[]): Recording {
  const parts: Buffer[] = []
  const ends: number[] = []
  let bytes = 0
  for (const { sound } of clips) {
    let voice = sound.length - 2
    while (voice > 0 && Math.abs(sound.readInt16LE(voice)) < QUIET) voice -= 2
    ends.push((bytes + voice) / 2 / RATE)
    parts.push(sound, Buffer.alloc(PAUSE * RATE * 2))
    bytes += sound.length + PAUSE * RATE * 2
  }
  parts.push(Buffer.alloc(END * RATE * 2))
  return { text: clips.map(({ text }) => text).join(' '), sound: Buffer.concat(parts), ends }
}

interface Transcript {
  readonly text: string
  /** Seconds since the first sound was sent. */
  readonly at: number
}

interface Event {
  readonly type: string
  readonly transcript?: string
}

/** Opens a session for PCM of the rate above. */
async function openSession(): Promise<WebSocket> {
  const url = `${service.baseUrl.replace('http', 'ws')}/openai/v1/realtime?intent=transcription`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${service.apiKey}` } })
  await once(socket, 'open')
  const input = { format: { type: 'audio/pcm', rate: RATE } }
  socket.send(JSON.stringify({ type: 'session.update', session: { type: 'transcription', audio: { input } } }))
  return socket
}

/** Sends sound as a microphone does. */
async function sendLive(socket: WebSocket, sound: Buffer): Promise<void> {
  const begin = performance.now()
  const bytes = PIECE * RATE * 2
  for (let at = 0; at < sound.length; at += bytes) {
    const audio = sound.subarray(at, at + bytes).toString('base64')
    // A piece exists when its sound is over.
    await sleep(Math.max(0, begin + (1000 * (at + bytes)) / 2 / RATE - performance.now()))
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio }))
  }
}

/** Streams a recording in real time. @returns Its transcripts, in order, and the seconds from the last sound to the last of them */
async function transcribe({ sound }: Recording): Promise<{ heard: Transcript[]; late: number }> {
  const socket = await openSession()
  const begin = performance.now()
  const seconds = (): number => (performance.now() - begin) / 1000
  const heard: Transcript[] = []
  let turns = 0
  let sent = Infinity
  const done = Promise.withResolvers<undefined>()
  socket.on('message', (data) => {
    const event: Event = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
    if (event.type === 'error' || event.type.endsWith('.failed')) done.reject(new Error(JSON.stringify(event)))
    if (event.type === 'input_audio_buffer.speech_started') turns += 1
    if (event.type === COMPLETED) heard.push({ text: event.transcript ?? '', at: seconds() })
    // Its answer says that all sound before it was heard.
    if (event.type === 'input_audio_buffer.cleared') sent = seconds()
    if (sent !== Infinity && heard.length === turns) done.resolve(undefined)
  })
  socket.on('close', () => done.reject(new Error('The session was closed')))
  await sendLive(socket, sound)
  socket.send(JSON.stringify({ type: 'input_audio_buffer.clear' }))
  await done.promise
  socket.removeAllListeners('close')
  socket.close()
  return { heard, late: seconds() - sound.length / 2 / RATE }
}

type Row = readonly [name: string, value: string, verdict?: string]

/** Of each sentence, the time from its end to the first transcript after it. */
function delaysOf({ ends }: Recording, heard: readonly Transcript[]): number[] {
  return ends
    .map((end) => (heard.find(({ at }) => at > end)?.at ?? Infinity) - end)
    .toSorted((one, other) => one - other)
}

function errorsOf({ text }: Recording, heard: readonly Transcript[]): number {
  return wordErrorRate(text, heard.map((one) => one.text).join(' '))
}

function ofHundred(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
}

async function alone(client: AudioClient, clips: readonly Clip[]): Promise<Row[]> {
  const recording = record(clips)
  const wav = encodeWav({ sampleRate: RATE, channels: 1, bitDepth: 16 }, [recording.sound])
  const { text } = await client.transcriptions.create({
    model: 'svc-transcribe-1.0',
    file: { data: wav, name: 'live.wav' },
  })
  const { heard } = await transcribe(recording)
  const delays = delaysOf(recording, heard)
  const [live, file] = [errorsOf(recording, heard), wordErrorRate(recording.text, text)]
  const slowest = percentile(delays, 0.95)
  return [
    ['transcript after the end of a sentence, median', `${percentile(delays, 0.5).toFixed(2)} s`],
    ['… of 95 in 100', `${slowest.toFixed(2)} s`, slowest <= MAX_DELAY ? 'ok' : 'LATE'],
    ['… the last one', `${percentile(delays, 1).toFixed(2)} s`],
    ['sentences, transcripts', `${clips.length}, ${heard.length}`],
    ['word errors of the file', ofHundred(file)],
    ['word errors of the session', ofHundred(live), live <= file + MAX_WORSE ? 'ok' : 'WORSE'],
  ]
}

async function atOnce(clips: readonly Clip[]): Promise<Row[]> {
  const recordings = Array.from({ length: sessions }, (_, index) =>
    record(
      Array.from(
        { length: BESIDE },
        (_one, number) =>
          clips[(index * BESIDE + number) % clips.length] ?? clips[0] ?? { text: '', sound: Buffer.alloc(0) },
      ),
    ),
  )
  const all = await Promise.all(
    recordings.map(async (recording, index) => {
      // Speakers do not begin together.
      await sleep((index % 10) * 300)
      const { heard, late } = await transcribe(recording)
      return { recording, heard, late }
    }),
  )
  const delays = all.flatMap(({ recording, heard }) => delaysOf(recording, heard)).toSorted((one, other) => one - other)
  const complete = all.filter(({ heard }) => heard.length >= BESIDE).length
  const errors = all.reduce((sum, { recording, heard }) => sum + errorsOf(recording, heard), 0) / all.length
  const late = Math.max(...all.map((one) => one.late))
  const name = `${sessions} sessions at once`
  return [
    [`${name}, with every sentence`, `${complete} of ${sessions}`, complete === sessions ? 'ok' : 'LOST'],
    [`${name}, transcript after the end of a sentence, median`, `${percentile(delays, 0.5).toFixed(1)} s`],
    [`${name}, … of 95 in 100`, `${percentile(delays, 0.95).toFixed(1)} s`],
    [`${name}, last transcript after the last sound`, `${late.toFixed(1)} s`, late <= MAX_LATE ? 'ok' : 'LATE'],
    [`${name}, word errors`, ofHundred(errors)],
  ]
}

/** Clients that break off, and clients that read nothing more. */
async function vanished(clips: readonly Clip[]): Promise<Row[]> {
  const descriptors = (): number => readdirSync(`/proc/${service.pid}/fd`).length
  const { sound } = record(clips.slice(0, 1))
  await sleep(2000)
  const before = descriptors()
  const sockets = await Promise.all(Array.from({ length: 20 }, openSession))
  const during = descriptors()
  await Promise.all(sockets.map((socket) => sendLive(socket, sound.subarray(0, RATE * 4))))
  for (const [index, socket] of sockets.entries()) {
    socket.on('error', () => undefined)
    if (index % 2 === 0) socket.terminate()
    else socket.pause()
  }
  await sleep(CUT_MS)
  const after = descriptors()
  for (const socket of sockets) socket.terminate()
  const left = `${before} → ${during} → ${after}`
  return [['20 clients vanish: descriptors of the service', left, after <= before ? 'ok' : 'LEFT']]
}
