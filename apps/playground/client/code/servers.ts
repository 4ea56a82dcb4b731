import { type N8nNode, svcAudioNode } from './n8n-workflow.ts'
import {
  block,
  coreSnippet,
  curlCommand,
  curlJson,
  curlSnippet,
  importsFor,
  inline,
  shellWord,
  type Snippet,
} from './snippet.ts'

const LISTEN_PORT = 'Number(process.env.PORT ?? 3000)'

/** A server with Express. */
export interface ExpressCode {
  /** Lines between the app's creation and its error handler. */
  readonly routes: string
  /** Command that uses the server. */
  readonly call: string
  /** More lines of the environment. */
  readonly environment?: readonly string[]
}

const EXPRESS_IMPORTS = `import { randomUUID } from 'node:crypto'
import { AudioClient } from '@svc-audio/core'
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import {
  audioErrors,
  audioWebhooks,
  forwardAudio,
  forwardUpload,
  playResult,
  speak,
  transcribeUpload,
} from '@svc-audio/express-middleware'
import express from 'express'
`

/** A server with Express. Its client is `client`, its app is `app`. */
export function expressSnippet({ routes, ...rest }: ExpressCode): Snippet {
  const program = `
const client = new AudioClient()
const app = express()
${routes}
app.use(audioErrors())
app.listen(${LISTEN_PORT})
`
  return {
    kind: 'express',
    title: 'Express',
    file: 'server.mts',
    install: 'npm install @svc-audio/express-middleware @svc-audio/core express',
    run: 'node server.mts',
    ...rest,
    code: importsFor(program, EXPRESS_IMPORTS) + program,
  }
}

/** Code of a Nest app. */
export interface NestCode extends ExpressCode {
  /** Lines before the controller. They end with an empty line. */
  readonly before?: string
  /** Parameters of the controller's constructor. @default the client, if a route calls it */
  readonly parameters?: readonly string[]
  /** Modules besides the client's. They find the client. */
  readonly modules?: readonly string[]
  readonly providers?: readonly string[]
  /** Lines before the app listens. */
  readonly start?: string
  /** Packages to install besides Nest and the adapter. */
  readonly packages?: readonly string[]
}

const NEST_PACKAGES =
  '@svc-audio/nestjs @svc-audio/core @nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs typescript @types/node'

const NEST_IMPORTS = `import { randomUUID } from 'node:crypto'
import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq'
import {
  BadRequestException, Body, Controller, Delete, Get, HttpCode, Injectable, Module, NotFoundException, Param,
  ParseIntPipe, Post, RequestMethod, Sse, UseInterceptors
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioClient, type DialogueSegment, type StoredFile, type Task, type Voice } from '@svc-audio/core'
import {
  AudioExceptionFilter,
  AudioModule,
  AudioWebhooks,
  AudioWebhooksModule,
  ForwardUploadInterceptor,
  OnAudioTask,
  speechFile,
  TranscribeUploadInterceptor,
  Transcription,
  TranscriptionStream,
  UploadResult,
} from '@svc-audio/nestjs'
import type { Job, Queue } from 'bullmq'
import { from, map } from 'rxjs'
`

/** A server with Nest. Its routes have the client as `this.audio`. */
export function nestSnippet(nest: NestCode): Snippet {
  const { packages = [], call, environment = [] } = nest
  const program = nestProgram(nest)
  return {
    kind: 'nestjs',
    title: 'NestJS',
    file: 'main.mts',
    install: ['npm install', NEST_PACKAGES, ...packages].join(' '),
    run: runNest('main.mts'),
    call,
    environment,
    code: `import 'reflect-metadata'\n${importsFor(program, NEST_IMPORTS)}${program}`,
  }
}

function nestProgram(nest: NestCode): string {
  const { before = '', routes, modules = [], providers = [], start = '' } = nest
  const { parameters = routes.includes('this.audio') ? ['private readonly audio: AudioClient'] : [] } = nest
  const usesClient = [...parameters, before].some((text) => text.includes('audio: AudioClient'))
  const constructor = parameters.length === 0 ? '' : `  constructor(${signature(parameters)}) {}\n\n`
  // Routes that call the client themselves answer its errors as the adapter does.
  const filters = usesClient ? 'app.useGlobalFilters(new AudioExceptionFilter())\n' : ''
  return `
${before}@Controller()
class AudioController {
${constructor}${routes}
}

@Module({
  imports: [${[`AudioModule.forRoot(${modules.length === 0 ? '' : '{ isGlobal: true }'})`, ...modules].join(', ')}],
  controllers: [AudioController],${providers.length === 0 ? '' : `\n  providers: [${providers.join(', ')}],`}
})
class AppModule {}

const app = await NestFactory.create(AppModule)
${filters}${start}await app.listen(${LISTEN_PORT})
`
}

function signature(parameters: readonly string[]): string {
  const [first = '', ...more] = parameters
  return more.length === 0 ? first : `\n${parameters.map((one) => `    ${one},\n`).join('')}  `
}

/** Compiles and runs a file with decorators, which Node does not run. */
export function runNest(file: string): string {
  const flags =
    '--module nodenext --target es2024 --types node --skipLibCheck --experimentalDecorators --emitDecoratorMetadata'
  return `npx tsc ${flags} ${file} && node ${file.replace(/\.mts$/, '.mjs')}`
}

/** A command that sends JSON to a route. */
export function callJson(path: string, body: object, output?: string): string {
  const save = output === undefined ? '' : ` --output ${output}`
  return `curl --json ${shellWord(JSON.stringify(body))}${save} localhost:3000/${path}`
}

/** Stores the upload of a route of Nest at the service: `@UseInterceptors(Store)`, then `@UploadResult()`. */
export const NEST_STORE = `const Store = ForwardUploadInterceptor({
  call: ({ file, options }, { client }) => client.files.create({ file, purpose: 'audio' }, options),
})

`

// The code of calls that make audio of JSON, and of calls that list, for each adapter.

/** A call that makes audio. */
interface AudioCall {
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
    file: `${name}.mts`,
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
const speaking = forwardAudio({
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
    coreSnippet({ file: `${resource}.mts`, code: core }),
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

/** Code that lists the models. The other packages have no list: n8n's nodes show the models in their forms. */
export function modelsSnippets(): readonly Snippet[] {
  return listCode(
    'models',
    {},
    `const { data } = await audio.models.list()
for (const { id, owned_by } of data) console.log(id, owned_by)`,
  )
}
