import { importsFor, shellWord, type Snippet } from './snippet.ts'

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
  respondAudio, audioErrors, audioWebhooks, playResult, speak, transcribeUpload, uploadTo
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
    file: 'server.ts',
    install: 'npm install @svc-audio/express-middleware @svc-audio/core express',
    run: 'node server.ts',
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
  AudioExceptionFilter, AudioModule, AudioWebhookModule, AudioWebhooks, OnAudioTask, speechFile,
  TranscribeInterceptor, Transcription, TranscriptionStream, UploadInterceptor, UploadResult
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
    file: 'main.ts',
    install: ['npm install', NEST_PACKAGES, ...packages].join(' '),
    run: runNest('main.ts'),
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
  return `npx tsc ${flags} ${file} && node ${file.replace(/\.ts$/, '.js')}`
}

/** A command that sends JSON to a route. */
export function callJson(path: string, body: object, output?: string): string {
  const save = output === undefined ? '' : ` --output ${output}`
  return `curl --json ${shellWord(JSON.stringify(body))}${save} localhost:3000/${path}`
}

/** Stores the upload of a route of Nest at the service: `@UseInterceptors(Store)`, then `@UploadResult()`. */
export const NEST_STORE = `const Store = UploadInterceptor({
  call: ({ file, options }, { client }) => client.files.create({ file, purpose: 'audio' }, options),
})

`
