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

/** @param note The recording of the voice note. */
export async function startTelegram(note: Uint8Array): Promise<TelegramStandIn> {
  const sent: Buffer[] = []
  const registered = Promise.withResolvers<Hook>()
  const server = await startLocalServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Buffer))
    const body = Buffer.concat(chunks)
    const url = request.url ?? ''
    if (url.startsWith('/file/')) {
      response.setHeader('content-type', 'audio/wav')
      response.end(note)
      return
    }
    if (url.endsWith('/setWebhook')) registered.resolve(JSON.parse(body.toString()) as Hook)
    if (url.endsWith('/sendAudio')) sent.push(body)
    const result = url.includes('/getFile') ? { file_id: 'note', file_path: 'voice/note.wav' } : true
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
      const voice = { file_id: 'note', mime_type: 'audio/wav', duration: 2 }
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
 * A model that calls the tool Speak once, and then repeats what the tool answered. It speaks both APIs of OpenAI that
 * n8n's node uses.
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

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

function chat({ messages = [] }: ModelRequest, text: string): object {
  const answer = messages.findLast(({ role }) => role === 'tool')?.content
  const call = { name: 'Speak', arguments: JSON.stringify({ Text: text }) }
  const message =
    answer === undefined
      ? { role: 'assistant', content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] }
      : { role: 'assistant', content: asText(answer) }
  const choices = [{ index: 0, finish_reason: answer === undefined ? 'tool_calls' : 'stop', message }]
  return { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices, usage: USAGE }
}

function respond({ input = [] }: ModelRequest, text: string): object {
  const answer = input.findLast(({ type }) => type === 'function_call_output')?.output
  const call = { type: 'function_call', id: 'fc-1', call_id: 'call-1', name: 'Speak', status: 'completed' }
  const content = [{ type: 'output_text', text: asText(answer), annotations: [] }]
  const output =
    answer === undefined
      ? [{ ...call, arguments: JSON.stringify({ Text: text }) }]
      : [{ type: 'message', id: 'm-1', role: 'assistant', status: 'completed', content }]
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return { id: 'r', object: 'response', created_at: 0, model: 'm', status: 'completed', error: null, output, usage }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
