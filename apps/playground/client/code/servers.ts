import { shellWord, type Snippet } from './snippet.ts'

const LISTEN_PORT = 'Number(process.env.PORT ?? 3000)'

/** What both frameworks need. */
interface ServerCode {
  /** Names from the adapter. */
  readonly adapter: readonly string[]
  /** More lines that import. */
  readonly imports?: readonly string[]
  /** Command that uses the server. */
  readonly call: string
  /** More lines of the environment. */
  readonly environment?: readonly string[]
}

/** Code of an Express app. */
export interface ExpressCode extends ServerCode {
  /** Lines between the app's creation and its error handler. */
  readonly routes: string
}

/** A server with Express. Its client is `client`, its app is `app`. */
export function expressSnippet({ adapter, imports = [], routes, call, environment = [] }: ExpressCode): Snippet {
  return {
    kind: 'express',
    title: 'Express',
    file: 'server.ts',
    install: 'npm install @svc-audio/express-middleware @svc-audio/core express',
    run: 'node server.ts',
    call,
    environment,
    code: `${importLines([
      "import { AudioClient } from '@svc-audio/core'",
      importOf(['audioErrors', ...adapter], '@svc-audio/express-middleware'),
      "import express from 'express'",
      ...imports,
    ])}

const client = new AudioClient()
const app = express()
${routes}
app.use(audioErrors())
app.listen(${LISTEN_PORT})
`,
  }
}

/** Code of a Nest app. */
export interface NestCode extends ServerCode {
  /** Names from `@nestjs/common`, besides `Controller` and `Module`. */
  readonly common: readonly string[]
  /** Types from `@svc-audio/core`. */
  readonly types?: readonly string[]
  /** Lines before the controller. They end with an empty line. */
  readonly before?: string
  /** Parameters of the controller's constructor. @default the client, if a route calls it */
  readonly parameters?: readonly string[]
  /** Members of the controller, two spaces deep. */
  readonly routes: string
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

/** A server with Nest. Its routes have the client as `this.audio`. */
export function nestSnippet(nest: NestCode): Snippet {
  const { packages = [], call, environment = [] } = nest
  return {
    kind: 'nestjs',
    title: 'NestJS',
    file: 'main.ts',
    install: ['npm install', NEST_PACKAGES, ...packages].join(' '),
    run: runNest('main.ts'),
    call,
    environment,
    code: nestCode(nest),
  }
}

function nestCode(nest: NestCode): string {
  const { before = '', routes, modules = [], providers = [], start = '' } = nest
  const { parameters = routes.includes('this.audio') ? ['private readonly audio: AudioClient'] : [] } = nest
  const usesClient = [...parameters, before].some((text) => text.includes('audio: AudioClient'))
  const constructor = parameters.length === 0 ? '' : `  constructor(${signature(parameters)}) {}\n\n`
  // Routes that call the client themselves answer its errors as the adapter does.
  const filters = usesClient ? 'app.useGlobalFilters(new AudioExceptionFilter())\n' : ''
  return `import 'reflect-metadata'
${nestImports(nest, usesClient)}

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

function nestImports({ adapter, common, types = [], imports = [] }: NestCode, usesClient: boolean): string {
  const fromCore = [...(usesClient ? ['AudioClient'] : []), ...types.toSorted().map((type) => `type ${type}`)]
  return importLines([
    importOf(['Controller', 'Module', ...common], '@nestjs/common'),
    "import { NestFactory } from '@nestjs/core'",
    ...(fromCore.length === 0 ? [] : [`import { ${fromCore.join(', ')} } from '@svc-audio/core'`]),
    importOf(['AudioModule', ...(usesClient ? ['AudioExceptionFilter'] : []), ...adapter], '@svc-audio/nestjs'),
    ...imports,
  ])
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

function importOf(names: readonly string[], module: string): string {
  return `import { ${names.toSorted((a, b) => a.localeCompare(b, 'en')).join(', ')} } from '${module}'`
}

/** Sorted by module, Node's first. */
function importLines(lines: readonly string[]): string {
  return lines.toSorted((a, b) => moduleOf(a).localeCompare(moduleOf(b), 'en')).join('\n')
}

function moduleOf(line: string): string {
  const name = line.replace(/^.* from '/, '')
  return name.startsWith('node:') ? ` ${name}` : name
}

/** A command that sends JSON to a route. */
export function callJson(path: string, body: object, output?: string): string {
  const save = output === undefined ? '' : ` --output ${output}`
  return `curl --json ${shellWord(JSON.stringify(body))}${save} localhost:3000/${path}`
}

/** Stores the upload of a route of Nest at the service: `@UseInterceptors(Store)`, then `@UploadResult()`. */
export const NEST_STORE = {
  adapter: ['UploadInterceptor', 'UploadResult'],
  types: ['StoredFile'],
  code: `const Store = UploadInterceptor({
  call: ({ file, options }, { client }) => client.files.create({ file, purpose: 'audio' }, options),
})

`,
} as const
