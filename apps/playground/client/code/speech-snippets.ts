import { coreSnippet, langchainSnippet } from './client-code.ts'
import { curlJson, curlSnippet } from './curl.ts'
import { fieldLines, inline } from './literal.ts'
import { byId, n8nSnippet, n8nText, svcAudioNode } from './n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from './servers.ts'
import type { Snippet } from './snippet.ts'
import { escapeHtml, viteSnippet } from './vite-site.ts'

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
export function speechSnippets(speech: SpeechCode): readonly Snippet[] {
  return [core, curl, express, nestjs, langchain, n8n, vite].map((make) => make(speech))
}

function core(speech: SpeechCode): Snippet {
  const { text, voice, model, stream, format } = speech
  const fields = stream
    ? { model, input: text, voice_id: voice, speed: speedOf(speech) }
    : { model, input: text, voice_id: voice, response_format: format }
  return coreSnippet({
    file: 'speak.ts',
    code: `const speech = await audio.speech.${stream ? 'stream' : 'create'}({
${fieldLines(fields)}
})
await speech.saveTo('${stream ? 'speech.wav' : `speech.${format}`}')`,
  })
}

function curl({ text, voice, model, stream, format, speed }: SpeechCode): Snippet {
  const body = stream
    ? { model, input: text, voice_id: voice, speed, stream: true, response_format: 'pcm' }
    : { model, input: text, voice_id: voice, response_format: format }
  const output = `--output ${stream ? 'speech.pcm' : `speech.${format}`}`
  return curlSnippet('speak.sh', curlJson('/v1/audio/speech', body, [output]))
}

function express(speech: SpeechCode): Snippet {
  const { text, voice, model, stream, format } = speech
  const fields = stream
    ? { model, voice_id: voice, speed: speedOf(speech), respond: 'pcm' }
    : { model, voice_id: voice, response_format: format }
  return expressSnippet({
    adapter: ['speak'],
    routes: `const speaking = speak({
  client,
${fieldLines(fields)}
})
app.post('/speak', express.json(), speaking)`,
    call: callJson('speak', { text }, `speech.${stream ? 'pcm' : format}`),
  })
}

function nestjs({ text, voice, model, format }: SpeechCode): Snippet {
  return nestSnippet({
    adapter: ['speechFile'],
    common: ['Body', 'Post'],
    before: `const voice = ${inline({ model, voice_id: voice, response_format: format })}\n\n`,
    routes: `  @Post('speak')
  speak(@Body('text') input: string) {
    return speechFile(() => this.audio.speech.create({ ...voice, input }))
  }`,
    call: callJson('speak', { text }, `speech.${format}`),
  })
}

function langchain({ text, voice, model }: SpeechCode): Snippet {
  return langchainSnippet({
    options: { model, voice_id: voice },
    code: `console.log(await toolkit.speak.invoke(${inline({ text })}))`,
  })
}

function n8n(speech: SpeechCode): Snippet {
  const { text, voice, model, stream, format } = speech
  const parameters = {
    resource: 'speech',
    operation: 'create',
    text: n8nText(text),
    voice: byId(voice),
    model: byId(model),
    // The node changes the speed of a WAV only.
    responseFormat: stream ? 'wav' : format,
    output: 'file',
    binaryPropertyName: 'data',
    options: { speed: stream ? speedOf(speech) : undefined },
  }
  return n8nSnippet('Speak', [svcAudioNode('Speak', parameters)])
}

function vite({ text, voice, model, format }: SpeechCode): Snippet {
  const paragraphs = text
    .split(/\n{2,}/)
    .map((paragraph) => `    <p>${escapeHtml(paragraph).replaceAll('\n', '\n      ')}</p>`)
    .join('\n')
  return viteSnippet({
    options: { model, voice_id: voice, response_format: format },
    body: `  <article data-narrate>\n${paragraphs}\n  </article>`,
  })
}

function speedOf({ speed }: SpeechCode): number | undefined {
  return speed === 1 ? undefined : speed
}
