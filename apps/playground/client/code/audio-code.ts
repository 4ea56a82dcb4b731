// The code of calls that make audio of JSON, and of calls that list, for each adapter.
import { coreSnippet, curlCommand, curlJson, curlSnippet } from './client-code.ts'
import { block, inline, type Snippet } from './snippet.ts'
import { type N8nNode, svcAudioNode } from './n8n-workflow.ts'
import { expressSnippet, nestSnippet } from './servers.ts'

/** A call that makes audio. */
export interface AudioCall {
  /** Name of the program's file, without its ending. */
  readonly name: string
  /** Resource of the client and path of the service. */
  readonly resource: keyof typeof PATHS
  /** Body of the request. */
  readonly body: object
  /** Name of the audio's file. */
  readonly output: string
}

const PATHS = {
  speech: '/v1/audio/speech',
  dialogue: '/v1/audio/speech/speakers',
  voiceGenerations: '/v1/audio/voice/generations',
} as const

/** A program that makes the audio and saves it. @param more Lines after that. */
export function coreAudio({ name, resource, body, output }: AudioCall, method = 'create', more = ''): Snippet {
  return coreSnippet({
    file: `${name}.ts`,
    code: `const speech = await audio.${resource}.${method}(${block(body)})
await speech.saveTo('${output}')${more}`,
  })
}

/** A command that makes the audio and saves it. */
export function curlAudio({ resource, body, output }: Omit<AudioCall, 'name'>): string {
  return curlJson(PATHS[resource], body, [`--output ${output}`])
}

/** A route of a server that makes audio. The server has the settings, its callers send the rest. */
export interface AudioRoute extends Pick<AudioCall, 'resource'> {
  readonly path: string
  /** Name and fields of the settings. */
  readonly settings: readonly [name: string, fields: object]
  /** Fields of the request by the field that the callers send, e.g. `{ text: 'input' }`. */
  readonly sent: Readonly<Record<string, string>>
  /** Types of the sent fields that are no text. */
  readonly types?: Readonly<Record<string, string>>
}

/** The settings of a server, before its routes. */
function settingsCode([name, fields]: AudioRoute['settings']): string {
  const short = `const ${name} = ${inline(fields)}`
  return short.length <= 100 ? short : `const ${name} = ${block(fields)}`
}

/** A server with Express that makes audio of what its callers send. */
export function expressAudio(route: AudioRoute, call: string): Snippet {
  const { path, settings, sent, resource } = route
  const body = Object.entries(sent).map(([name, field]) => (name === field ? name : `${field}: ${name}`))
  return expressSnippet({
    routes: `${settingsCode(settings)}
const speaking = respondAudio({
  call: ({ body: { ${Object.keys(sent).join(', ')} } }, options) =>
    client.${resource}.create({ ...${settings[0]}, ${body.join(', ')} }, options),
})
app.post('/${path}', express.json(), speaking)`,
    call,
  })
}

/** The part of a Nest app that makes audio of what its callers send. */
export function nestAudio({ path, settings, sent, resource, types = {} }: AudioRoute): {
  readonly before: string
  readonly routes: string
} {
  const parameters = Object.entries(sent).map(
    ([name, field]) => `@Body('${name}') ${field}: ${types[name] ?? 'string'}`,
  )
  return {
    before: `${settingsCode(settings)}\n\n`,
    routes: `  @Post('${path}')
  speak(${parameters.join(', ')}) {
    return speechFile(() => this.audio.${resource}.create({ ...${settings[0]}, ${Object.values(sent).join(', ')} }))
  }`,
  }
}

/** A Nest app that makes audio of what its callers send. */
export function nestAudioSnippet(route: AudioRoute, call: string): Snippet {
  return nestSnippet({ ...nestAudio(route), call })
}

/** A node that makes audio. */
export function audioNode(name: string, responseFormat: string, parameters: object): N8nNode {
  return svcAudioNode(name, {
    operation: 'create',
    ...parameters,
    responseFormat,
    output: 'file',
    binaryPropertyName: 'data',
  })
}

/** Code that lists what a resource of the client holds. */
export function listCode(resource: 'models' | 'voices', query: { readonly limit?: number }, core: string): Snippet[] {
  const options = Object.keys(query).length === 0 ? '' : inline(query)
  const path = { models: '/v1/models', voices: '/v1/audio/voices' }[resource]
  const list = `const { data } = await client.${resource}.list(${options})`
  const call = `curl localhost:3000/${resource}`
  return [
    coreSnippet({ file: `${resource}.ts`, code: core }),
    curlSnippet(
      `${resource}.sh`,
      `${curlCommand(query.limit === undefined ? path : `${path}?limit=${query.limit}`)}\n`,
    ),
    expressSnippet({
      routes: `app.get('/${resource}', async (_request, response) => {
  ${list}
  response.json(data)
})`,
      call,
    }),
    nestSnippet({
      routes: `  @Get('${resource}')
  async list() {
    ${list.replace('client.', 'this.audio.')}
    return data
  }`,
      call,
    }),
  ]
}
