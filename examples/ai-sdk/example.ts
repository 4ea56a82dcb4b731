// A voice chat: a recorded question is transcribed, a model answers it, and the answer is spoken. The example calls the
// routes of the recipe as their page does.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { svcAudio } from '@svc-audio/ai-sdk'
import { wordErrorRate } from '@svc-audio/testing'
import { customProvider, DefaultChatTransport, generateSpeech, readUIMessageStream, transcribe } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import type { ExampleContext, ExampleOutcome } from '../run.ts'
import { POST as chat } from './app/api/chat/route.ts'
import { POST as speak } from './app/api/speech/route.ts'
import { POST as hear } from './app/api/transcribe/route.ts'

const QUESTION = 'When does the train to the coast leave?'
const ANSWER = 'The train to the coast leaves at seven in the morning.'

/** Asks a question aloud, and hears the answer. */
export async function run({ apiKey, baseUrl }: ExampleContext): Promise<ExampleOutcome> {
  process.env['SVC_AUDIO_API_KEY'] = apiKey
  process.env['SVC_AUDIO_BASE_URL'] = baseUrl
  if (process.env['AI_GATEWAY_API_KEY'] === undefined) scriptAnswer(ANSWER.split(/(?<= )/))

  // The user's recording. Here the service speaks it.
  const model = svcAudio.speech('svc-tts-1.5-flash')
  const { audio } = await generateSpeech({ model, text: QUESTION, voice: 'slt', outputFormat: 'wav' })
  const heard = await hear(post('transcribe', audio.uint8Array))
  const { text: question }: { readonly text: string } = await heard.json()

  const response = await ask(question)

  const spoken = new Uint8Array(await (await speak(post('speech', response))).arrayBuffer())
  const { text: transcript } = await transcribe({ model: svcAudio.transcription('svc-transcribe-1.0'), audio: spoken })
  const summary = `asked “${question}”, answered “${response}”`
  return { transcript, wordErrorRate: wordErrorRate(response, transcript), summary }
}

function post(route: string, body: string | Uint8Array): Request {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const headers = { 'content-length': String(bytes.byteLength) }
  return new Request(`http://localhost/api/${route}`, { method: 'POST', headers, body: bytes })
}

/** Sends the question as `useChat` does. */
async function ask(question: string): Promise<string> {
  const transport = new DefaultChatTransport({
    api: 'http://localhost/api/chat',
    fetch: (url, init) => chat(new Request(url, init)),
  })
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: '1',
    messageId: undefined,
    messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }],
    abortSignal: undefined,
  })
  let response = ''
  for await (const { parts } of readUIMessageStream({ stream })) {
    response = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }
  return response
}

/**
 * Makes every language model answer with this text, so that the example needs no account. Real models are named by
 * `AI_GATEWAY_API_KEY` or by a provider.
 */
function scriptAnswer(words: readonly string[]): void {
  const id = '1'
  const chunks: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id },
    ...words.map((delta) => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    },
  ]
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) })
  globalThis.AI_SDK_DEFAULT_PROVIDER = customProvider({ languageModels: { 'openai/gpt-5': model } })
}
