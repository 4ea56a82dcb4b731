import { coreSnippet, PATH_ARGUMENT, pathField } from '../../code/client-code.ts'
import { curlCommand, curlSnippet } from '../../code/curl.ts'
import { fieldLines, shellWord } from '../../code/literal.ts'
import { n8nSnippet, n8nText, readFileNode, svcAudioNode } from '../../code/n8n-workflow.ts'
import { expressSnippet, nestSnippet } from '../../code/servers.ts'
import type { Snippet } from '../../code/snippet.ts'
import type { VoicesDraft } from './draft.ts'

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
    code: `const voice = await audio.voices.create({
  audio_sample: path,
${fieldLines(voice)}
})
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
    adapter: ['uploadTo'],
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
    adapter: ['UploadInterceptor', 'UploadResult'],
    common: ['BadRequestException', 'Post', 'UseInterceptors'],
    types: ['Voice'],
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
