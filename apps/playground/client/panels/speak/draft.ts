import type { ResponseFormat, SpeechModel } from '@svc-audio/core/pure'
import { byId, n8nSnippet, n8nText } from '../../code/n8n-workflow.ts'
import { audioNode, callJson, coreAudio, curlAudio, expressSnippet, nestAudioSnippet } from '../../code/servers.ts'
import {
  aiSdkSnippet,
  block,
  Code,
  curlSnippet,
  escapeHtml,
  inline,
  langchainSnippet,
  literal,
  openaiSnippet,
  type Snippet,
  viteSnippet,
} from '../../code/snippet.ts'

/** What the Speak panel sends: all of it survives a reload. */
export interface SpeakDraft {
  readonly text: string
  /** Empty for the service's default. */
  readonly voice: string
  readonly model: SpeechModel
  /** `stream` plays at once; a format makes a file. */
  readonly output: 'stream' | ResponseFormat
  /** Streams only. */
  readonly speed: number
  /** Length of an inserted pause, in seconds. */
  readonly pause: number
}

const STORY =
  'The old clock on the wall had stopped many years ago. Nobody in the house could remember when. ' +
  'Then one day the clock began to move, and everyone stopped to listen.'

/** The first draft. */
export const FIRST_DRAFT: SpeakDraft = {
  text: STORY,
  voice: '',
  model: 'svc-tts-1.5-flash',
  output: 'stream',
  speed: 1,
  pause: 0.5,
}

/** The model that streams and knows pauses. */
export const STREAMING_MODEL = 'svc-tts-1.5-flash'

/** Whether the draft is a stream. Other models make files only. */
export function isStream({ model, output }: SpeakDraft): boolean {
  return output === 'stream' && model === STREAMING_MODEL
}

/** Whether there is a text and, for a file, a voice: only streams have a default (interface: speech, streaming speech). */
export function isReady(draft: SpeakDraft): boolean {
  return draft.text.trim() !== '' && (isStream(draft) || draft.voice !== '')
}

/** The format of the file that the draft makes. */
export function formatOf({ output }: SpeakDraft): ResponseFormat {
  return output === 'stream' ? 'mp3' : output
}

/** Texts to start with. The embedded voices speak English. */
export const SAMPLES: readonly { readonly title: string; readonly text: string }[] = [
  { title: 'Story', text: STORY },
  {
    title: 'Announcement',
    text: 'Good morning. The train to the coast leaves at seven forty-five from platform three. [pause 0.6s] Please keep your ticket ready.',
  },
  {
    title: 'Phone menu',
    text: 'Thank you for calling. For opening hours, press one. [pause 0.4s] For a person, press two. [pause 0.4s] To hear this again, press three.',
  },
  { title: 'Long read', text: longRead() },
]

function longRead(): string {
  const paragraph =
    'The harbour wakes before the town does. Boats come in with the first light, and the gulls follow them over the water. ' +
    'On the quay, people sort the catch into boxes of ice, and count them, and call the numbers to each other. ' +
    'By eight the market is open. By nine the best of it is gone, and the streets smell of bread and coffee.'
  return Array.from({ length: 6 }, () => paragraph).join('\n\n')
}

/** A speech on the screen. */
export interface SpeechCode {
  readonly text: string
  readonly voice: string
  readonly model: string
  /** Whether it is streamed. */
  readonly stream: boolean
  /** Format of a file. */
  readonly format: string
  /** Of a stream. */
  readonly speed: number
}

/** Code that makes the speech on the screen. */
export function speechSnippets({ text, voice, model, stream, format, speed: all }: SpeechCode): readonly Snippet[] {
  const speed = stream && all !== 1 ? all : undefined
  const settings = { model, voice_id: voice, response_format: format }
  const body = { model, input: text, voice_id: voice, response_format: stream ? 'pcm' : format }
  const raw = `speech.${body.response_format}`
  const file = stream ? 'wav' : format
  const served = stream ? { model, voice_id: voice, speed, respond: 'pcm' } : settings
  const audio = { name: 'speak', resource: 'speech' } as const
  const program = stream ? { model, input: text, voice_id: voice, speed } : body
  const sent = callJson('speak', { text }, raw)
  return [
    coreAudio({ ...audio, body: program, output: stream ? 'speech.wav' : raw }, stream ? 'stream' : 'create'),
    curlSnippet(
      'speak.sh',
      curlAudio({ ...audio, body: stream ? { ...body, speed: all, stream: true } : body, output: raw }),
    ),
    openaiSnippet({
      file: 'speak-openai.mts',
      call: 'speech',
      fields: { model, input: text, voice, response_format: file, speed },
      after: `await writeFile('speech.${file}', Buffer.from(await result.arrayBuffer()))`,
    }),
    aiSdkSnippet({
      file: 'speak-ai-sdk.mts',
      call: 'generateSpeech',
      fields: { model: new Code(`svcAudio.speech(${literal(model)})`), text, voice, outputFormat: file, speed },
      after: `await writeFile('speech.${file}', result.audio.uint8Array)`,
    }),
    expressSnippet({
      routes: `const speaking = speak(${block({ client: new Code('client'), ...served })})
app.post('/speak', express.json(), speaking)`,
      call: sent,
    }),
    nestAudioSnippet(
      { path: 'speak', resource: 'speech', settings: ['voice', settings], sent: { text: 'input' } },
      callJson('speak', { text }, `speech.${format}`),
    ),
    langchainSnippet({
      options: { model, voice_id: voice },
      code: `console.log(await toolkit.speak.invoke(${inline({ text })}))`,
    }),
    // The node changes the speed of a WAV only.
    n8nSnippet('Speak', [
      audioNode('Speak', file, {
        resource: 'speech',
        text: n8nText(text),
        voice: byId(voice),
        model: byId(model),
        options: { speed },
      }),
    ]),
    viteSnippet({ options: settings, body: `  <article data-narrate>\n${paragraphsOf(text)}\n  </article>` }),
  ]
}

function paragraphsOf(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `    <p>${escapeHtml(paragraph).replaceAll('\n', '\n      ')}</p>`)
    .join('\n')
}
