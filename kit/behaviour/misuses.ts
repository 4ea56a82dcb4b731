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
  /** Lines that must compile. */
  readonly uses: readonly string[]
}

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')

const CHECKS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false']
const LANGUAGE = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--experimentalDecorators']

/** Compiles the lines, and returns those with another message than expected, with what the compiler printed. */
export async function wrongMessages({ folder, head, misuses, uses }: CompiledApp): Promise<readonly string[]> {
  const lines = [...misuses, ...uses.map((code) => [code, ''] as const)]
  const printed = await compile(
    folder,
    head,
    lines.map(([code]) => code),
  )
  return lines.flatMap(([code, message], index) => {
    const seen = printed[index] ?? ''
    const isRight = message === '' ? seen === '' : seen.includes(message)
    return isRight ? [] : [`${code}\n${seen === '' ? 'compiles' : seen}`]
  })
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
