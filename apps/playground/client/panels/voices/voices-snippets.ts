import {
  audioNode,
  type AudioRoute,
  coreAudio,
  curlAudio,
  expressAudio,
  listCode,
  nestAudioSnippet,
} from '../../code/audio-code.ts'
import {
  coreSnippet,
  curlCommand,
  curlSnippet,
  langchainSnippet,
  PATH_ARGUMENT,
  pathField,
  viteSnippet,
} from '../../code/client-code.ts'
import { block, Code, inline, literal, shellWord, type Snippet } from '../../code/snippet.ts'
import { byId, n8nSnippet, n8nText, readFileNode, svcAudioNode } from '../../code/n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from '../../code/servers.ts'
import type { VoicesDraft } from './draft.ts'

const SNIPPETS = { list: listSnippets, record: recordSnippets, design: designSnippets, compare: compareSnippets }

/** Code that does what the open view does. */
export function voicesSnippets(draft: VoicesDraft): readonly Snippet[] {
  return SNIPPETS[draft.view](draft)
}

function listSnippets(): readonly Snippet[] {
  return [
    ...listCode(
      'voices',
      { limit: 150 },
      'for await (const { id, name } of audio.voices.list()) console.log(id, name)',
    ),
    langchainSnippet({
      before: `const { data } = await client.voices.list({ limit: 150 })
// The model chooses by name and description.
const voices = data.map(({ id, name }) => ({ name: id, voice_id: id, description: name || id }))
`,
      options: { voice_id: new Code("data[0]?.id ?? 'rms'"), voices: new Code('voices') },
      code: 'console.log(await toolkit.listVoices.invoke({}))',
    }),
    n8nSnippet('Voices', [svcAudioNode('Voices', { resource: 'voice', operation: 'getAll', returnAll: true })]),
  ]
}

/** Speech in a voice described in words, which becomes a voice. */
function designSnippets(draft: VoicesDraft): readonly Snippet[] {
  const { instruction, designText: text } = draft
  const model = 'svc-voice-generator-1.0'
  const output = 'designed.wav'
  const resource = 'voiceGenerations'
  const audio = {
    name: 'voices',
    resource,
    body: { model, input: text, instruction, response_format: 'wav' },
    output,
  } as const
  const route: AudioRoute = {
    path: 'design',
    resource,
    settings: ['voice', { model, response_format: 'wav' }],
    sent: { instruction: 'instruction', text: 'input' },
  }
  const call = callJson('design', { instruction, text }, output)
  const described = { resource: 'voice', operation: 'generate', instruction: n8nText(instruction), model: byId(model) }
  const created = { resource: 'voice', operation: 'create', binaryPropertyName: 'data', name: n8nText(nameOf(draft)) }
  const keep = `

// The audio makes a voice that can be used again.
const voice = await audio.voices.create({ audio_sample: '${output}', name: ${literal(nameOf(draft))} })
console.log(voice.id)`
  return [
    coreAudio(audio, 'create', keep),
    curlSnippet('voices.sh', curlAudio(audio)),
    expressAudio(route, call),
    nestAudioSnippet(route, call),
    langchainSnippet({
      options: { voice_id: 'rms', tools: ['speak', 'design_voice'] },
      code: `console.log(await toolkit.designVoice.invoke(${inline({ instruction, text })}))`,
    }),
    n8nSnippet('Design voice', [
      audioNode('Design', 'wav', { ...described, text: n8nText(text) }),
      svcAudioNode('Create voice', created),
    ]),
  ]
}

/** One text in two voices. */
function compareSnippets({ compareText: text, first, second }: VoicesDraft): readonly Snippet[] {
  const model = 'svc-tts-1.5-flash'
  const voices = [first, second]
  const speech = { model, input: text, voice_id: new Code('voice_id'), response_format: 'wav' }
  const commands = voices.map((voice_id, index) => {
    const body = { model, input: text, voice_id, response_format: 'wav' }
    return curlAudio({ resource: 'speech', body, output: `voice-${index + 1}.wav` })
  })
  return [
    coreSnippet({
      file: 'voices.ts',
      code: `for (const voice_id of ${inline(voices)}) {
  const speech = await audio.speech.create(${block(speech, 2)})
  await speech.saveTo(\`voice-\${voice_id}.wav\`)
}`,
    }),
    curlSnippet('voices.sh', `set -e\n${commands.join('\n')}`),
    ...compareServers(text, voices),
    langchainSnippet({
      options: {
        voice_id: first,
        voices: [
          { name: 'first', voice_id: first },
          { name: 'second', voice_id: second },
        ],
      },
      code: `for (const voice of ['first', 'second']) {
  console.log(await toolkit.speak.invoke({ text: ${literal(text)}, voice }))
}`,
    }),
    n8nSnippet(
      'Compare voices',
      voices.map((voice, index) => {
        const parameters = { resource: 'speech', text: n8nText(text), voice: byId(voice), model: byId(model) }
        return audioNode(`Voice ${index + 1}`, 'wav', parameters)
      }),
    ),
    viteSnippet({
      options: { model, voice_id: first, response_format: 'wav' },
      body: '  <script type="module" src="./main.js"></script>',
      files: { 'text.txt': text, 'main.js': pageOf(voices) },
    }),
  ]
}

