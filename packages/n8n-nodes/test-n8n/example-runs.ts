import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { Page } from 'playwright-core'
import type { Canvas } from './canvas.ts'
import { escaped } from './node-form.ts'
import type { N8nRest } from './rest.ts'
import { resultUrl, startFeed, startModel, startTelegram } from './stand-ins.ts'

const SENTENCES = ['There is fresh bread on the table.', 'The train to the coast leaves at seven.'] as const

/** How long a run in the editor may take on a busy machine, in milliseconds. */
const RUN_TIMEOUT = 300_000

/** What the runs need. */
export interface ExampleRunOptions {
  readonly rest: N8nRest
  /** A client of the service that does not go through n8n. */
  readonly direct: AudioClient
  /** A folder that n8n may write. */
  readonly folder: string
}

/** How a built example is run in the editor. */
export interface ExampleRun {
  /** Typed in place of values of the README, which name addresses of the user. */
  readonly replaced: Readonly<Record<string, string>>
  /** Clicks. @returns What came out */
  run(page: Page, canvas: Canvas): Promise<string>
}

type PrepareRun = (options: ExampleRunOptions, stack: AsyncDisposableStack) => Promise<ExampleRun>

/** Prepares the run of each example, by the name of its file. What the services of others do is done on this machine. */
export const EXAMPLE_RUNS: Readonly<Record<string, PrepareRun>> = {
  'podcast-from-articles': preparePodcast,
  'meeting-notes': prepareMeetingNotes,
  'voice-agent-tool': prepareVoiceAgent,
  'voice-note-reply': prepareVoiceNote,
}

async function preparePodcast({ folder, direct }: ExampleRunOptions, stack: AsyncDisposableStack): Promise<ExampleRun> {
  const feed = await startFeed(SENTENCES.map((sentence) => sentence.slice(0, -1)))
  stack.defer(() => feed.close())
  return {
    replaced: { 'https://example.com/feed.xml': feed.url, '/tmp/': `${folder}/` },
    async run(page, canvas) {
      await page.getByTestId('execute-workflow-button').first().click()
      await canvas.succeeded('Save', RUN_TIMEOUT)
      const data = await readFile(join(folder, 'podcast.mp3'))
      const { text } = await direct.transcriptions.create({
        model: 'svc-transcribe-1.0',
        file: { data, name: 'podcast.mp3' },
      })
      return `an MP3 of ${data.byteLength} bytes, ${rateOf(`${SENTENCES[0]} So it was. ${SENTENCES[1]} So it was.`, text)}`
    },
  }
}

async function prepareMeetingNotes({ rest, direct }: ExampleRunOptions): Promise<ExampleRun> {
  // n8n 2.0 executes no node of a workflow in which another one lacks its credentials
  await rest.addCredential('Google', 'googleDocsOAuth2Api', { clientId: 'none', clientSecret: 'none' })
  const speakers = ['slt', 'rms'].map((voice) => ({ id: voice, voice_id: voice }))
  const segments = SENTENCES.map((text, index) => ({ speaker: index === 0 ? 'slt' : 'rms', text }))
  const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'wav' }
  const buffer = Buffer.from(await direct.dialogue.create(body).then((audio) => audio.bytes()))
  const file = { data: buffer, name: 'meeting.wav' }
  const heard = await direct.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file })
  const names: Readonly<Record<string, string>> = { S01: 'Ann', S02: 'Ben' }
  const notes = heard.segments.map(({ speaker, text }) => `${names[speaker] ?? speaker}: ${text.trim()}`)
  return {
    replaced: {},
    async run(page, canvas) {
      await canvas.open('Transcribe')
      // n8n opens the form in a window of its own.
      const [form] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByTestId('node-execute-button').first().click(),
      ])
      await form.locator('input[type="file"]').setInputFiles({ name: 'meeting.wav', mimeType: 'audio/wav', buffer })
      await form.locator('button[type="submit"]').click()
      const output = page.getByTestId('output-panel').or(page.getByTestId('ndv-output-panel')).first()
      // n8n writes a line break as \n
      const wanted = new RegExp(notes.map(escaped).join('.{0,8}'))
      await output.getByText(wanted).first().waitFor({ timeout: RUN_TIMEOUT })
      await canvas.closeNode()
      return `notes with names, as the service hears them: ${notes.join(' ')}`
    },
  }
}

async function prepareVoiceAgent({ rest }: ExampleRunOptions, stack: AsyncDisposableStack): Promise<ExampleRun> {
  const model = await startModel(SENTENCES[0])
  stack.defer(() => model.close())
  await rest.addCredential('OpenAI', 'openAiApi', { apiKey: 'none', url: model.url })
  return {
    replaced: {},
    async run(page) {
      await page.getByTestId('workflow-chat-button').first().click()
      const input = page.getByTestId('chat-input').locator('textarea').or(page.locator('.chat-inputs textarea')).first()
      await input.fill('Say it aloud')
      await input.press('Enter')
      const answer = page.getByText(/\/results\/.*"text"/s).last()
      await answer.waitFor({ timeout: RUN_TIMEOUT })
      const text = (await answer.textContent()) ?? ''
      const response = await fetch(resultUrl(text))
      if (!response.ok) throw new Error(`The agent answers with an address that gives ${response.status}: ${text}`)
      const heard = /"text":"([^"]*)"/.exec(text)?.[1] ?? ''
      return `the agent speaks, listens to its speech, and answers in the chat, ${rateOf(SENTENCES[0], heard)}`
    },
  }
}

async function prepareVoiceNote({ rest, direct }: ExampleRunOptions, stack: AsyncDisposableStack): Promise<ExampleRun> {
  const body = { model: 'svc-tts-1.5-flash', input: SENTENCES[1], voice_id: 'rms', response_format: 'opus' }
  const note = await direct.speech.create(body).then((audio) => audio.bytes())
  const telegram = await startTelegram(note)
  stack.defer(() => telegram.close())
  await rest.addCredential('Telegram', 'telegramApi', { accessToken: '1:none', baseUrl: telegram.url })
  return {
    replaced: {},
    async run(page, canvas) {
      await page.getByTestId('execute-workflow-button').first().click()
      await telegram.sendVoiceNote()
      await canvas.succeeded('Send', RUN_TIMEOUT)
      const [sent = Buffer.alloc(0)] = telegram.sent
      if (!sent.includes('OggS')) throw new Error('The bot sends no Ogg Opus')
      return `the bot sends a voice note, a body of ${sent.byteLength} bytes`
    },
  }
}

function rateOf(expected: string, heard: string): string {
  const rate = wordErrorRate(expected, heard)
  if (rate > 0.35) throw new Error(`Heard "${heard}", a word error rate of ${rate}`)
  return `word error rate ${rate.toFixed(2)}`
}
