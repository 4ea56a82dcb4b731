import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import { launchChromium } from '@svc-audio/kit/hosts'
import { startService } from '@svc-audio/service'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TalkPage } from './browsers/talk-page.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** What a browser does with a microphone by itself, switched off: a tone is noise to it. */
const PLAIN = '{ echoCancellation: false, noiseSuppression: false, autoGainControl: false }'

/** A tone as PCM. */
function tone(seconds: number, hertz: number, level: number): Uint8Array {
  const samples = Int16Array.from(
    { length: seconds * FORMAT.sampleRate },
    (_, index) => Math.sin((2 * Math.PI * hertz * index) / FORMAT.sampleRate) * level * 0x7f_ff,
  )
  return new Uint8Array(samples.buffer)
}

/** A question in the voice of the service, as a WAV file. */
async function question(folder: string): Promise<Uint8Array> {
  const apiKey = 'voice-browser-key-0123456789'
  const keys = new Map([[apiKey, 'tests']])
  const service = await startService({ dataDir: folder, port: 0, apiKeys: keys, logLevel: 'silent' })
  const client = new AudioClient({ apiKey, baseUrl: service.url })
  const input = 'When does the train to the coast leave, and is the old museum open in the morning?'
  const stream = await client.speech.stream({ model: 'svc-tts-1.5-flash', voice_id: 'slt', input })
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  await client.close()
  await service.close()
  return encodeWav(stream.format, pieces)
}

type Chromium = Awaited<ReturnType<typeof launchChromium>>

