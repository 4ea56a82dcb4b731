import { aiSdkSnippet, curlSnippet, escapeHtml, langchainSnippet, openaiSnippet, viteSnippet } from './client-code.ts'
import { audioNode, coreAudio, curlAudio, nestAudioSnippet } from './audio-code.ts'
import { block, Code, inline, literal, type Snippet } from './snippet.ts'
import { byId, n8nSnippet, n8nText } from './n8n-workflow.ts'
import { callJson, expressSnippet } from './servers.ts'

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
      file: 'speak-openai.ts',
      call: 'speech',
      fields: { model, input: text, voice, response_format: file, speed },
      after: `await writeFile('speech.${file}', Buffer.from(await result.arrayBuffer()))`,
    }),
    aiSdkSnippet({
      file: 'speak-ai-sdk.ts',
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
