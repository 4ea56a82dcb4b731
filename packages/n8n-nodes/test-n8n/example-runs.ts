import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { Page } from 'playwright-core'
import { type Canvas, escaped } from './canvas.ts'
import { type LocalServer, startLocalServer } from './local-server.ts'
import type { N8nRest } from './rest.ts'

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
  'speak-and-listen': prepareSpeakAndListen,
  'minutes-and-subtitles': prepareMinutes,
  'chat-with-a-voice-file': prepareChatWithFile,
  'wait-for-a-task': prepareWait,
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

async function prepareSpeakAndListen(): Promise<ExampleRun> {
  return {
    replaced: {},
    async run(page, canvas) {
      await page.getByTestId('execute-workflow-button').first().click()
      await canvas.succeeded('Listen', RUN_TIMEOUT)
      await canvas.open('Listen')
      const output = page.getByTestId('output-panel').or(page.getByTestId('ndv-output-panel')).first()
      await output
        .getByText(/good morning/i)
        .first()
        .waitFor({ timeout: RUN_TIMEOUT })
      await canvas.closeNode()
      return 'a sentence is spoken and heard'
    },
  }
}

async function prepareMinutes({ folder, direct }: ExampleRunOptions): Promise<ExampleRun> {
  await mkdir(join(folder, 'recordings'))
  const speakers = ['slt', 'rms'].map((voice) => ({ id: voice, voice_id: voice }))
  for (const [index, first] of SENTENCES.entries()) {
    const second = SENTENCES[1 - index] ?? ''
    const segments = [
      { speaker: 'slt', text: first },
      { speaker: 'rms', text: second },
    ]
    const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'wav' }
    const wav = await direct.dialogue.create(body).then((audio) => audio.bytes())
    await writeFile(join(folder, `recordings/meeting${index + 1}.wav`), wav)
  }
  return {
    replaced: { '/files/': `${folder}/` },
    async run(page, canvas) {
      await page.getByTestId('execute-workflow-button').first().click()
      await canvas.succeeded('Save Subtitles', RUN_TIMEOUT)
      for (const name of ['meeting1', 'meeting2']) {
        const [minutes, subtitles] = await Promise.all(
          ['md', 'srt'].map((ending) => readFile(join(folder, `${name}.${ending}`), 'utf8')),
        )
        if (!/^# meeting\d\n\n\*\*Speaker 1\*\* \[00:00\] /.test(minutes ?? ''))
          throw new Error(`No minutes: ${minutes}`)
        if (!/^1\n00:00:00,\d+ --> /.test(subtitles ?? '')) throw new Error(`No subtitles: ${subtitles}`)
      }
      return 'two recordings are two Markdown files and two SRT files'
    },
  }
}

async function prepareChatWithFile(
  { rest, direct }: ExampleRunOptions,
  stack: AsyncDisposableStack,
): Promise<ExampleRun> {
  const model = await startModel(SENTENCES[0], 'Listen')
  stack.defer(() => model.close())
  await rest.addCredential('OpenAI', 'openAiApi', { apiKey: 'none', url: model.url })
  const body = { model: 'svc-tts-1.5-flash', input: SENTENCES[0], voice_id: 'rms', response_format: 'wav' }
  const buffer = Buffer.from(await direct.speech.create(body).then((audio) => audio.bytes()))
  return {
    replaced: {},
    async run(page) {
      await page.getByTestId('workflow-chat-button').first().click()
      const input = page.getByTestId('chat-input').locator('textarea').or(page.locator('.chat-inputs textarea')).first()
      await input.fill('What is said there?')
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByTestId('chat-attach-file-button').or(page.locator('.chat-input-file-button')).first().click(),
      ])
      await chooser.setFiles({ name: 'memo.wav', mimeType: 'audio/wav', buffer })
      await input.press('Enter')
      const answer = page.getByText(/"text":/).last()
      await answer.waitFor({ timeout: RUN_TIMEOUT })
      const heard = /"text":"([^"]*)"/.exec((await answer.textContent()) ?? '')?.[1] ?? ''
      return `the agent hears the uploaded file, ${rateOf(SENTENCES[0], heard)}`
    },
  }
}

async function prepareWait(): Promise<ExampleRun> {
  return {
    replaced: {},
    async run(page, canvas) {
      await page.getByTestId('execute-workflow-button').first().click()
      await canvas.succeeded('Wait for task', RUN_TIMEOUT)
      await canvas.open('Wait for task')
      const output = page.getByTestId('output-panel').or(page.getByTestId('ndv-output-panel')).first()
      await output
        .getByText(/speech\.wav/)
        .first()
        .waitFor({ timeout: RUN_TIMEOUT })
      await canvas.closeNode()
      return 'the service resumes the run, and the last node outputs the audio'
    },
  }
}

function rateOf(expected: string, heard: string): string {
  const rate = wordErrorRate(expected, heard)
  if (rate > 0.35) throw new Error(`Heard "${heard}", a word error rate of ${rate}`)
  return `word error rate ${rate.toFixed(2)}`
}

/** A site with a feed of articles. */
function startFeed(titles: readonly string[]): Promise<LocalServer> {
  const items = titles.map((title) => `<item><title>${title}</title><description>So it was.</description></item>`)
  const feed = `<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`
  return startLocalServer((_request, response) => {
    response.setHeader('content-type', 'application/rss+xml')
    response.end(feed)
  })
}

