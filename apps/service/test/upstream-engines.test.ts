import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Writable } from 'node:stream'
import { examine } from '../src/cli/doctor.ts'
import { checkEngines, listEngines } from '../src/cli/list-engines.ts'
import { printAuditLog } from '../src/cli/print-audit-log.ts'
import { readUsage } from '../src/cli/usage.ts'
import { parsePrometheus } from './support/telemetry.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

/** A service that speaks and transcribes by another one, through its OpenAI door. */
let folder: string
let far: TestService
let near: TestService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-upstream-'))
  far = await startTestService({ openaiApi: true })
  const file = join(folder, 'engines.yaml')
  process.env['FAR_KEY'] = KEY
  await writeFile(file, entriesFor(far.url))
  near = await startTestService({ enginesFile: file })
})
afterAll(async () => {
  delete process.env['FAR_KEY']
  await Promise.all([near.close(), far.close()])
  await rm(folder, { recursive: true, force: true })
})

function entriesFor(url: string): string {
  return `
engines:
  far:
    driver: openai
    baseUrl: ${url}/openai/v1
    apiKeyVariable: FAR_KEY
    atOnce: 8
    speech:
      model: tts-1
      sampleRate: 16000
      format: wav
      voices:
        - { id: far-slt, voice: slt, name: Far, language: en, gender: female }
    recognition:
      model: whisper-1
  gone:
    driver: openai
    baseUrl: http://127.0.0.1:9/v1
    retries: 0
    speech: { model: x, voices: [{ id: gone-voice }] }
`
}

const PHRASE = 'The train to the coast leaves at seven in the morning.'
const body = { model: 'svc-tts-1.5-flash', input: PHRASE, response_format: 'wav' } as const

describe('a service with another service as its engine', () => {
  test('lists the voices of all engines, those of the file first', async () => {
    const { data } = await near.audio.voices.list()
    expect(data.slice(0, 2).map(({ id }) => id)).toEqual(['far-slt', 'gone-voice'])
    expect(data.map(({ id }) => id)).toContain('rms')
  })

  test('speaks as the other one, and hears what it said', async () => {
    const wav = await (await near.audio.speech.create({ ...body, voice_id: 'far-slt' })).bytes()
    const own = await (await far.audio.speech.create({ ...body, voice_id: 'slt' })).bytes()
    expect(wav.length / own.length).toBeCloseTo(1, 1)
    const file = { data: wav, name: 'speech.wav' }
    const { text } = await near.audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    expect(text).toMatch(/train.*leaves.*morning/i)
  })

  test('separates the speakers itself, with the times of the words', async () => {
    const wav = await (await near.audio.speech.create({ ...body, voice_id: 'far-slt' })).bytes()
    const file = { data: wav, name: 'speech.wav' }
    const result = await near.audio.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file })
    expect(result).toMatchObject({ segments: [{ speaker: 'S01' }] })
  })

  test('makes pauses, speed and an expected length itself', async () => {
    const speech = await near.audio.speech.stream({
      model: 'svc-tts-1.5-flash',
      input: 'One two three. [pause 1.5s] Four five six.',
      voice_id: 'far-slt',
      expected_duration_sec: 6,
      response_format: 'pcm',
    })
    let bytes = 0
    for await (const chunk of speech) bytes += chunk.length
    expect(bytes / 2 / 16_000).toBeCloseTo(6, 1)
  })

  test('answers 503 for an engine that is down, and works with the others', async () => {
    const response = await fetch(`${near.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, voice_id: 'gone-voice' }),
    })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'engine_unavailable' } })
    const ready = await (await fetch(`${near.url}/readyz`)).json()
    expect(ready).toEqual({ status: 'ready', engines: ['gone speech'] })
    const samples = parsePrometheus(await (await fetch(`${near.url}/metrics`)).text())
    expect(samples.get('svc_audio_named_engine_up{engine="speech",name="gone"}')).toBe(0)
    expect(samples.get('svc_audio_named_engine_up{engine="speech",name="far"}')).toBe(1)
    const work = (engine: string, name: string, measure: string): number | undefined =>
      samples.get(`svc_audio_named_engine_${measure}_total{engine="${engine}",name="${name}"}`)
    expect(work('speech', 'far', 'audio_seconds')).toBeGreaterThan(2)
    expect(work('recognition', 'far', 'audio_seconds')).toBeGreaterThan(2)
    expect(work('speech', 'far', 'failures')).toBe(0)
  })

  test('counts the work of each engine, and says in the audit log which engine had a task', async () => {
    const task = await near.audio.speech.createTask({ ...body, input: 'One two.', voice_id: 'far-slt' })
    await task.wait()
    const options = { dataDir: near.dataDir }
    const read = async () => {
      const text = await readUsage(options, { tenant: undefined, from: '2000-01-01', to: '2099-12-31', json: true })
      const report: { tenants: { total: object; engines: { engine: string; work: string; calls: number }[] }[] } =
        JSON.parse(text)
      return report.tenants[0]
    }
    const calls = async (work: string) =>
      (await read())?.engines.find((row) => row.engine === 'far' && row.work === work)
    await expect.poll(() => calls('speech'), { timeout: 20_000 }).toBeDefined()
    expect(await calls('speech')).toMatchObject({ failed: 0 })
    expect(await calls('recognition')).toMatchObject({ calls: 2, characters: 0 })
    let log = ''
    const to = new Writable({ write: (chunk, _encoding, done) => done(void (log += String(chunk))) })
    await expect
      .poll(async () => {
        await printAuditLog(options, { action: 'useEngine' }, to)
        return log
      })
      .toContain(`"id":"${task.id}"`)
    expect(log).toContain('"engine":"speech@far"')
    expect(log).toContain('"engine":"diarization@bundled"')
  })

  test('has a line of doctor for each engine, and fails for the one that is down', async () => {
    const { report, healthy } = await examine({ dataDir: folder, enginesFile: join(folder, 'engines.yaml') }, [
      { name: 'engines', run: checkEngines },
    ])
    const [speech, recognition, gone] = report.split('\n')
    expect(speech).toMatch(
      // A busy machine needs more than a second for a second of audio, which is a warning.
      /^(?:ok {4}|warn {2})far speech       far-slt spoke [\d.]+ s, first audio after [\d.]+ s, [\d.]+ s of work a second(?:, far needs .*)?$/,
    )
    expect(recognition).toMatch(
      /^(?:ok {4}|warn {2})far recognition  heard ".*coast.*", with times of words, [\d.]+ s of work a second(?:, far needs .*)?$/,
    )
    expect(gone).toMatch(/^fail  gone speech      .*127\.0\.0\.1:9/)
    expect(healthy).toBe(false)
  })

  test('is listed with state, voices and speed of each engine', async () => {
    const file = join(folder, 'engines.yaml')
    const { list, works } = await listEngines({ dataDir: folder, enginesFile: file }, {})
    expect(works).toBe(false)
    expect(list).toMatch(/^far +openai +speech +works +1 .* far-slt spoke \d/m)
    expect(list).toMatch(/^far +openai +recognition +works .* heard ".*coast/m)
    expect(list).toMatch(/^gone +openai +speech +fails .* gone cannot be reached/m)
  })
})
