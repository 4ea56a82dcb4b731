import { setTimeout as delay } from 'node:timers/promises'
import { type LocalServer, startLocalServer } from './local-server.ts'

/** A site with a feed of articles. */
export function startFeed(titles: readonly string[]): Promise<LocalServer> {
  const items = titles.map((title) => `<item><title>${title}</title><description>So it was.</description></item>`)
  const feed = `<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`
  return startLocalServer((_request, response) => {
    response.setHeader('content-type', 'application/rss+xml')
    response.end(feed)
  })
}

/** The bot API of Telegram, as far as the trigger and the node of n8n use it. */
export interface TelegramStandIn extends LocalServer {
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
export async function startTelegram(note: Uint8Array): Promise<TelegramStandIn> {
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
 * answered. It speaks both APIs of OpenAI that n8n's node uses.
 */
export function startModel(text: string): Promise<LocalServer> {
  return startLocalServer(async (request, response) => {
    let received = ''
    for await (const chunk of request) received += String(chunk)
    response.setHeader('content-type', 'application/json')
    const body = JSON.parse(received || '{}') as ModelRequest
    response.end(JSON.stringify(request.url?.endsWith('/responses') === true ? respond(body, text) : chat(body, text)))
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

/** The address of speech in a text. */
export function resultUrl(text: string): string {
  return /https?:[^\s"\\]+\/results\/[^\s"\\]+/.exec(text)?.[0] ?? ''
}

function chat({ messages = [] }: ModelRequest, text: string): object {
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => asText(content))
  const call = nextCall(answers, text)
  const message =
    call === undefined
      ? { role: 'assistant', content: answers.join('\n') }
      : { role: 'assistant', content: null, tool_calls: [{ id: call.name, type: 'function', function: call }] }
  const choices = [{ index: 0, finish_reason: call === undefined ? 'stop' : 'tool_calls', message }]
  return { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices, usage: USAGE }
}

function respond({ input = [] }: ModelRequest, text: string): object {
  const answers = input.filter(({ type }) => type === 'function_call_output').map(({ output }) => asText(output))
  const call = nextCall(answers, text)
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