/** The bot API of Telegram, as far as the trigger and the node of n8n use it. */
interface TelegramStandIn extends LocalServer {
  /** Sends a voice note to the bot. Waits until n8n has registered for messages. */
  sendVoiceNote(): Promise<void>
  /** Bodies of the audio files that the bot has sent. */
  readonly sent: Buffer[]
}

/** Where n8n wants messages. */
interface Hook {
  readonly url: string
  readonly secret_token?: string
}

/** How long n8n may take to register, in milliseconds. */
const REGISTRATION_TIMEOUT = 300_000

const CHAT = { id: 7, type: 'private' }

/** @param note The recording of the voice note, Ogg Opus as Telegram has it. */
async function startTelegram(note: Uint8Array): Promise<TelegramStandIn> {
  const sent: Buffer[] = []
  const registered = Promise.withResolvers<Hook>()
  const server = await startLocalServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Buffer))
    const body = Buffer.concat(chunks)
    const url = request.url ?? ''
    if (url.startsWith('/file/')) {
      response.setHeader('content-type', 'application/octet-stream')
      response.end(note)
      return
    }
    if (url.endsWith('/setWebhook')) registered.resolve(JSON.parse(body.toString()) as Hook)
    if (url.endsWith('/sendAudio')) sent.push(body)
    const result = url.includes('/getFile') ? { file_id: 'note', file_path: 'voice/file_0.oga' } : true
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ok: true, result }))
  })
  return {
    ...server,
    sent,
    async sendVoiceNote() {
      const hook = await Promise.race([registered.promise, delay(REGISTRATION_TIMEOUT)])
      if (hook === undefined) throw new Error('n8n does not register for the messages of the bot')
      const secret = hook.secret_token === undefined ? {} : { 'x-telegram-bot-api-secret-token': hook.secret_token }
      const voice = { file_id: 'note', mime_type: 'audio/ogg', duration: 2 }
      const response = await fetch(hook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...secret },
        body: JSON.stringify({ update_id: 1, message: { message_id: 1, date: 0, chat: CHAT, voice } }),
      })
      if (!response.ok) throw new Error(`n8n refuses the voice note: ${response.status} ${await response.text()}`)
    },
  }
}

/**
 * A model that calls the tool Speak, then the tool Listen with the address of the speech, and then repeats what both
 * answered. With the tool Listen, it calls that one alone. It speaks both APIs of OpenAI that n8n's node uses.
 */
function startModel(text: string, tool: 'Speak' | 'Listen' = 'Speak'): Promise<LocalServer> {
  return startLocalServer(async (request, response) => {
    let received = ''
    for await (const chunk of request) received += String(chunk)
    response.setHeader('content-type', 'application/json')
    const body = JSON.parse(received || '{}') as ModelRequest
    const next = tool === 'Speak' ? (answers: readonly string[]) => nextCall(answers, text) : callOnce
    response.end(JSON.stringify(request.url?.endsWith('/responses') === true ? respond(body, next) : chat(body, next)))
  })
}

interface ModelRequest {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly input?: readonly { readonly type?: string; readonly output?: unknown }[]
}

/** The next call of a tool. */
interface ToolCall {
  readonly name: string
  readonly arguments: string
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** @param answers What the tools have answered so far. */
function nextCall(answers: readonly string[], text: string): ToolCall | undefined {
  const [spoken, heard] = answers
  if (spoken === undefined) return { name: 'Speak', arguments: JSON.stringify({ Text: text }) }
  if (heard !== undefined) return undefined
  return { name: 'Listen', arguments: JSON.stringify({ URL: resultUrl(spoken) }) }
}

/** Calls the tool that listens, which needs no arguments. */
function callOnce(answers: readonly string[]): ToolCall | undefined {
  return answers.length > 0 ? undefined : { name: 'Listen', arguments: '{}' }
}

/** What the model calls after these answers of its tools. */
type NextCall = (answers: readonly string[]) => ToolCall | undefined

/** The address of speech in a text. */
function resultUrl(text: string): string {
  return /https?:[^\s"\\]+\/results\/[^\s"\\]+/.exec(text)?.[0] ?? ''
}

function chat({ messages = [] }: ModelRequest, next: NextCall): object {
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => asText(content))
  const call = next(answers)
  const message =
    call === undefined
      ? { role: 'assistant', content: answers.join('\n') }
      : { role: 'assistant', content: null, tool_calls: [{ id: call.name, type: 'function', function: call }] }
  const choices = [{ index: 0, finish_reason: call === undefined ? 'stop' : 'tool_calls', message }]
  return { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices, usage: USAGE }
}

function respond({ input = [] }: ModelRequest, next: NextCall): object {
  const answers = input.filter(({ type }) => type === 'function_call_output').map(({ output }) => asText(output))
  const call = next(answers)
  const content = [{ type: 'output_text', text: answers.join('\n'), annotations: [] }]
  const output =
    call === undefined
      ? [{ type: 'message', id: 'm-1', role: 'assistant', status: 'completed', content }]
      : [{ type: 'function_call', id: `fc-${call.name}`, call_id: call.name, status: 'completed', ...call }]
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return { id: 'r', object: 'response', created_at: 0, model: 'm', status: 'completed', error: null, output, usage }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
