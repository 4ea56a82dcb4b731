import type { Voice } from '@svc-audio/core/pure'
import { byId, n8nSnippet, n8nText, readFileNode, svcAudioNode } from '../../code/n8n-workflow.ts'
import {
  audioNode,
  type AudioRoute,
  callJson,
  coreAudio,
  curlAudio,
  expressAudio,
  expressSnippet,
  listCode,
  nestAudioSnippet,
  nestSnippet,
} from '../../code/servers.ts'
import {
  block,
  Code,
  coreSnippet,
  curlCommand,
  curlSnippet,
  inline,
  langchainSnippet,
  literal,
  PATH_ARGUMENT,
  pathField,
  shellWord,
  type Snippet,
  viteSnippet,
} from '../../code/snippet.ts'

/** The views of the panel, in the order of the tabs. */
export const VIEWS = ['list', 'record', 'design', 'compare'] as const

/** One of {@link VIEWS}. */
export type VoicesView = (typeof VIEWS)[number]

/** What the panel sends: all of it survives a reload, but the recording. */
export interface VoicesDraft {
  readonly view: VoicesView
  /** Of a new voice. */
  readonly name: string
  /** Of a new voice from a recording. */
  readonly about: string
  /** Description of a designed voice. */
  readonly instruction: string
  /** What a designed voice says. */
  readonly designText: string
  /** What both compared voices say. */
  readonly compareText: string
  /** Ids of the compared voices. Empty for the first two of the service. */
  readonly first: string
  readonly second: string
}

/** Options of a view of the panel. */
export interface ViewProps {
  readonly draft: VoicesDraft
  readonly change: (change: Partial<VoicesDraft>) => void
  /** Opens the comparison with this voice. */
  readonly onCompare: (voice: Voice) => void
  /** Whether the view is on the screen. */
  readonly active: boolean
}

/** The first draft. */
export const FIRST_DRAFT: VoicesDraft = {
  view: 'list',
  name: '',
  about: '',
  instruction: 'A calm, deep voice of an older man who speaks slowly.',
  designText: 'Welcome back. The kettle is on, and there is a chair by the window.',
  compareText: 'The evening light fell softly on the water, and the boats came home.',
  first: '',
  second: '',
}

/** Descriptions to start with. */
export const DESCRIPTIONS: readonly { readonly title: string; readonly text: string }[] = [
  { title: 'Calm and deep', text: FIRST_DRAFT.instruction },
  { title: 'Young and quick', text: 'A young, bright woman who speaks fast and with energy.' },
  { title: 'News', text: 'A clear, neutral newsreader with a steady pace.' },
]

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
  // One route for each voice in Express, one for all in Nest.
  const call = [1, 2].map((number) => callJson(`speak/${number}`, { text }, `voice-${number}.wav`)).join(' && ')
  const commands = voices.map((voice_id, index) => {
    const body = { model, input: text, voice_id, response_format: 'wav' }
    return curlAudio({ resource: 'speech', body, output: `voice-${index + 1}.wav` })
  })
  return [
    coreSnippet({
      file: 'voices.mts',
      code: `for (const voice_id of ${inline(voices)}) {
  const speech = await audio.speech.create(${block(speech, 2)})
  await speech.saveTo(\`voice-\${voice_id}.wav\`)
}`,
    }),
    curlSnippet('voices.sh', `set -e\n${commands.join('\n')}`),
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

/** A script of a page that plays the text in both voices. */
function pageOf(voices: readonly string[]): string {
  const imports = voices.map((voice, index) => {
    const module = `./text.txt?voice_id=${encodeURIComponent(voice)}&narrate`
    return `import voice${index + 1} from ${literal(module)}`
  })
  return `${imports.join('\n')}

for (const { src } of [voice1, voice2]) {
  const audio = Object.assign(new Audio(src), { controls: true })
  document.body.append(audio)
}`
}

const FILE = 'recording.wav'

/** The name of a new voice. */
function nameOf({ name }: VoicesDraft): string {
  return name.trim() || 'My voice'
}

/** Code that makes a voice from a recording. Agents and builds make none. */
function recordSnippets(draft: VoicesDraft): readonly Snippet[] {
  const voice = { name: nameOf(draft), description: draft.about.trim() || undefined }
  const given = Object.entries(voice).flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]))
  const form = given.map(({ name, text }) => `--form-string ${shellWord(`${name}=${text}`)}`)
  // The fields of a form come before its file.
  const fields = given.map(({ name }) => `    const [${name}] = fields.${name} ?? []`).join('\n')
  const body = `{ audio_sample: file, ${given.map(({ name }) => name).join(', ')} }`
  const call = (field: string): string => `curl ${form.join(' ')} --form ${field}=@${FILE} localhost:3000/voices`
  return [
    coreSnippet({
      file: 'voices.mts',
      args: FILE,
      before: PATH_ARGUMENT,
      code: `const voice = await audio.voices.create(${block({ audio_sample: new Code('path'), ...voice })})
console.log(voice.id)`,
    }),
    curlSnippet('voices.sh', `${curlCommand('/v1/audio/voices', [...form, pathField('audio_sample')])}\n`, FILE),
    expressSnippet({
      routes: `const createVoice = forwardUpload({
  maxFileSize: 20_000_000,
  fileField: 'sample',
  call: ({ file, fields, options }) => {
${fields}
    return client.voices.create(${body}, options)
  },
  answer: (voice, _request, response) => response.status(201).json(voice),
})
app.post('/voices', createVoice)`,
      call: call('sample'),
    }),
    nestSnippet({
      before: `const CreateVoice = ForwardUploadInterceptor({
  maxFileSize: 20_000_000,
  call: async ({ file, fields, options }, { client }) => {
${fields}
    if (name === undefined) throw new BadRequestException('Send \`name\` before the file')
    return client.voices.create(${body}, options)
  },
})

`,
      routes: `  @Post('voices')
  @UseInterceptors(CreateVoice)
  createVoice(@UploadResult() voice: Voice) {
    return voice
  }`,
      call: call('file'),
    }),
    n8nSnippet('New voice', [
      readFileNode(FILE),
      svcAudioNode('Create voice', {
        resource: 'voice',
        operation: 'create',
        binaryPropertyName: 'data',
        name: n8nText(voice.name),
        options: { description: voice.description && n8nText(voice.description) },
      }),
    ]),
  ]
}
