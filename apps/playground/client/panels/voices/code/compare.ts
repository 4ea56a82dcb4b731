import { coreSnippet, langchainSnippet } from '../../../code/client-code.ts'
import { curlJson, curlSnippet } from '../../../code/curl.ts'
import { fieldLines, inline, literal } from '../../../code/literal.ts'
import { byId, n8nSnippet, n8nText, svcAudioNode } from '../../../code/n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from '../../../code/servers.ts'
import type { Snippet } from '../../../code/snippet.ts'
import { viteSnippet } from '../../../code/vite-site.ts'
import type { VoicesDraft } from '../draft.ts'

const MODEL = 'svc-tts-1.5-flash'

/** One text in two voices. */
interface Comparison {
  readonly text: string
  readonly voices: readonly string[]
}

/** Code that speaks one text in both voices. */
export function compareSnippets({ compareText: text, first, second }: VoicesDraft): readonly Snippet[] {
  const comparison = { text, voices: [first, second] }
  return [core, curl, express, nestjs, langchain, n8n, vite].map((make) => make(comparison))
}

function core({ text, voices }: Comparison): Snippet {
  return coreSnippet({
    file: 'voices.ts',
    code: `for (const voice_id of ${inline(voices)}) {
  const speech = await audio.speech.create({
${fieldLines({ model: MODEL, input: text }, 2)}
    voice_id,
    response_format: 'wav',
  })
  await speech.saveTo(\`voice-\${voice_id}.wav\`)
}`,
  })
}

function curl({ text, voices }: Comparison): Snippet {
  const commands = voices.map((voice_id, index) => {
    const body = { model: MODEL, input: text, voice_id, response_format: 'wav' }
    return curlJson('/v1/audio/speech', body, [`--output voice-${index + 1}.wav`])
  })
  return curlSnippet('voices.sh', `set -e\n${commands.join('\n')}`)
}

function express({ text, voices }: Comparison): Snippet {
  return expressSnippet({
    adapter: ['speak'],
    routes: `for (const [index, voice_id] of ${inline(voices)}.entries()) {
  const speaking = speak({ client, voice_id, response_format: 'wav' })
  app.post(\`/speak/\${index + 1}\`, express.json(), speaking)
}`,
    call: callBoth(text),
  })
}

function nestjs({ text, voices }: Comparison): Snippet {
  return nestSnippet({
    adapter: ['speechFile'],
    common: ['Body', 'NotFoundException', 'Param', 'ParseIntPipe', 'Post'],
    before: `const model = '${MODEL}'\nconst voices = ${inline(voices)}\n\n`,
    routes: `  @Post('speak/:voice')
  speak(@Param('voice', ParseIntPipe) number: number, @Body('text') input: string) {
    const voice_id = voices[number - 1]
    if (voice_id === undefined) throw new NotFoundException('There is no such voice')
    return speechFile(() => this.audio.speech.create({ model, input, voice_id, response_format: 'wav' }))
  }`,
    call: callBoth(text),
  })
}

function callBoth(text: string): string {
  return [1, 2].map((number) => callJson(`speak/${number}`, { text }, `voice-${number}.wav`)).join(' && ')
}

function langchain({ text, voices }: Comparison): Snippet {
  const choices = voices.map((voice_id, index) => ({ name: ['first', 'second'][index], voice_id }))
  return langchainSnippet({
    options: { voice_id: voices[0], voices: choices },
    code: `for (const voice of ['first', 'second']) {
  console.log(await toolkit.speak.invoke({ text: ${literal(text)}, voice }))
}`,
  })
}

function n8n({ text, voices }: Comparison): Snippet {
  const nodes = voices.map((voice, index) =>
    svcAudioNode(`Voice ${index + 1}`, {
      resource: 'speech',
      operation: 'create',
      text: n8nText(text),
      voice: byId(voice),
      model: byId(MODEL),
      responseFormat: 'wav',
      output: 'file',
      binaryPropertyName: 'data',
    }),
  )
  return n8nSnippet('Compare voices', nodes)
}

function vite({ text, voices }: Comparison): Snippet {
  const imports = voices.map(
    (voice, index) =>
      `import voice${index + 1} from ${literal(`./text.txt?voice=${encodeURIComponent(voice)}&narrate`)}`,
  )
  return viteSnippet({
    options: { model: MODEL, voice_id: voices[0], response_format: 'wav' },
    body: '  <script type="module" src="./main.js"></script>',
    files: {
      'text.txt': text,
      'main.js': `${imports.join('\n')}

for (const { src } of [voice1, voice2]) {
  const audio = Object.assign(new Audio(src), { controls: true })
  document.body.append(audio)
}`,
    },
  })
}
