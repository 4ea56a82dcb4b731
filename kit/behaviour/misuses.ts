import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Code as people write it by mistake, and a part of the compiler's message: what the editor shows. */
export type Misuse = readonly [code: string, message: string]

/** Lines of TypeScript in an app. */
export interface CompiledApp {
  /** Folder of a package. The lines may import it by its name, and its dependencies. */
  readonly folder: string
  /** Imports and declarations in front of the lines. */
  readonly head: string
  /** Lines that must not compile. */
  readonly misuses: readonly Misuse[]
  /** Likely mistakes: the first line of the compiler's message says what to do. */
  readonly likely: readonly Misuse[]
  /** Lines that must compile. */
  readonly uses: readonly string[]
}

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')

const CHECKS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false']
const LANGUAGE = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--experimentalDecorators']

/** Compiles the lines, and returns those with another message than expected, with what the compiler printed. */
export async function wrongMessages({ folder, head, misuses, likely, uses }: CompiledApp): Promise<readonly string[]> {
  const lines = [...likely, ...misuses, ...uses.map((code) => [code, ''] as const)]
  const printed = await compile(
    folder,
    head,
    lines.map(([code]) => code),
  )
  return lines.flatMap(([code, message], index) => {
    const seen = printed[index] ?? ''
    const read = index < likely.length ? firstLine(seen) : seen
    const isRight = message === '' ? seen === '' : read.includes(message)
    return isRight ? [] : [`${code}\n${seen === '' ? 'compiles' : seen}`]
  })
}

/** The first line about the code: lines of the compiler in front of it only say that a function has overloads. */
function firstLine(message: string): string {
  const isAboutOverloads = /No overload matches this call\.$|The last overload gave the following error\.$/
  return message.split('\n').find((line) => !isAboutOverloads.test(line)) ?? ''
}

/** The messages of each line. */
async function compile(packageFolder: string, head: string, lines: readonly string[]): Promise<readonly string[]> {
  // Inside the package, so that its name and its dependencies resolve.
  const folder = await mkdtemp(join(packageFolder, 'dist/compiled-'))
  try {
    const file = join(folder, 'code.ts')
    await writeFile(file, `${head}\n${lines.join('\n')}`)
    const output = await new Promise<string>((resolve) => {
      execFile(TSC, [...CHECKS, ...LANGUAGE, file], { cwd: packageFolder, maxBuffer: 1e7 }, (_error, stdout) =>
        resolve(stdout),
      )
    })
    const first = head.split('\n').length + 1
    const messages = lines.map(() => '')
    let line = -1
    for (const text of output.split('\n')) {
      const at = /code\.ts\((?<line>\d+),/.exec(text)?.groups?.['line']
      if (at !== undefined) line = Number(at) - first
      if (line >= 0) messages[line] += `${text}\n`
    }
    return messages
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Names of the two factories that every framework has. */
export interface HandlerNames {
  readonly transcribe: string
  readonly speak: string
}

/** Misuses of options that do not fit together, the same in every framework. The code has `client` and `keyterms`. */
export function handlerMisuses({ transcribe, speak }: HandlerNames): readonly Misuse[] {
  const standard = "client, model: 'svc-transcribe-1.0'"
  return [
    [`${speak}({ client })`, "Property 'voice_id' is missing"],
    [`${speak}({ client, voice_id: process.env.VOICE })`, "'undefined' is not assignable"],
    [`${speak}({ client, respond: 'task' })`, "Property 'voice_id' is missing"],
    [`${speak}({ client, voice_id: 'rms', language: 'en' })`, "Property 'respond' is missing"],
    [`${speak}({ client, voice_id: 'rms', respond: 'audio', speed: 2 })`, `"needs respond: 'pcm' or 'sse'"`],
    [`${speak}({ client, respond: 'pcm', response_format: 'mp3' })`, 'is always pcm with respond'],
    [
      `${speak}({ client, voice_id: 'rms', onTask: () => {} })`,
      "Property 'respond' is missing in type '{ client: AudioClient; voice_id: string; onTask: () => void; }'",
    ],
    [`${speak}({ client, voice_id: 'rms', respond: 'audio', onTask: () => {} })`, `"needs respond: 'task'"`],
    [`${speak}({ client, voice_id: 'rms', respond: 'json' })`, `Type '"json"' is not assignable`],
    [`${transcribe}({})`, "Argument of type '{}'"],
    [`${transcribe}({ client, onTask: () => {} })`, "Property 'respond' is missing"],
    [`${transcribe}({ client, respond: 'sse', webhook_url: 'https://app.example/hook' })`, `"needs respond: 'task'"`],
    [`${transcribe}({ client, respond: 'next' })`, `Type '"next"' is not assignable`],
    [`${transcribe}({ ${standard}, keyterms })`, 'needs the model svc-transcribe-diarize-pro'],
    [`${transcribe}({ ${standard}, diarize: true })`, 'needs the model svc-transcribe-diarize-pro'],
    [`${transcribe}({ ${standard}, respond: 'sse' })`, 'needs the model svc-transcribe-diarize-pro'],
    [`${transcribe}({ client, maxFilesize: 1 })`, "Did you mean to write 'maxFileSize'?"],
    [`${transcribe}({ client, maxFields: 1 })`, "'maxFields' does not exist"],
  ]
}

/** The likely mistakes with options of uploads, the same in every framework. `options` are in front of the mistake. */
export function uploadMistakes(factory: string, options: string): readonly Misuse[] {
  return [
    [`${factory}({ ${options} maxFileSize: '25mb' })`, 'write a number of bytes: 25_000_000'],
    [`${factory}({ ${options} accept: 'audio/*' })`, "write an array: ['audio/*']"],
  ]
}

/** The likely mistakes with the factories that every framework has. The code has `client`. */
export function handlerMistakes({ transcribe, speak }: HandlerNames): readonly Misuse[] {
  return [
    ...uploadMistakes(transcribe, 'client,'),
    ...uploadMistakes(transcribe, "client, respond: 'sse',"),
    [`${speak}({ client, voice_id: 'rms', response_format: 'ogg' })`, "write 'opus'"],
    [`${speak}({ client, voice_id: 'rms', respond: 'task', response_format: 'mpeg' })`, "write 'mp3'"],
  ]
}

/** Misuse of a factory in the place of its handler. */
export function uncalled(factory: string, code: string): Misuse {
  return [code, `call ${factory}({ … }), do not pass it`]
}