let folder: string
let chromium: Chromium
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voice-browser-'))
  const microphone = join(folder, 'microphone.wav')
  await writeFile(microphone, encodeWav(FORMAT, [tone(2, 1000, 0.5)]))
  chromium = await launchChromium([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${microphone}`,
    '--autoplay-policy=no-user-gesture-required',
  ])
})
afterAll(async () => {
  await chromium.close()
  await rm(folder, { recursive: true, force: true })
})

describe('the voice client in Chromium', () => {
  let browser: Awaited<ReturnType<Chromium['newPage']>>
  let page: TalkPage
  beforeEach(async () => {
    page = await TalkPage.start()
    browser = await chromium.newPage()
    await browser.goto(page.url)
    await until(() => browser.evaluate('window.isLoaded === true'), true)
  })
  afterEach(async () => {
    await browser.close()
    await page.close()
  })

  /** Waits for a value. */
  const until = (read: () => unknown, value: unknown): Promise<void> =>
    expect.poll(read, { timeout: 60_000, interval: 50 }).toEqual(value)
  /** Waits until the answer is played to its end. */
  const played = (seconds: number): Promise<void> =>
    expect.poll(() => page.playedSeconds(), { timeout: 60_000 }).toBeCloseTo(seconds, 6)
  const statuses = (): Promise<unknown> => browser.evaluate('statuses')
  const begin = async (options: string): Promise<void> => {
    await browser.evaluate(`begin(${options})`)
    await until(statuses, ['connecting', 'listening'])
  }
  const hear = (seconds: number): Promise<void> => {
    page.listen()
    return expect.poll(() => page.heard.seconds, { timeout: 60_000 }).toBeGreaterThan(seconds)
  }
  /** Begins an answer of a tone, in pieces of 100 ms. */
  const answer = (seconds: number): void => {
    page.say({ type: 'stt_output', transcript: 'hello' })
    for (let piece = 0; piece < seconds * 10; piece += 1)
      page.say({ type: 'tts_chunk', audio: tone(0.1, 500, 0.3), format: FORMAT })
    page.say({ type: 'turn_end' })
  }

  test('sends the microphone as PCM at 16 kHz, in real time', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    const started = performance.now()
    await hear(2)
    const { hertz, peak, seconds } = page.heard
    expect(Math.abs(hertz - 1000)).toBeLessThan(30)
    expect(peak).toBeGreaterThan(1000)
    expect(seconds).toBeLessThan((performance.now() - started) / 1000 + 1)
  })

  test('plays an answer to its end without a gap, and reports its position', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    answer(3)
    await played(3)
    await until(statuses, ['connecting', 'listening', 'thinking', 'speaking', 'listening'])
    const last = await browser.evaluate('reports.at(-1)')
    expect(last).toMatchObject({ turn: 1, queued: 0, starved: 0 })
    // What left the player is the tone, all the time.
    const levels = await browser.evaluate(
      'reports.filter(({ played }) => played > 0.2 && played < 2.8).map(({ level }) => level)',
    )
    expect(Math.min(...(levels as number[]))).toBeGreaterThan(0.15)
  })

  test('a pause holds the position, and the answer continues there', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    answer(3)
    await expect.poll(() => page.playedSeconds(), { timeout: 60_000 }).toBeGreaterThan(0.5)
    page.say({ type: 'paused' })
    await until(() => browser.evaluate('statuses.at(-1)'), 'paused')
    const held = await browser.evaluate('new Promise((go) => setTimeout(() => go(client.playedSeconds), 300))')
    expect(await browser.evaluate('new Promise((go) => setTimeout(() => go(client.playedSeconds), 500))')).toBe(held)
    page.say({ type: 'resumed' })
    await played(3)
    expect(await browser.evaluate('reports.at(-1)')).toMatchObject({ starved: 0 })
  })

  test('an echo of the answer is not sent, and a voice over it is', async () => {
    await begin(`{ microphone: tone(700, 0.004) }`)
    answer(30)
    await expect.poll(() => page.playedSeconds(), { timeout: 60_000 }).toBeGreaterThan(1)
    await hear(0.5)
    expect(page.heard.peak).toBe(0)
    await browser.evaluate('void (loudness.gain.value = 0.5)')
    await expect.poll(() => page.heard.peak, { timeout: 60_000 }).toBeGreaterThan(8000)
    page.say({ type: 'interrupted', heard: '' })
    await until(() => browser.evaluate('reports.at(-1).queued'), 0)
  })

  test.each([-20, -30, -40])('an echo at %d dB is not sent, from the first sample of the answer', async (decibels) => {
    await begin(`{ microphone: echo(${10 ** (decibels / 20)}) }`)
    page.listen()
    answer(3)
    await played(3)
    expect(page.heard.seconds).toBeGreaterThan(2)
    expect(page.heard.peak).toBe(0)
  })

  test('without the guard, that echo is sent', async () => {
    await begin(`{ microphone: echo(0.1), echoGuard: 'off' }`)
    page.listen()
    answer(2)
    await played(2)
    expect(page.heard.peak).toBeGreaterThan(500)
  })

  test('half-duplex sends nothing of a loud voice while the answer plays, and all of it afterwards', async () => {
    await begin(`{ microphone: tone(700, 0.5), echoGuard: 'half-duplex' }`)
    answer(6)
    await expect.poll(() => page.playedSeconds(), { timeout: 60_000 }).toBeGreaterThan(2)
    await hear(0.5)
    expect(page.heard.peak).toBe(0)
    await played(6)
    await expect.poll(() => page.heard.peak, { timeout: 60_000 }).toBeGreaterThan(8000)
  })

  test('a connection that is cut in the middle of an answer is opened again, and the conversation continues', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    answer(5)
    await expect.poll(() => page.playedSeconds(), { timeout: 60_000 }).toBeGreaterThan(0.3)
    await until(() => browser.evaluate('client.status'), 'speaking')
    page.cut()
    await until(
      () => browser.evaluate("statuses.slice(statuses.lastIndexOf('reconnecting'))"),
      ['reconnecting', 'listening'],
    )
    // The same session: its state counts the connections.
    expect(page.calls).toBe(2)
    await hear(0.5)
    expect(Math.abs(page.heard.hertz - 1000)).toBeLessThan(60)
    answer(1)
    await played(1)
    expect(await browser.evaluate('ends')).toEqual([])
  })

  test('a mute sends silence, so that the user’s utterance ends, and ends with the mute', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    await hear(0.5)
    await browser.evaluate('void (client.muted = true)')
    await hear(0.3)
    await hear(0.5)
    expect(page.heard.peak).toBe(0)
    await browser.evaluate('void (client.muted = false)')
    await expect.poll(() => page.heard.peak, { timeout: 60_000 }).toBeGreaterThan(1000)
  })

  test('a microphone that is unplugged gives way to another one, or the page is told until one is plugged in', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    await browser.evaluate('unplug()')
    await until(() => browser.evaluate('microphones.length'), 2)
    await expect.poll(() => page.heard.peak, { timeout: 60_000 }).toBeGreaterThan(1000)
    expect(await browser.evaluate('client.status')).toBe('listening')
    await browser.evaluate("denial = 'NotFoundError', unplug()")
    await until(() => browser.evaluate('client.status'), 'unplugged')
    await browser.evaluate("denial = '', navigator.mediaDevices.dispatchEvent(new Event('devicechange'))")
    await until(() => browser.evaluate('client.status'), 'listening')
    await hear(0.5)
    expect(page.heard.peak).toBeGreaterThan(1000)
    expect(page.calls).toBe(1)
  })

  test('sound that the browser stops is started again, or the page is told and a click continues', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    await browser.evaluate('contexts[0].suspend()')
    await hear(0.5)
    expect(await statuses()).toEqual(['connecting', 'listening'])
    await browser.evaluate('isBlocked = true, contexts[0].suspend()')
    await until(() => browser.evaluate('client.status'), 'blocked')
    await browser.evaluate('void (isBlocked = false)')
    await browser.click('html')
    await until(() => browser.evaluate('client.status'), 'listening')
    await hear(0.5)
    expect(page.heard.peak).toBeGreaterThan(1000)
  })

  test('a page in the background listens, and plays an answer to its end', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    const front = await chromium.newPage()
    await front.bringToFront()
    answer(2)
    await played(2)
    await hear(1)
    expect(page.heard.peak).toBeGreaterThan(1000)
    await front.close()
  })

  test('a model that fails brings the page back to listening', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    page.say({ type: 'stt_output', transcript: 'hello' })
    page.say({ type: 'error', stage: 'agent', error: new Error('down') })
    page.say({ type: 'agent_end', text: '' })
    page.say({ type: 'turn_end' })
    await until(() => browser.evaluate('client.status'), 'listening')
    expect(await statuses()).toEqual(['connecting', 'listening', 'thinking', 'listening'])
  })

  describe('with Silero in the page', () => {
    const MICROPHONE = '{ echoCancellation: false }'
    let recording: Uint8Array
    beforeAll(async () => {
      recording = await question(join(folder, 'service'))
    })
    beforeEach(() => {
      page.recording = recording
    })

    test('a loud tone stays in the page, and what the user says is sent', async () => {
      await browser.evaluate(`user().then((stream) => begin({ microphone: stream, speech: silero() }))`)
      await until(() => browser.evaluate('client.status'), 'listening')
      await browser.evaluate('void (beep.gain.value = 0.3)')
      // What is sent is a quarter of a second behind.
      await hear(1)
      await hear(2)
      expect(page.heard.peak).toBe(0)
      await browser.evaluate('void (beep.gain.value = 0, voice.gain.value = 1)')
      await expect.poll(() => page.heard.peak, { timeout: 60_000 }).toBeGreaterThan(3000)
      await browser.evaluate('void (voice.gain.value = 0, beep.gain.value = 0.3)')
      await hear(2)
      await hear(1)
      expect(page.heard.peak).toBe(0)
    })

    test('a file that is missing is named, and the microphone is free', async () => {
      const started = browser.evaluate(`begin({ microphone: ${MICROPHONE}, speech: silero('/silero/none.onnx') })`)
      await expect(started).rejects.toThrow('/silero/none.onnx answered 404')
      await until(() => browser.evaluate('microphones[0]?.getTracks()[0].readyState'), 'ended')
      expect(await browser.evaluate('client.status')).toBe('closed')
    })
  })

  describe('the page of the quick start', () => {
    const text = (id: string): Promise<unknown> => browser.evaluate(`document.getElementById('${id}').textContent`)
    const talk = async (): Promise<void> => {
      await browser.goto(`${page.url}/quick-start`)
      await browser.click('#talk')
    }

    test('says what to do without a microphone, and continues when it is allowed', async () => {
      await browser.goto(`${page.url}/quick-start`)
      await browser.evaluate("void (denial = 'NotAllowedError')")
      await browser.click('#talk')
      await expect.poll(() => text('status'), { timeout: 60_000 }).toContain('Allow it in the address bar')
      await browser.evaluate("void (denial = '')")
      await browser.click('#talk')
      await until(() => text('status'), 'Speak.')
    })

    test('shows a failing model, a mute, a pulled headset and blocked sound', async () => {
      await talk()
      await until(() => text('status'), 'Speak.')
      page.say({ type: 'stt_output', transcript: 'hello' })
      await until(() => text('status'), 'The agent thinks …')
      page.say({ type: 'error', stage: 'agent', error: new Error('down') })
      page.say({ type: 'turn_end' })
      await until(() => text('said'), 'The answer failed. Ask again.')
      await until(() => text('status'), 'Speak.')
      await browser.click('#mute')
      expect(await text('mute')).toBe('Unmute')
      await browser.evaluate("denial = 'NotFoundError', unplug()")
      await until(() => text('status'), 'The microphone is gone. Plug one in to continue.')
      await browser.evaluate("denial = '', navigator.mediaDevices.dispatchEvent(new Event('devicechange'))")
      await until(() => text('status'), 'Speak.')
      await browser.evaluate('isBlocked = true, contexts[0].suspend()')
      await until(() => text('status'), 'The browser has stopped the sound. Click here to continue.')
      await browser.evaluate('void (isBlocked = false)')
      await browser.click('#status')
      await until(() => text('status'), 'Speak.')
      expect(page.calls).toBe(1)
    })
  })

  test('stop() frees the microphone and the audio', async () => {
    await begin(`{ microphone: ${PLAIN} }`)
    await hear(0.2)
    await browser.evaluate('client.stop()')
    expect(await statuses()).toEqual(['connecting', 'listening', 'closed'])
    await browser.evaluate(`begin({ microphone: ${PLAIN} })`)
    await until(() => browser.evaluate('client.status'), 'listening')
  })
})