/** The same on servers: one route for each voice in Express, one for all in Nest. */
function compareServers(text: string, voices: readonly string[]): readonly Snippet[] {
  const model = 'svc-tts-1.5-flash'
  const call = [1, 2].map((number) => callJson(`speak/${number}`, { text }, `voice-${number}.wav`)).join(' && ')
  return [
    expressSnippet({
      routes: `for (const [index, voice_id] of ${inline(voices)}.entries()) {
  const speaking = speak({ client, voice_id, response_format: 'wav' })
  app.post(\`/speak/\${index + 1}\`, express.json(), speaking)
}`,
      call,
    }),
    nestSnippet({
      before: `const model = '${model}'\nconst voices = ${inline(voices)}\n\n`,
      routes: `  @Post('speak/:voice')
  speak(@Param('voice', ParseIntPipe) number: number, @Body('text') input: string) {
    const voice_id = voices[number - 1]
    if (voice_id === undefined) throw new NotFoundException('There is no such voice')
    return speechFile(() => this.audio.speech.create({ model, input, voice_id, response_format: 'wav' }))
  }`,
      call,
    }),
  ]
}

/** A script of a page that plays the text in both voices. */
function pageOf(voices: readonly string[]): string {
  const imports = voices.map((voice, index) => {
    const module = `./text.txt?voice=${encodeURIComponent(voice)}&narrate`
    return `import voice${index + 1} from ${literal(module)}`
  })
  return `${imports.join('\n')}

for (const { src } of [voice1, voice2]) {
  const audio = Object.assign(new Audio(src), { controls: true })
  document.body.append(audio)
}`
}

const FILE = 'recording.wav'

/** A new voice. */
interface NewVoice {
  readonly name: string
  readonly description: string | undefined
}

/** Code that makes a voice from a recording. Agents and builds make none. */
export function recordSnippets(draft: VoicesDraft): readonly Snippet[] {
  const voice = { name: nameOf(draft), description: draft.about.trim() || undefined }
  return [core, curl, express, nestjs, n8n].map((make) => make(voice))
}

/** The name of a new voice. */
export function nameOf({ name }: VoicesDraft): string {
  return name.trim() || 'My voice'
}

function core(voice: NewVoice): Snippet {
  return coreSnippet({
    file: 'voices.ts',
    args: FILE,
    before: PATH_ARGUMENT,
    code: `const voice = await audio.voices.create(${block({ audio_sample: new Code('path'), ...voice })})
console.log(voice.id)`,
  })
}

function curl(voice: NewVoice): Snippet {
  const command = curlCommand('/v1/audio/voices', [...formOf(voice), pathField('audio_sample')])
  return curlSnippet('voices.sh', `${command}\n`, FILE)
}

function express(voice: NewVoice): Snippet {
  const about = voice.description === undefined ? '' : ', description'
  return expressSnippet({
    routes: `const createVoice = uploadTo({
  maxFileSize: 20_000_000,
  fileField: 'sample',
  call: ({ file, fields, options }) => {
${fieldsOf(voice, '    ')}
    return client.voices.create({ audio_sample: file, name${about} }, options)
  },
  answer: (voice, _request, response) => response.status(201).json(voice),
})
app.post('/voices', createVoice)`,
    call: callOf(voice, 'sample'),
  })
}

function nestjs(voice: NewVoice): Snippet {
  const about = voice.description === undefined ? '' : ', description'
  return nestSnippet({
    before: `const CreateVoice = UploadInterceptor({
  maxFileSize: 20_000_000,
  call: async ({ file, fields, options }, { client }) => {
${fieldsOf(voice, '    ')}
    if (name === undefined) throw new BadRequestException('Send \`name\` before the file')
    return client.voices.create({ audio_sample: file, name${about} }, options)
  },
})

`,
    routes: `  @Post('voices')
  @UseInterceptors(CreateVoice)
  createVoice(@UploadResult() voice: Voice) {
    return voice
  }`,
    call: callOf(voice, 'file'),
  })
}

function n8n({ name, description }: NewVoice): Snippet {
  const options = { description: description === undefined ? undefined : n8nText(description) }
  const parameters = {
    resource: 'voice',
    operation: 'create',
    binaryPropertyName: 'data',
    name: n8nText(name),
    options,
  }
  return n8nSnippet('New voice', [readFileNode(FILE), svcAudioNode('Create voice', parameters)])
}

function formOf({ name, description }: NewVoice): string[] {
  const fields = [`name=${name}`, ...(description === undefined ? [] : [`description=${description}`])]
  return fields.map((field) => `--form-string ${shellWord(field)}`)
}

/** Reads the fields of the form that come before the file. */
function fieldsOf({ description }: NewVoice, pad: string): string {
  const names = ['name', ...(description === undefined ? [] : ['description'])]
  return names.map((name) => `${pad}const [${name}] = fields.${name} ?? []`).join('\n')
}

function callOf(voice: NewVoice, field: string): string {
  return ['curl', ...formOf(voice), `--form ${field}=@${FILE}`, 'localhost:3000/voices'].join(' ')
}
